import type { Credential } from '../tx/credential.ts';
import type { UtxoRef } from '../tx/input.ts';
import type { Tx } from '../tx/tx.ts';

/** The compressed public key behind a signature of a transaction; undefined if there is none. */
export type RecoverKey = (tx: Tx, signature: Uint8Array) => Uint8Array | undefined;

/** Who signed for a consumed output: `slot` is the place of its credential in the transaction that consumed it. */
export const renderCredentials = (tx: Tx, slot: number, recover: RecoverKey | undefined) =>
  signaturesOf(tx.credentials[slot]).map((signature) => {
    const key = recover?.(tx, signature);
    return { signature: base64(signature), publicKey: key && base64(key) };
  });

/**
 * Where the credential of a consumed output stands: credentials follow the inputs, then the operations or the imported inputs, one each.
 * Whoever asks for the outputs of one transaction in their order says where the one before was, and no search goes further than a step.
 */
export function credentialSlot({ unsigned }: Tx, { txID, outputIndex }: UtxoRef, before = -1): number {
  const { inputs } = unsigned;
  const isIt = (ref: UtxoRef | undefined) => ref?.outputIndex === outputIndex && ref.txID === txID;
  if (isIt(inputs[before + 1])) return before + 1;
  const plain = inputs.findIndex(isIt);
  if (plain >= 0) return plain;
  const further = furtherSlots(unsigned);
  const next = before + 1 - inputs.length;
  const found = further[next]?.some(isIt) ? next : further.findIndex((refs) => refs.some(isIt));
  return found < 0 ? -1 : inputs.length + found;
}

const furtherSlots = (unsigned: Tx['unsigned']): readonly (readonly UtxoRef[])[] => {
  if (unsigned.kind === 'OperationTx') return unsigned.operations.map(({ inputIDs }) => inputIDs);
  return unsigned.kind === 'ImportTx' ? unsigned.importedInputs.map((input) => [input]) : [];
};

const signaturesOf = (credential: Credential | undefined): readonly Uint8Array[] =>
  credential !== undefined && 'signatures' in credential ? credential.signatures : [];

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
