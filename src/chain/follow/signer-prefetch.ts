import { type Tx, unsignedBytes } from '../../avm/tx/tx.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256 } from '../../base/bytes/hash.ts';
import type { RecoverSigner, SignerCache } from '../../base/crypto/recover.ts';
import { packRecoveryInputs, type RecoveryInput, unpackSigners } from '../../base/crypto/recovery-batch.ts';

/** Recovers the signers of whole blocks on another thread before verification. Recovery is half of the cost of a transaction. */
type SignerPrefetch = {
  /** Resolves when the signers of these transactions are recovered. */
  readonly prepare: (txs: readonly Tx[]) => Promise<void>;
  /** Returns a prepared signer, else recovers it on this thread. */
  readonly recover: RecoverSigner;
};

/** `recoverOnThread` takes and returns batches of base/crypto/recovery-batch.ts; it resolves to undefined if the thread failed. */
export function createSignerPrefetch(
  recoverOnThread: (batch: Uint8Array) => Promise<Uint8Array | undefined>,
  { recover, keys }: Pick<SignerCache, 'recover' | 'keys'>,
): SignerPrefetch {
  // Each signature object belongs to one transaction, so it identifies what it signs; the entry is collected together with it.
  const known = new WeakMap<Uint8Array, Address>();
  return {
    prepare: async (txs) => {
      const signed = txs.flatMap(signaturesOf);
      if (signed.length === 0) return;
      const results = await recoverOnThread(packRecoveryInputs(signed));
      if (results === undefined) return;
      const recovered = unpackSigners(results, keys);
      for (const [i, { signature }] of signed.entries()) {
        const signer = recovered[i];
        if (typeof signer === 'string') known.set(signature, signer);
      }
    },
    recover: (message, signature) => known.get(signature) ?? recover(message, signature),
  };
}

/** All signatures of a transaction. */
export function signaturesOf(tx: Tx): RecoveryInput[] {
  const hash = sha256(unsignedBytes(tx));
  return tx.credentials.flatMap((credential) =>
    'signatures' in credential ? credential.signatures.map((signature) => ({ hash, signature })) : [],
  );
}
