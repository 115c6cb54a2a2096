import type { Credential } from '../tx/credential.ts';
import type { FxName } from '../tx/fx.ts';
import type { SigIndices, TransferableIn } from '../tx/input.ts';
import type { FxOperation } from '../tx/operation.ts';
import type { Output } from '../tx/output.ts';
import { TxError } from './fault.ts';
import { firstNotAfter } from './order.ts';
import type { Signing } from './owners.ts';

/** Anything that can judge itself: all inputs, outputs, operations and credentials, which is what the credential slot takes. */
export type FxValue = Credential;

type RowsOf<Value extends { kind: string }, N extends FxName, Rest extends unknown[]> = {
  readonly [K in Extract<Value['kind'], `${N}.${string}`>]: (value: Extract<Value, { kind: K }>, ...rest: Rest) => void;
};

/** The rules of one feature extension, a row for each of its types. */
export type FxRules<N extends FxName> = {
  /** A value by itself. Peer: the Verify method of each type. */
  readonly values: RowsOf<FxValue, N, []>;
  /** An output spent by a plain input. Peer: VerifyTransfer of the fx. */
  readonly transfer: (input: TransferableIn, credential: Credential, spent: Output, signing: Signing) => void;
  /** Outputs spent by an operation. Peer: VerifyOperation of the fx. */
  readonly operations: RowsOf<FxOperation, N, [credential: Credential, spent: readonly Output[], signing: Signing]>;
};

/** Peer: vms/secp256k1fx/input.go. */
export function verifySigIndices({ signatureIndices }: SigIndices): void {
  const index = firstNotAfter(signatureIndices, (a, b) => a - b);
  if (index >= 0) throw new TxError('address indices not sorted and unique', { code: 'TX_SIGNATURE_INDICES_NOT_SORTED', index });
}

/** The credential, if it is of the kind wanted. */
export function credentialOf<K extends Credential['kind']>(kind: K, credential: Credential): Extract<Credential, { kind: K }> {
  if (credential.kind !== kind)
    throw new TxError('wrong credential type', { code: 'TX_WRONG_CREDENTIAL_TYPE', want: kind, got: credential.kind });
  return credential as Extract<Credential, { kind: K }>;
}

/** The spent output, if it is of the kind wanted. */
export function outputOf<K extends Output['kind']>(kind: K, spent: Output): Extract<Output, { kind: K }> {
  if (spent.kind !== kind) throw new TxError('wrong utxo type', { code: 'TX_WRONG_UTXO_TYPE', want: kind, got: spent.kind });
  return spent as Extract<Output, { kind: K }>;
}

/** The one output an operation spends. `noun` is the peer's spelling, which its feature extensions do not share. */
export function onlyOutput(spent: readonly Output[], noun: 'utxos' | 'UTXOs'): Output {
  if (spent.length !== 1)
    throw new TxError(`wrong number of ${noun} for the operation`, { code: 'TX_WRONG_UTXO_COUNT', want: 1, got: spent.length });
  return spent[0] as Output;
}

/** Of feature extensions whose outputs move by operations only. */
export const cannotTransfer = (fx: FxName) => (): never => {
  throw new TxError('cant transfer with this fx', { code: 'TX_CANNOT_TRANSFER', fx });
};
