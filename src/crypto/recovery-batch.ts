import { type Address, addressLength, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { Fault } from '../fault.ts';
import { type RecoverKey, recoverSigner } from './recover.ts';

/** A signature whose signer another thread recovers. Inputs and results of a batch are packed into one message each. */
export type RecoveryInput = { readonly hash: Uint8Array; readonly signature: Uint8Array };

const hashLength = 32;
const signatureLength = 65;
const inputLength = hashLength + signatureLength;
const resultLength = 1 + addressLength;

export const packRecoveryInputs = (all: readonly RecoveryInput[]): Uint8Array =>
  Buffer.concat(all.flatMap(({ hash, signature }) => [hash, signature]));

/** Recovers the signers of packed inputs; runs on the other thread. An invalid signature gives an empty result: the caller's rules report why. */
export function recoverBatch(recoverKey: RecoverKey, inputs: Uint8Array): Uint8Array {
  const count = inputs.length / inputLength;
  const results = new Uint8Array(count * resultLength);
  for (let i = 0; i < count; i++) {
    const at = i * inputLength;
    const signer = tryRecoverSigner(recoverKey, inputs.subarray(at, at + hashLength), inputs.subarray(at + hashLength, at + inputLength));
    if (signer === undefined) continue;
    results[i * resultLength] = 1;
    results.set(addressToBytes(signer), i * resultLength + 1);
  }
  return results;
}

export const unpackSigners = (results: Uint8Array): (Address | undefined)[] =>
  Array.from({ length: results.length / resultLength }, (_, i) => {
    const at = i * resultLength;
    return results[at] === 1 ? (toHex(results.subarray(at + 1, at + resultLength)) as Address) : undefined;
  });

function tryRecoverSigner(recoverKey: RecoverKey, hash: Uint8Array, signature: Uint8Array): Address | undefined {
  try {
    return recoverSigner(recoverKey, hash, signature);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
