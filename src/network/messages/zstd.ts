import zlib from 'node:zlib';
import { MessageError } from './fault.ts';

/**
 * Compresses with zstd at level 1. AvalancheGo uses level 5: peer lists and blocks get less than 1 % smaller by it, and take three to four times
 * as long. AvalancheGo: utils/compression/zstd_compressor.go.
 */
export function compressZstd(bytes: Uint8Array): Uint8Array {
  if (compressNative !== undefined) return compressNative(bytes, { level });
  return zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: level } });
}

const level = 1;

/** Bun's own functions, which take two fifths and a quarter of the time of `node:zlib`; undefined on Node. */
// biome-ignore lint/style/noRestrictedGlobals: both compress alike, and the codec has no argument for the runtime
const { zstdCompressSync: compressNative, zstdDecompressSync: decompressNative } = typeof Bun === 'undefined' ? {} : Bun;

/**
 * Decompresses one zstd frame to at most `max` bytes. A frame that declares more is rejected before anything is allocated; one that declares
 * no size is stopped at `max`. A declared size must be the real one: Bun returns the complete part of a truncated frame without an error.
 */
export function decompressZstd(bytes: Uint8Array, max: number): Uint8Array {
  const { declared, blocksAt, hasChecksum } = readHeader(bytes);
  if (declared !== undefined && declared > max)
    throw new MessageError(`decompressed message of ${declared} bytes exceeds ${max}`, {
      code: 'MESSAGE_TOO_LARGE',
      length: declared,
      max,
    });
  // Bun's function has no limit: it decompresses all frames to the sizes that they declare.
  const isNative = declared !== undefined && declared <= plausibleSize(bytes) && endsWithBlocks(bytes, blocksAt, hasChecksum);
  try {
    const out = isNative && decompressNative !== undefined ? decompressNative(bytes) : decompress(bytes, max, declared);
    if (declared === undefined || out.length === declared) return out;
  } catch {
    // As a frame of another size than it declares.
  }
  throw badCompression(declared ?? max);
}

function decompress(bytes: Uint8Array, max: number, declared = defaultChunk): Uint8Array {
  // One buffer of the declared size is faster than several.
  const chunkSize = Math.max(minChunk, Math.min(declared, plausibleSize(bytes)));
  return zlib.zstdDecompressSync(bytes, { maxOutputLength: max, chunkSize });
}

/** The largest buffer that is allocated because a message declares it: a short one must not cause a large one. */
const plausibleSize = (bytes: Uint8Array): number => Math.max(defaultChunk, 16 * bytes.length);

/** The smallest buffer that `node:zlib` allows, and its default. */
const minChunk = 64;
const defaultChunk = 16_384;

/** The header of a zstd frame (RFC 8878, 3.1.1.1): the content size if it is declared, and where the blocks begin. */
function readHeader(bytes: Uint8Array) {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (header.length < 6 || header.readUInt32LE(0) !== 0xfd2fb528) throw badCompression(0);
  const descriptor = header[4] as number;
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >>> 6;
  const at = 5 + (singleSegment ? 0 : 1) + (dictionaryIdSizes[descriptor & 3] as number);
  const size = sizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag;
  if (at + size > header.length) throw badCompression(0);
  return { declared: readSize(header, at, size), blocksAt: at + size, hasChecksum: (descriptor & 4) !== 0 };
}

function readSize(header: Buffer, at: number, size: number): number | undefined {
  if (size === 0) return undefined;
  if (size === 1) return header[at];
  if (size === 2) return header.readUInt16LE(at) + 256;
  return size === 4 ? header.readUInt32LE(at) : Number(header.readBigUInt64LE(at));
}

/** Whether nothing follows the blocks of the frame, and the checksum if it has one (RFC 8878, 3.1.1.2). */
function endsWithBlocks(bytes: Uint8Array, blocksAt: number, hasChecksum: boolean): boolean {
  let at = blocksAt;
  for (let isLast = false; !isLast; ) {
    if (at + 3 > bytes.length) return false;
    const header = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
    isLast = (header & 1) === 1;
    const isRepeatedByte = ((header >>> 1) & 3) === 1;
    at += 3 + (isRepeatedByte ? 1 : header >>> 3);
  }
  return at + (hasChecksum ? 4 : 0) === bytes.length;
}

const dictionaryIdSizes = [0, 1, 2, 4];

const badCompression = (length: number) => new MessageError('message is not valid zstd', { code: 'MESSAGE_BAD_COMPRESSION', length });
