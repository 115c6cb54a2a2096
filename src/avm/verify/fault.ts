import type { SignatureFault } from '../../base/crypto/recover.ts';
import { Fault } from '../../base/fault.ts';

/** Why a transaction is invalid. Callers see these fields: IDs are in CB58, addresses in bech32, amounts and times in decimal digits. */
export type TxFault = (SyntaxFault | SpendFault | SignatureFault) & {
  /** The faulty part of the transaction: `inputs[2]`, `initialStates[0].outputs[1]`. */
  readonly path?: string;
  /** The output to be spent: its ID, the transaction that created it, and its index there. */
  readonly utxoID?: string;
  readonly createdBy?: string;
  readonly outputIndex?: number;
};

/** Why an output is not in the UTXO set: spent, or not created yet. See chain/lifecycle/missing-output.ts. */
type MissingOutput = {
  readonly isSpent?: boolean;
  /** The transaction that spent it, if known. */
  readonly spentBy?: string;
  /** Status of the transaction that creates it. */
  readonly createdByStatus?: string;
};

/** Faults found without looking at the chain state. */
type SyntaxFault =
  | { code: 'TX_WRONG_NETWORK'; want: number; got: number }
  | { code: 'TX_WRONG_CHAIN'; want: string; got: string }
  | { code: 'TX_MEMO_TOO_LARGE'; size: number; max: number }
  | { code: 'TX_EMPTY_ASSET_ID' }
  | { code: 'TX_NO_VALUE_INPUT' }
  | { code: 'TX_NO_VALUE_OUTPUT' }
  | { code: 'TX_OUTPUT_UNSPENDABLE'; threshold: number; addresses: number }
  | { code: 'TX_OUTPUT_UNOPTIMIZED'; addresses: number }
  | { code: 'TX_ADDRESSES_NOT_SORTED'; index: number }
  | { code: 'TX_SIGNATURE_INDICES_NOT_SORTED'; index: number }
  | { code: 'TX_PAYLOAD_TOO_LARGE'; size: number; max: number }
  | { code: 'TX_OUTPUTS_NOT_SORTED' }
  | { code: 'TX_INPUTS_NOT_SORTED' }
  | { code: 'TX_OVERFLOW'; assetID: string }
  /** `need` is the sum of `amount` (in the outputs) and `fee` (burned). */
  | { code: 'TX_INSUFFICIENT_FUNDS'; assetID: string; need: string; amount: string; fee: string; have: string }
  | { code: 'TX_NAME_TOO_SHORT'; size: number; min: number }
  | { code: 'TX_NAME_TOO_LONG'; size: number; max: number }
  | { code: 'TX_NAME_WHITESPACE' }
  | { code: 'TX_NAME_CHARACTER' }
  | { code: 'TX_SYMBOL_TOO_SHORT'; size: number; min: number }
  | { code: 'TX_SYMBOL_TOO_LONG'; size: number; max: number }
  | { code: 'TX_SYMBOL_CHARACTER' }
  | { code: 'TX_DENOMINATION_TOO_LARGE'; got: number; max: number }
  | { code: 'TX_NO_INITIAL_STATES' }
  | { code: 'TX_UNKNOWN_FX'; fxIndex: number; count: number }
  | { code: 'TX_INITIAL_STATES_NOT_SORTED' }
  | { code: 'TX_NO_OPERATIONS' }
  | { code: 'TX_OPERATIONS_NOT_SORTED' }
  | { code: 'TX_UTXO_IDS_NOT_SORTED'; index: number }
  | { code: 'TX_DOUBLE_SPEND' }
  | { code: 'TX_NO_IMPORT_INPUTS' }
  | { code: 'TX_NO_EXPORT_OUTPUTS' }
  | { code: 'TX_CREDENTIAL_COUNT'; want: number; got: number };

