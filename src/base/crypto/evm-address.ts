import { keccak_256 } from '@noble/hashes/sha3.js';
import { toHex } from '../bytes/hex.ts';
import { packagedCurve } from './curve-packaged.ts';

/**
 * The address that a private key has on the C-Chain and on other EVM chains, as 40 lower-case hex digits. Its bytes are a Keccak hash of the public
 * key; those of an X-Chain address are another hash, so neither can be computed from the other.
 */
export const evmAddressOf = (secret: Uint8Array): string =>
  // The first byte of an uncompressed public key is its format.
  toHex(keccak_256(packagedCurve().publicKeyCreate(secret, false).subarray(1)).subarray(12));
