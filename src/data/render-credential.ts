import type { Address } from '../bytes/address.ts';
import type { Credential } from '../tx/credential.ts';
import type { UtxoRef } from '../tx/input.ts';
import type { FxOperation } from '../tx/operation.ts';
import type { Tx } from '../tx/tx.ts';

/** The compressed public key behind a signature of a transaction; undefined if there is none. */
export type RecoverPublicKey = (tx: Tx, signature: Uint8Array) => Uint8Array | undefined;

/** The same as answers show it, for the signature of an owner. */
export type KeyText = (owner: Address | undefined, tx: Tx, signature: Uint8Array) => string | undefined;

/** Who signed for an output of these owners: `slot` is the place of the credential in the transaction that consumed it. */
export function renderCredentials(tx: Tx, slot: number, owners: readonly Address[], keyText: KeyText | undefined) {
  const signatures = signaturesOf(tx.credentials[slot]);
  const signers = keyText === undefined ? [] : signerIndices(tx, slot);
  return signatures.map((signature, at) => ({
    signature: base64(signature),
    publicKey: keyText?.(owners[signers[at] ?? -1], tx, signature),
  }));
}

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
  const further = furtherRefs(unsigned);
  const next = before + 1 - inputs.length;
  const found = further[next]?.some(isIt) ? next : further.findIndex((refs) => refs.some(isIt));
  return found < 0 ? -1 : inputs.length + found;
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

const furtherRefs = (unsigned: Tx['unsigned']): readonly (readonly UtxoRef[])[] => {
  if (unsigned.kind === 'OperationTx') return unsigned.operations.map(({ inputIDs }) => inputIDs);
  return unsigned.kind === 'ImportTx' ? unsigned.importedInputs.map((input) => [input]) : [];
};

const signaturesOf = (credential: Credential | undefined): readonly Uint8Array[] =>
  credential !== undefined && 'signatures' in credential ? credential.signatures : [];

/** Which of the owners signed, by their places. */
function signerIndices({ unsigned }: Tx, slot: number): readonly number[] {
  const plain = unsigned.inputs[slot];
  if (plain !== undefined) return plain.input.signatureIndices;
  const further = slot - unsigned.inputs.length;
  if (unsigned.kind === 'ImportTx') return unsigned.importedInputs[further]?.input.signatureIndices ?? [];
  const operation = unsigned.kind === 'OperationTx' ? unsigned.operations[further]?.operation : undefined;
  return operation === undefined ? [] : operationSigners(operation);
}

function operationSigners(operation: FxOperation): readonly number[] {
  if ('mintInput' in operation) return operation.mintInput.signatureIndices;
  return 'input' in operation ? operation.input.signatureIndices : operation.signatureIndices;
}
