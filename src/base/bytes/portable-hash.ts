import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { toHex } from './hex.ts';

/** The functions of hash.ts in JavaScript, for browsers: tools/build.ts puts this file in its place in `serac/codec`. Tests compare the two. */

export const sha256Into = (bytes: Uint8Array, into: Uint8Array): void => into.set(nobleSha256(bytes));

export const sha256Prefix = (bytes: Uint8Array, length: number, into: Uint8Array): void => into.set(nobleSha256(bytes.subarray(0, length)));

export const sha256 = (bytes: Uint8Array): Uint8Array => nobleSha256(bytes);

export const sha256Hex = (bytes: Uint8Array): string => toHex(nobleSha256(bytes));

export const hash160 = (bytes: Uint8Array): Uint8Array => ripemd160(nobleSha256(bytes));

export const checksum = (bytes: Uint8Array): Uint8Array => sha256(bytes).subarray(28);

export const checksumLength = 4;
