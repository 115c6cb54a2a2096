import type { Codec } from './codec.ts';
import { CodecError } from './fault.ts';
import { Reader } from './reader.ts';
import { Writer } from './writer.ts';

/** The codec version of all but the stop vertex. It is written once, before the outermost value. */
export const codecVersion = 0;
export const versionSize = 2;

/** Size limits of AvalancheGo's two codecs. AvalancheGo: codec/manager.go, defaultMaxSize; vms/avm/txs/parser.go (genesis codec). */
export const maxBytes = 256 * 1024;
export const maxGenesisBytes = 2 ** 31 - 1;

export function pack<T>(codec: Codec<T>, value: T, version = codecVersion): Uint8Array {
  // Taken while it is in use: a codec may pack another value, and a failed one leaves it behind.
  const writer = idleWriter ?? new Writer();
  idleWriter = undefined;
  writer.u16(version);
  codec.write(writer, value);
  const packed = writer.finish();
  if (packed.length <= maxIdleBytes) {
    writer.clear();
    idleWriter = writer;
  }
  return packed;
}

/** The buffer of the last value, used again: it is several times as large as a packed output. */
let idleWriter: Writer | undefined;
const maxIdleBytes = 64 * 1024;

/** Decodes a value. Rejects oversized input, another version, missing and trailing bytes, in AvalancheGo's order. */
export function unpack<T>(codec: Codec<T>, bytes: Uint8Array, max = maxBytes, version = codecVersion): T {
  if (bytes.length > max)
    throw new CodecError(`byte array exceeds maximum length: ${bytes.length} > ${max}`, {
      code: 'CODEC_TOO_LARGE',
      size: bytes.length,
      max,
    });
  if (bytes.length < versionSize) throw new CodecError("couldn't unpack codec version", { code: 'CODEC_VERSION' });
  const reader = new Reader(bytes);
  if (reader.u16() !== version) throw new CodecError('unknown codec version', { code: 'CODEC_VERSION' });
  const value = codec.read(reader);
  if (reader.offset !== bytes.length)
    throw new CodecError(`trailing buffer space: read ${reader.offset} provided ${bytes.length}`, {
      code: 'CODEC_TRAILING_BYTES',
      read: reader.offset,
      provided: bytes.length,
    });
  return value;
}
