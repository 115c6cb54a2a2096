import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { RecoverKey } from './curve.ts';

/** Pure JavaScript: where no prebuilt library exists, and the oracle of the native one in tests. */
export const recoverPortable: RecoverKey = (hash, signature, recoveryID) => {
  try {
    return secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(recoveryID).recoverPublicKey(hash).toBytes(true);
  } catch {
    return undefined;
  }
};
