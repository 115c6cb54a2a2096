import { hash } from 'node:crypto';

export const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');

export const sha256Hex = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');

/** ripemd160(sha256(bytes)), the hash of addresses and node IDs. AvalancheGo: utils/hashing, PubkeyBytesToAddress. */
export const hash160 = (bytes: Uint8Array): Uint8Array => hash('ripemd160', sha256(bytes), 'buffer');

/** The last four bytes of sha256: the checksum in CB58 and hex texts. */
export const checksum = (bytes: Uint8Array): Uint8Array => sha256(bytes).subarray(28);

export const checksumLength = 4;
