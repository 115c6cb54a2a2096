/**
 * PostgreSQL's hash of a byte string, by which Citus finds the shard of a key (`hash_bytes` in PostgreSQL's hashfn.c: Bob Jenkins' lookup3), as a signed
 * 32-bit integer.
 */
export function hashBytes(key: Uint8Array): number {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  let a = (0x9e37_79b9 + key.length + 3_923_095) | 0;
  let b = a;
  let c = a;
  let at = 0;
  for (; key.length - at >= 12; at += 12) {
    a = (a + view.getInt32(at, true)) | 0;
    b = (b + view.getInt32(at + 4, true)) | 0;
    c = (c + view.getInt32(at + 8, true)) | 0;
    a = (a - c) ^ rotate(c, 4);
    c = (c + b) | 0;
    b = (b - a) ^ rotate(a, 6);
    a = (a + c) | 0;
    c = (c - b) ^ rotate(b, 8);
    b = (b + a) | 0;
    a = (a - c) ^ rotate(c, 16);
    c = (c + b) | 0;
    b = (b - a) ^ rotate(a, 19);
    a = (a + c) | 0;
    c = (c - b) ^ rotate(b, 4);
    b = (b + a) | 0;
  }
  for (let i = 0; at + i < key.length; i++) {
    const byte = key[at + i] as number;
    if (i < 4) a = (a + (byte << (8 * i))) | 0;
    else if (i < 8) b = (b + (byte << (8 * (i - 4)))) | 0;
    // The lowest byte of c belongs to the length.
    else c = (c + (byte << (8 * (i - 7)))) | 0;
  }
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}

/** The same of a bigint (`hashint8`), for a safe integer: small numbers have the hash that they have as a 32-bit integer. */
export function hashBigint(key: number): number {
  const high = Math.floor(key / 2 ** 32);
  const folded = new DataView(new ArrayBuffer(4));
  folded.setInt32(0, (key - high * 2 ** 32) ^ (key >= 0 ? high : ~high), true);
  return hashBytes(new Uint8Array(folded.buffer));
}

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));
