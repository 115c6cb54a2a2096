import zlib from 'node:zlib';
import { MessageError } from './fault.ts';

/**
 * Compresses with zstd at level 1. AvalancheGo uses level 5: peer lists and blocks get less than 1 % smaller by it, and take three to four times
 * as long. AvalancheGo: utils/compression/zstd_compressor.go.
 */
export function compressZstd(bytes: Uint8Array): Uint8Array {
  if (compressNative !== undefined) return compressNative(bytes, { level });
  requireZstd();
  return zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: level } });
}

const level = 1;

/** Bun's own function, which takes two fifths of the time of `node:zlib`; undefined on Node. */
// biome-ignore lint/style/noRestrictedGlobals: both compress alike, and the codec has no argument for the runtime
const compressNative = typeof Bun === 'undefined' ? undefined : Bun.zstdCompressSync;

/**
 * Decompresses one zstd frame to at most `max` bytes. A frame that declares more is rejected before anything is allocated; one that declares
 * no size is stopped at `max`. A declared size must be the real one: Bun returns the complete part of a truncated frame without an error.
 */
export function decompressZstd(bytes: Uint8Array, max: number): Uint8Array {
  requireZstd();
  const declared = declaredSize(bytes);
  if (declared !== undefined && declared > max)
    throw new MessageError(`decompressed message of ${declared} bytes exceeds ${max}`, {
      code: 'MESSAGE_TOO_LARGE',
      length: declared,
      max,
    });
  const out = decompress(bytes, max, declared);
  if (declared !== undefined && out.length !== declared) throw badCompression();
  return out;
}

/** The functions are looked up when they are called, so that Node below 22.15, which lacks them, can still load this file. */
function requireZstd(): void {
  if (typeof zlib.zstdDecompressSync !== 'function')
    throw new MessageError('this runtime has no zstd; use Bun, or Node 22.15 or newer', { code: 'MESSAGE_NO_ZSTD' });
}

function decompress(bytes: Uint8Array, max: number, declared = defaultChunk): Uint8Array {
  // One buffer of the declared size is faster than several, but a short message must not cause a large one.
  const chunkSize = Math.max(minChunk, Math.min(declared, Math.max(defaultChunk, 16 * bytes.length)));
  try {
    return zlib.zstdDecompressSync(bytes, { maxOutputLength: max, chunkSize });
  } catch {
    throw badCompression();
  }
}

/** The smallest buffer that `node:zlib` allows, and its default. */
const minChunk = 64;
const defaultChunk = 16_384;

/** The content size in the header of a zstd frame (RFC 8878, 3.1.1.1); undefined if the header has none. */
function declaredSize(bytes: Uint8Array): number | undefined {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (header.length < 6 || header.readUInt32LE(0) !== 0xfd2fb528) throw badCompression();
  const descriptor = header[4] as number;
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >>> 6;
  const at = 5 + (singleSegment ? 0 : 1) + (dictionaryIdSizes[descriptor & 3] as number);
  const size = sizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag;
  if (at + size > header.length) throw badCompression();
  if (size === 0) return undefined;
  if (size === 1) return header[at];
  if (size === 2) return header.readUInt16LE(at) + 256;
  return size === 4 ? header.readUInt32LE(at) : Number(header.readBigUInt64LE(at));
}

const dictionaryIdSizes = [0, 1, 2, 4];

const badCompression = () => new MessageError('message is not valid zstd', { code: 'MESSAGE_BAD_COMPRESSION' });
