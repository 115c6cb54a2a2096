import { checksumLength, sha256Prefix } from './hash.ts';

/** Whether the last four bytes are the checksum of those before them. */
export function endsWithChecksum(bytes: Uint8Array): boolean {
  const size = bytes.length - checksumLength;
  if (size < 0) return false;
  sha256Prefix(bytes, size, hashed);
  for (let i = 0; i < checksumLength; i++) if (bytes[size + i] !== hashed[hashed.length - checksumLength + i]) return false;
  return true;
}

/** Replaces the last four bytes by the checksum of those before them. */
export function writeChecksumAtEnd(bytes: Uint8Array): void {
  const size = bytes.length - checksumLength;
  sha256Prefix(bytes, size, hashed);
  for (let i = 0; i < checksumLength; i++) bytes[size + i] = hashed[hashed.length - checksumLength + i] as number;
}

/** A copy of the bytes, followed by their checksum. */
export function withChecksum(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes.length + checksumLength);
  copy.set(bytes);
  writeChecksumAtEnd(copy);
  return copy;
}

const hashed = new Uint8Array(32);
