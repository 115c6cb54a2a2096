import { type Address, addressLength } from '../bytes/address.ts';
import { hash160 } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import { type RecoverKey, recoverPublicKey, SignatureError, type SignatureFault, signatureFaults } from './recover.ts';
import { publicKeyLength, type SignerKeys } from './signer-keys.ts';

/** A signature whose signer another thread recovers. Inputs and results of a batch are packed into one message each. */
export type RecoveryInput = { readonly hash: Uint8Array; readonly signature: Uint8Array };

const hashLength = 32;
const signatureLength = 65;
const inputLength = hashLength + signatureLength;
/** A result: 1 for a valid signature, then the address and the public key of its signer; else 2 plus the index of its fault. */
const resultLength = 1 + addressLength + publicKeyLength;
const firstFault = 2;

/** The signer of a signature, or why it has none. */
export type RecoveredSigner = Address | SignatureFault;

export function packRecoveryInputs(all: readonly RecoveryInput[]): Uint8Array {
  const packed = new Uint8Array(all.length * inputLength);
  for (let i = 0; i < all.length; i++) {
    const { hash, signature } = all[i] as RecoveryInput;
    packed.set(hash, i * inputLength);
    packed.set(signature, i * inputLength + hashLength);
  }
  return packed;
}

/** Recovers the signers of packed inputs; runs on the other thread. */
export function recoverBatch(recoverKey: RecoverKey, inputs: Uint8Array): Uint8Array {
  const count = inputs.length / inputLength;
  const results = new Uint8Array(count * resultLength);
  for (let i = 0; i < count; i++) {
    const at = i * inputLength;
    const key = tryRecoverKey(recoverKey, inputs.subarray(at, at + hashLength), inputs.subarray(at + hashLength, at + inputLength));
    if (key instanceof SignatureError) {
      results[i * resultLength] = firstFault + signatureFaults.findIndex(({ code }) => code === key.fault.code);
      continue;
    }
    results[i * resultLength] = 1;
    results.set(hash160(key), i * resultLength + 1);
    results.set(key, i * resultLength + 1 + addressLength);
  }
  return results;
}

/** The signers of a batch of results; adds their public keys to `keys`. */
export const unpackSigners = (results: Uint8Array, keys?: SignerKeys): RecoveredSigner[] =>
  Array.from({ length: results.length / resultLength }, (_, i) => {
    const at = i * resultLength;
    if (results[at] !== 1) return signatureFaults[(results[at] as number) - firstFault] as SignatureFault;
    const keyAt = at + 1 + addressLength;
    const signer = toHex(results.subarray(at + 1, keyAt)) as Address;
    keys?.add(signer, results, keyAt);
    return signer;
  });

function tryRecoverKey(recoverKey: RecoverKey, hash: Uint8Array, signature: Uint8Array): Uint8Array | SignatureError {
  try {
    return recoverPublicKey(recoverKey, hash, signature);
  } catch (error) {
    if (error instanceof SignatureError) return error;
    throw error;
  }
}
