import type { Address } from '../bytes/address.ts';
import { sha256 } from '../bytes/hash.ts';
import type { RecoverSigner } from '../crypto/recover.ts';
import { packSigned, type Signed, unpackSigners } from '../crypto/recovery-batch.ts';
import { signedPart, type Tx } from '../tx/tx.ts';

/** Signers of whole blocks, recovered on another thread before the rules ask for them: half of what a transaction costs. */
export type SignersAhead = {
  /** Resolves when the signers of these are known. */
  readonly prepare: (txs: readonly Tx[]) => Promise<void>;
  /** For the rules: what was prepared, else recovered here and now. */
  readonly recover: RecoverSigner;
};

/** `ask` takes and gives what crypto/recovery-batch.ts describes; undefined if the other thread cannot. */
export function signersAhead(ask: (batch: Uint8Array) => Promise<Uint8Array | undefined>, recover: RecoverSigner): SignersAhead {
  // A signature belongs to the one transaction it was read with, so it stands for what it signs, and is forgotten together with it.
  const known = new WeakMap<Uint8Array, Address>();
  return {
    prepare: async (txs) => {
      const signed = txs.flatMap(signaturesOf);
      if (signed.length === 0) return;
      const answer = await ask(packSigned(signed));
      if (answer === undefined) return;
      const answered = unpackSigners(answer);
      for (const [i, { signature }] of signed.entries()) {
        const signer = answered[i];
        if (signer !== undefined) known.set(signature, signer);
      }
    },
    recover: (message, signature) => known.get(signature) ?? recover(message, signature),
  };
}

function signaturesOf(tx: Tx): Signed[] {
  const hash = sha256(signedPart(tx));
  return tx.credentials.flatMap((credential) =>
    'signatures' in credential ? credential.signatures.map((signature) => ({ hash, signature })) : [],
  );
}
