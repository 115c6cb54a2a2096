import { packagedCurve } from './curve-packaged.ts';
import { openSystemCurve } from './curve-system.ts';
import type { RecoverKey } from './recover.ts';

/** Key recovery by the libsecp256k1 of the `secp256k1` package, of 2019: about 80 µs per key, twenty times faster than JavaScript. */
export const recoverPackaged: RecoverKey = (hash, signature, recoveryID) => {
  try {
    return packagedCurve().ecdsaRecover(signature, recoveryID, hash, true);
  } catch {
    return undefined;
  }
};

/**
 * Key recovery by the system's libsecp256k1 if there is one, else by the packaged one. Where npm has no prebuilt package and no compiler (Linux arm64), the
 * package falls back to JavaScript, so that `issueTx` takes twice as long. Elsewhere the system's library takes 88 in place of 120 µs per key, a tenth of
 * the CPU time of an accepted transaction (2026-11-18).
 */
export const recoverNative: RecoverKey = (hash, signature, recoveryID) => {
  chosen ??= chooseCurve(openSystemCurve());
  return chosen(hash, signature, recoveryID);
};

/** Chosen when the first key is recovered: a node that only starts, or only reads, needs none. */
let chosen: RecoverKey | undefined;

/** The system's library, unless it disagrees with the packaged one about a signature. */
export function chooseCurve(system: RecoverKey | undefined): RecoverKey {
  if (system === undefined) return recoverPackaged;
  const [hash, secret] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const { ecdsaSign, publicKeyCreate } = packagedCurve();
  const { signature, recid } = ecdsaSign(hash, secret);
  const key = system(hash, signature, recid);
  return key !== undefined && Buffer.compare(key, publicKeyCreate(secret, true)) === 0 ? system : recoverPackaged;
}
