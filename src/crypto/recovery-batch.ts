import { type Address, addressLength, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { Fault } from '../fault.ts';
import type { RecoverKey } from './curve.ts';
import { recoverSigner } from './recover.ts';

/** Signatures on their way to another thread and signers on their way back, as plain bytes: one message for many. */
export type Signed = { readonly hash: Uint8Array; readonly signature: Uint8Array };

const hashLength = 32;
const signatureLength = 65;
const askedLength = hashLength + signatureLength;
const answeredLength = 1 + addressLength;

export const packSigned = (all: readonly Signed[]): Uint8Array => Buffer.concat(all.flatMap(({ hash, signature }) => [hash, signature]));

/** The other thread's work. What has no signer comes back empty: whoever asked will find out why by itself. */
export function recoverBatch(recoverKey: RecoverKey, asked: Uint8Array): Uint8Array {
  const count = asked.length / askedLength;
  const answered = new Uint8Array(count * answeredLength);
  for (let i = 0; i < count; i++) {
    const at = i * askedLength;
    const signer = signerOrNone(recoverKey, asked.subarray(at, at + hashLength), asked.subarray(at + hashLength, at + askedLength));
    if (signer === undefined) continue;
    answered[i * answeredLength] = 1;
    answered.set(addressToBytes(signer), i * answeredLength + 1);
  }
  return answered;
}

export const unpackSigners = (answered: Uint8Array): (Address | undefined)[] =>
  Array.from({ length: answered.length / answeredLength }, (_, i) => {
    const at = i * answeredLength;
    return answered[at] === 1 ? (toHex(answered.subarray(at + 1, at + answeredLength)) as Address) : undefined;
  });

function signerOrNone(recoverKey: RecoverKey, hash: Uint8Array, signature: Uint8Array): Address | undefined {
  try {
    return recoverSigner(recoverKey, hash, signature);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
