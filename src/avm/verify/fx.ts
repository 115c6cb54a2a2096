import type { Credential } from '../tx/credential.ts';
import type { FxName } from '../tx/fx.ts';
import type { SigIndices, TransferableIn } from '../tx/input.ts';
import type { FxOperation } from '../tx/operation.ts';
import type { Output } from '../tx/output.ts';
import { TxError } from './fault.ts';
import { firstUnsortedIndex } from './order.ts';
import type { SignatureContext } from './owners.ts';

/** Any input, output, operation or credential. The wire format allows all of these in a credential's place. */
export type FxValue = Credential;

type RulesByKind<Value extends { kind: string }, N extends FxName, Rest extends unknown[]> = {
  readonly [K in Extract<Value['kind'], `${N}.${string}`>]: (value: Extract<Value, { kind: K }>, ...rest: Rest) => void;
};

/** The rules of one feature extension, by type. */
export type FxRules<N extends FxName> = {
  /** Verifies a value without the chain state. AvalancheGo: the Verify method of each type. */
  readonly values: RulesByKind<FxValue, N, []>;
  /** Verifies an output spent by an input. AvalancheGo: VerifyTransfer of the fx. */
  readonly transfer: (input: TransferableIn, credential: Credential, spent: Output, signing: SignatureContext) => void;
  /** Verifies the outputs spent by an operation. AvalancheGo: VerifyOperation of the fx. */
  readonly operations: RulesByKind<FxOperation, N, [credential: Credential, spent: readonly Output[], signing: SignatureContext]>;
};

/** AvalancheGo: vms/secp256k1fx/input.go. */
export function verifySigIndices({ signatureIndices }: SigIndices): void {
  const index = firstUnsortedIndex(signatureIndices, compareNumbers);
  if (index >= 0) throw new TxError('address indices not sorted and unique', { code: 'TX_SIGNATURE_INDICES_NOT_SORTED', index });
}

const compareNumbers = (a: number, b: number): number => a - b;

/** Returns the credential, or throws if it is of another type. */
export function requireCredential<K extends Credential['kind']>(kind: K, credential: Credential): Extract<Credential, { kind: K }> {
  if (credential.kind !== kind)
    throw new TxError('wrong credential type', { code: 'TX_WRONG_CREDENTIAL_TYPE', want: kind, got: credential.kind });
  return credential as Extract<Credential, { kind: K }>;
}

/** Returns the spent output, or throws if it is of another type. */
export function requireOutput<K extends Output['kind']>(kind: K, spent: Output): Extract<Output, { kind: K }> {
  if (spent.kind !== kind) throw new TxError('wrong utxo type', { code: 'TX_WRONG_UTXO_TYPE', want: kind, got: spent.kind });
  return spent as Extract<Output, { kind: K }>;
}

/** Returns the only output an operation spends. `noun` is the spelling in AvalancheGo's message, which differs between its feature extensions. */
export function requireSingleOutput(spent: readonly Output[], noun: 'utxos' | 'UTXOs'): Output {
  if (spent.length !== 1)
    throw new TxError(`wrong number of ${noun} for the operation`, { code: 'TX_WRONG_UTXO_COUNT', want: 1, got: spent.length });
  return spent[0] as Output;
}

/** The transfer rule of feature extensions whose outputs can be spent only by operations. */
export const cannotTransfer = (fx: FxName) => (): never => {
  throw new TxError('cant transfer with this fx', { code: 'TX_CANNOT_TRANSFER', fx });
};
