import { hash } from 'node:crypto';

/** Bun's own SHA-256, which takes a third of the time of `node:crypto` for short inputs; undefined on Node. */
// biome-ignore lint/style/noRestrictedGlobals: the result is the same on every runtime, and all modules hash without an argument for it
const native = typeof Bun === 'undefined' ? undefined : Bun.SHA256;

/** Writes the sha256 of bytes into 32 bytes. */
export const sha256Into: (bytes: Uint8Array, into: Uint8Array) => void =
  native === undefined ? (bytes, into) => into.set(hash('sha256', bytes, 'buffer')) : (bytes, into) => void native.hash(bytes, into);

/**
 * Writes the sha256 of the first `length` bytes into 32 bytes. Short bytes are copied to a buffer with one view per length: a subarray of a
 * small array costs JavaScriptCore more than hashing it.
 */
export function sha256Prefix(bytes: Uint8Array, length: number, into: Uint8Array): void {
  if (bytes.length > copied.length) {
    sha256Into(bytes.subarray(0, length), into);
    return;
  }
  copied.set(bytes);
  let view = copiedViews[length];
  if (view === undefined) {
    view = copied.subarray(0, length);
    copiedViews[length] = view;
  }
  sha256Into(view, into);
}

const copied = new Uint8Array(1024);
const copiedViews: (Uint8Array | undefined)[] = [];

export const sha256 = (bytes: Uint8Array): Uint8Array => {
  const into = new Uint8Array(32);
  sha256Into(bytes, into);
  return into;
};

export const sha256Hex: (bytes: Uint8Array) => string =
  native === undefined ? (bytes) => hash('sha256', bytes, 'hex') : (bytes) => native.hash(bytes, 'hex');

/** ripemd160(sha256(bytes)), the hash of addresses and node IDs. AvalancheGo: utils/hashing, PubkeyBytesToAddress. */
export const hash160 = (bytes: Uint8Array): Uint8Array => hash('ripemd160', sha256(bytes), 'buffer');

/** The last four bytes of sha256: the checksum in CB58 and hex texts. */
export const checksum = (bytes: Uint8Array): Uint8Array => sha256(bytes).subarray(28);

export const checksumLength = 4;
