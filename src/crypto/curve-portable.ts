import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { RecoverKey } from './curve.ts';

/** Pure JavaScript: the oracle of the native one in tests. (The native package falls back to JavaScript by itself where it has no library.) */
export const recoverPortable: RecoverKey = (hash, signature, recoveryID) => {
  try {
    return secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(recoveryID).recoverPublicKey(hash).toBytes(true);
  } catch {
    return undefined;
  }
};
