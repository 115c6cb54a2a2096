import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { RecoverKey } from './recover.ts';

/** Key recovery in pure JavaScript, compared with the native one in tests. (The native package has its own JavaScript fallback.) */
export const recoverPortable: RecoverKey = (hash, signature, recoveryID) => {
  try {
    return secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(recoveryID).recoverPublicKey(hash).toBytes(true);
  } catch {
    return undefined;
  }
};
