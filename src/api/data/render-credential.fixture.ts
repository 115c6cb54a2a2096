import type { Credential } from '../../avm/tx/credential.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { FxOperation } from '../../avm/tx/operation.ts';
import { type Tx, unsignedBytes } from '../../avm/tx/tx.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { PublicKeyText } from './public-key-cache.ts';

/** Signatures and public keys that consumed an output of these owners. `slot` is the index of the credential in the consuming transaction. */
export function renderCredentials(tx: Tx, slot: number, owners: readonly Address[], keyText: PublicKeyText | undefined) {
  const signatures = signaturesOf(tx.credentials[slot]);
  const signers = keyText === undefined ? [] : signerIndices(tx, slot);
  return signatures.map((signature, i) => ({
    signature: toBase64(signature),
    publicKey: keyText?.(owners[signers[i] ?? -1], () => ({ unsigned: unsignedBytes(tx), signature })),
  }));
}

/**
 * Index of the credential of a consumed output, or -1. There is one credential per input, then one per operation or imported input.
 * `before` is the index of the previous output's credential: for outputs in the order of the transaction the search ends after one step.
 */
export function credentialIndexOf({ unsigned }: Tx, { txID, outputIndex }: UtxoRef, before = -1): number {
  const { inputs } = unsigned;
  const isSameOutput = (ref: UtxoRef | undefined) => ref?.outputIndex === outputIndex && ref.txID === txID;
  if (isSameOutput(inputs[before + 1])) return before + 1;
  const inInputs = inputs.findIndex(isSameOutput);
  if (inInputs >= 0) return inInputs;
  const others = otherRefs(unsigned);
  const next = before + 1 - inputs.length;
  const found = others[next]?.some(isSameOutput) ? next : others.findIndex((refs) => refs.some(isSameOutput));
  return found < 0 ? -1 : inputs.length + found;
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

const otherRefs = (unsigned: Tx['unsigned']): readonly (readonly UtxoRef[])[] => {
  if (unsigned.kind === 'OperationTx') return unsigned.operations.map(({ inputIDs }) => inputIDs);
  return unsigned.kind === 'ImportTx' ? unsigned.importedInputs.map((input) => [input]) : [];
};

const signaturesOf = (credential: Credential | undefined): readonly Uint8Array[] =>
  credential !== undefined && 'signatures' in credential ? credential.signatures : [];

/** Indices of the owners that signed. */
function signerIndices({ unsigned }: Tx, slot: number): readonly number[] {
  const transferInput = unsigned.inputs[slot];
  if (transferInput !== undefined) return transferInput.input.signatureIndices;
  const otherIndex = slot - unsigned.inputs.length;
  if (unsigned.kind === 'ImportTx') return unsigned.importedInputs[otherIndex]?.input.signatureIndices ?? [];
  const operation = unsigned.kind === 'OperationTx' ? unsigned.operations[otherIndex]?.operation : undefined;
  return operation === undefined ? [] : operationSigners(operation);
}

function operationSigners(operation: FxOperation): readonly number[] {
  if ('mintInput' in operation) return operation.mintInput.signatureIndices;
  return 'input' in operation ? operation.input.signatureIndices : operation.signatureIndices;
}
