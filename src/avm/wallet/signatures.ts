import type { Address } from '../../base/bytes/address.ts';
import { sha256 } from '../../base/bytes/hash.ts';
import type { Credential } from '../tx/credential.ts';
import type { UtxoRef } from '../tx/input.ts';
import type { FxOperation } from '../tx/operation.ts';
import { makeTx, type Tx, unsignedBytes } from '../tx/tx.ts';
import type { UnsignedTx } from '../tx/unsigned.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { Key } from './key.ts';

/**
 * Partially signed transactions, which several parties sign one after the other. A signature that is missing is empty: 65 zeros. Who has to sign is
 * in the outputs that the transaction spends, so they are given with it.
 */

/** Signs a transaction with further keys: each fills its empty signatures. Inputs whose output is not in `utxos` stay as they are. */
export function addSignatures(tx: Tx, utxos: readonly Utxo[], keys: readonly Key[]): Tx {
  const hash = sha256(unsignedBytes(tx));
  const signers = listSigners(tx.unsigned, utxos);
  const credentials = tx.credentials.map((credential, at): Credential => {
    if (!('signatures' in credential)) return credential;
    const signatures = credential.signatures.map((signature, i) => {
      const key = isEmpty(signature) ? keys.find(({ address }) => address === signers[at]?.[i]) : undefined;
      return key === undefined ? signature : key.sign(hash);
    });
    return { ...credential, signatures };
  });
  return makeTx(tx.unsigned, credentials);
}

/** The addresses that have yet to sign; empty: the transaction can be issued. */
export function missingSigners(tx: Tx, utxos: readonly Utxo[]): Address[] {
  const signers = listSigners(tx.unsigned, utxos);
  const missing = tx.credentials.flatMap((credential, at) =>
    'signatures' in credential ? (signers[at] ?? []).filter((_, i) => isEmpty(credential.signatures[i] ?? noSignature)) : [],
  );
  return [...new Set(missing)];
}

const noSignature = new Uint8Array(0);

const isEmpty = (signature: Uint8Array): boolean => signature.every((byte) => byte === 0);

/** For each credential the addresses that sign it, in the order of its signatures; none if its output is not given. */
const listSigners = (unsigned: UnsignedTx, utxos: readonly Utxo[]): (readonly Address[])[] =>
  listSpends(unsigned).map(({ ref, signatureIndices }) => {
    const spent = utxos.find(({ txID, outputIndex }) => txID === ref?.txID && outputIndex === ref.outputIndex);
    return spent === undefined ? [] : signatureIndices.flatMap((index) => spent.output.addresses[index] ?? []);
  });

/** What each credential signs for: the inputs, then the operations or imported inputs. */
function listSpends(unsigned: UnsignedTx): { readonly ref: UtxoRef | undefined; readonly signatureIndices: readonly number[] }[] {
  const inputs = unsigned.kind === 'ImportTx' ? [...unsigned.inputs, ...unsigned.importedInputs] : unsigned.inputs;
  const operations = unsigned.kind === 'OperationTx' ? unsigned.operations : [];
  return [
    ...inputs.map((input) => ({ ref: input, signatureIndices: input.input.signatureIndices })),
    ...operations.map(({ inputIDs, operation }) => ({ ref: inputIDs[0], signatureIndices: indicesOf(operation) })),
  ];
}

const indicesOf = (operation: FxOperation): readonly number[] => {
  if ('mintInput' in operation) return operation.mintInput.signatureIndices;
  return 'input' in operation ? operation.input.signatureIndices : operation.signatureIndices;
};
