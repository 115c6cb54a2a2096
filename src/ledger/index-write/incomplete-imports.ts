import { makeIncompleteUtxo } from '../../avm/tx/incomplete-utxo.ts';
import { type Tx, unsignedBytes } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { unlessFault } from '../../base/fault.ts';

/** Returns the address that made a signature of a message; throws a Fault if the signature is invalid. */
export type RecoverSigner = (message: Uint8Array, signature: Uint8Array) => Address;

/**
 * The outputs that a transaction imports, as far as its inputs and signatures show them. For outputs of the P- and C-Chain, which a joined
 * node does not run and which a followed node may not know either.
 */
export function* incompleteImportsOf(tx: Tx, recover: RecoverSigner): Iterable<readonly [Id, Utxo]> {
  const { unsigned, credentials } = tx;
  if (unsigned.kind !== 'ImportTx') return;
  for (const [i, input] of unsigned.importedInputs.entries()) {
    const credential = credentials[unsigned.inputs.length + i];
    if (credential?.kind !== 'secp256k1fx.Credential') continue;
    const signers = recoverAll(tx, credential.signatures, recover);
    if (signers !== undefined) yield [refId(input), makeIncompleteUtxo(input, signers)];
  }
}

/** Undefined if a signature is invalid: an impersonated address has not signed. */
const recoverAll = (tx: Tx, signatures: readonly Uint8Array[], recover: RecoverSigner): Address[] | undefined =>
  unlessFault(() => signatures.map((signature) => recover(unsignedBytes(tx), signature)));
