import { sha256 } from '../bytes/hash.ts';
import type { Signers } from '../crypto/recover.ts';
import { packSigned, type Signed, unpackSigners } from '../crypto/recovery-batch.ts';
import { signedPart, type Tx } from '../tx/tx.ts';

/**
 * Recovers the signers of whole blocks on another thread, so that the rules find them remembered. `ask` takes and gives what
 * crypto/recovery-batch.ts describes. The memory of `signers` must hold at least what is fetched ahead, or the work is done twice.
 */
export const signersAhead =
  (signers: Signers, ask: (batch: Uint8Array) => Promise<Uint8Array>) =>
  async (txs: readonly Tx[]): Promise<void> => {
    const signed = txs.flatMap(signaturesOf);
    if (signed.length === 0) return;
    const answered = unpackSigners(await ask(packSigned(signed)));
    for (const [i, { hash, signature }] of signed.entries()) {
      const signer = answered[i];
      if (signer !== undefined) signers.remember(hash, signature, signer);
    }
  };

function signaturesOf(tx: Tx): Signed[] {
  const hash = sha256(signedPart(tx));
  return tx.credentials.flatMap((credential) =>
    'signatures' in credential ? credential.signatures.map((signature) => ({ hash, signature })) : [],
  );
}
