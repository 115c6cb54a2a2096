import { idText } from '../../base/bytes/id.ts';
import type { Credential } from '../tx/credential.ts';
import type { Tx } from '../tx/tx.ts';
import { type BaseTx, dispatchTx, type TxHandlers, type UnsignedTx } from '../tx/unsigned.ts';
import { verifyDescription, verifyInitialStates } from './create-asset.ts';
import { TxError } from './fault.ts';
import { type Flow, verifyFlow } from './flow.ts';
import { verifyValue } from './fx-table.ts';
import { verifyOperations } from './operations.ts';
import { limits, type Rules } from './rules.ts';
import { verifyEach } from './verify-each.ts';

/**
 * Verifies a transaction without the chain state. Throws a TxError for the first fault, so the checks are in AvalancheGo's order.
 * AvalancheGo: vms/avm/txs/executor/syntactic_verifier.go.
 */
export function verifySyntax(tx: Tx, rules: Rules): void {
  for (const { verify } of syntaxChecks) verify(tx, rules);
}

/** The checks of verifySyntax, in order. */
export const syntaxChecks: readonly { readonly rule: string; readonly verify: (tx: Tx, rules: Rules) => void }[] = [
  { rule: 'type', verify: ({ unsigned }) => dispatchTx(firstChecks, unsigned, undefined) },
  { rule: 'chain and memo', verify: ({ unsigned }, rules) => verifyBase(unsigned, rules) },
  { rule: 'amounts and fee', verify: ({ unsigned }, rules) => verifyFlow(flowOf(unsigned, rules), rules.feeAsset) },
  { rule: 'contents of the type', verify: ({ unsigned }) => dispatchTx(checksAfterFlow, unsigned, undefined) },
  {
    rule: 'credentials',
    verify: ({ unsigned, credentials }) => verifyCredentials(credentials, dispatchTx(credentialCount, unsigned, undefined)),
  },
];

const noCheck = (): void => {};

/** Checks of a transaction type that come first, even before the chain ID. */
const firstChecks: TxHandlers<void> = {
  BaseTx: noCheck,
  CreateAssetTx: verifyDescription,
  OperationTx: ({ operations }) => {
    if (operations.length === 0) throw new TxError('an operationTx must have at least one operation', { code: 'TX_NO_OPERATIONS' });
  },
  ImportTx: ({ importedInputs }) => {
    if (importedInputs.length === 0) throw new TxError('no import inputs', { code: 'TX_NO_IMPORT_INPUTS' });
  },
  ExportTx: ({ exportedOutputs }) => {
    if (exportedOutputs.length === 0) throw new TxError('no export outputs', { code: 'TX_NO_EXPORT_OUTPUTS' });
  },
};

/** Outputs of operations are not part of the flow: minting creates new amounts. */
export const flowOf = (unsigned: UnsignedTx, rules: Rules): Flow => dispatchTx(flows, unsigned, rules);

const flows: TxHandlers<Flow, Rules> = {
  BaseTx: ({ inputs, outputs }, rules) => ({ fee: rules.txFee, inputs: { inputs }, outputs: { outputs } }),
  CreateAssetTx: ({ inputs, outputs }, rules) => ({ fee: rules.createAssetTxFee, inputs: { inputs }, outputs: { outputs } }),
  OperationTx: ({ inputs, outputs }, rules) => ({ fee: rules.txFee, inputs: { inputs }, outputs: { outputs } }),
  ImportTx: ({ inputs, outputs, importedInputs }, rules) => ({
    fee: rules.txFee,
    inputs: { inputs, importedInputs },
    outputs: { outputs },
  }),
  ExportTx: ({ inputs, outputs, exportedOutputs }, rules) => ({
    fee: rules.txFee,
    inputs: { inputs },
    outputs: { outputs, exportedOutputs },
  }),
};

const checksAfterFlow: TxHandlers<void> = {
  BaseTx: noCheck,
  CreateAssetTx: verifyInitialStates,
  OperationTx: verifyOperations,
  ImportTx: noCheck,
  ExportTx: noCheck,
};

/** One credential for each input, then one for each operation or imported input. */
const credentialCount: TxHandlers<number> = {
  BaseTx: ({ inputs }) => inputs.length,
  CreateAssetTx: ({ inputs }) => inputs.length,
  OperationTx: ({ inputs, operations }) => inputs.length + operations.length,
  ImportTx: ({ inputs, importedInputs }) => inputs.length + importedInputs.length,
  ExportTx: ({ inputs }) => inputs.length,
};

/** Checks network ID, chain ID and memo length. AvalancheGo: vms/components/avax/base_tx.go. */
export function verifyBase({ networkID, blockchainID, memo }: BaseTx, rules: Rules): void {
  if (networkID !== rules.networkID)
    throw new TxError('tx has wrong network ID', { code: 'TX_WRONG_NETWORK', want: rules.networkID, got: networkID });
  if (blockchainID !== rules.chainID)
    throw new TxError('tx has wrong chain ID', { code: 'TX_WRONG_CHAIN', want: idText(rules.chainID), got: idText(blockchainID) });
  if (memo.length > limits.maxMemo)
    throw new TxError(`memo exceeds maximum length: ${memo.length} > ${limits.maxMemo}`, {
      code: 'TX_MEMO_TOO_LARGE',
      size: memo.length,
      max: limits.maxMemo,
    });
}

/**
 * Verifies each credential by the rules of its own type, then their number. The wire format allows any type here (see avm/tx/credential.ts);
 * a wrong type is detected later, by verifySpend.
 */
export function verifyCredentials(credentials: readonly Credential[], want: number): void {
  verifyEach('credentials', credentials, undefined, verifyValue);
  const got = credentials.length;
  if (got !== want) throw new TxError(`wrong number of credentials: ${got} != ${want}`, { code: 'TX_CREDENTIAL_COUNT', want, got });
}