/** Faults found on the chain state. */
type SpendFault =
  | { code: 'TX_ALREADY_ACCEPTED'; txID: string }
  | ({ code: 'TX_UTXO_NOT_FOUND'; sourceChain?: string } & MissingOutput)
  /** This node does not run the chain that exported the output. */
  | { code: 'TX_IMPORT_UNKNOWN'; sourceChain: string }
  | { code: 'TX_ASSET_MISMATCH'; want: string; got: string }
  | { code: 'TX_ASSET_NOT_FOUND'; assetID: string }
  | { code: 'TX_NOT_AN_ASSET'; assetID: string }
  | { code: 'TX_INCOMPATIBLE_FX'; assetID: string; kind: string }
  | { code: 'TX_CANNOT_TRANSFER'; fx: string }
  | { code: 'TX_WRONG_CREDENTIAL_TYPE'; want: string; got: string }
  | { code: 'TX_WRONG_UTXO_TYPE'; want: string; got: string }
  | { code: 'TX_WRONG_UTXO_COUNT'; want: number; got: number }
  | { code: 'TX_WRONG_AMOUNT'; want: string; got: string }
  | { code: 'TX_WRONG_MINT_OUTPUT' }
  | { code: 'TX_WRONG_GROUP'; want: number; got: number }
  | { code: 'TX_WRONG_PAYLOAD' }
  | { code: 'TX_TIME_LOCKED'; locktime: string; now: string }
  | { code: 'TX_TOO_MANY_SIGNERS'; want: number; got: number }
  | { code: 'TX_TOO_FEW_SIGNERS'; want: number; got: number }
  | { code: 'TX_SIGNATURE_COUNT'; want: number; got: number }
  | { code: 'TX_SIGNER_OUT_OF_BOUNDS'; index: number; addresses: number }
  | { code: 'TX_WRONG_SIGNATURE'; want: string; got: string }
  | { code: 'TX_SAME_CHAIN'; chainID: string }
  | { code: 'TX_UNKNOWN_CHAIN'; chainID: string }
  | { code: 'TX_WRONG_SUBNET'; want: string; got: string };

/** Whether a fault found on the chain state stays whatever is accepted later, so that no node will ever accept the transaction. */
const isFinalSpendFault: { readonly [C in SpendFault['code']]: boolean } = {
  TX_ALREADY_ACCEPTED: false,
  TX_UTXO_NOT_FOUND: false,
  TX_IMPORT_UNKNOWN: false,
  TX_ASSET_NOT_FOUND: false,
  TX_TIME_LOCKED: false,
  // Another node may run that chain.
  TX_UNKNOWN_CHAIN: false,
  // An output never changes, nor does an asset: what does not fit them now never will.
  TX_ASSET_MISMATCH: true,
  TX_NOT_AN_ASSET: true,
  TX_INCOMPATIBLE_FX: true,
  TX_CANNOT_TRANSFER: true,
  TX_WRONG_CREDENTIAL_TYPE: true,
  TX_WRONG_UTXO_TYPE: true,
  TX_WRONG_UTXO_COUNT: true,
  TX_WRONG_AMOUNT: true,
  TX_WRONG_MINT_OUTPUT: true,
  TX_WRONG_GROUP: true,
  TX_WRONG_PAYLOAD: true,
  TX_TOO_MANY_SIGNERS: true,
  TX_TOO_FEW_SIGNERS: true,
  TX_SIGNATURE_COUNT: true,
  TX_SIGNER_OUT_OF_BOUNDS: true,
  TX_WRONG_SIGNATURE: true,
  TX_SAME_CHAIN: true,
  TX_WRONG_SUBNET: true,
};

/** Whether no state of the chain makes a transaction with this fault valid. Faults of syntax and of a signature by itself do not depend on the state. */
export function isFinalFault({ code }: TxFault): boolean {
  const isFinal: Partial<Record<TxFault['code'], boolean>> = isFinalSpendFault;
  return isFinal[code] ?? true;
}

/** The only error this module throws. A fault of an invalid signature keeps the code that the crypto module gave it. */
export class TxError extends Fault<TxFault> {}
