import { CodecError } from './fault.ts';

/** A cursor over bytes. Every read is bounds-checked. AvalancheGo: utils/wrappers/packing.go and codec/reflectcodec (error texts). */
export class Reader {
  readonly bytes: Uint8Array;
  /** The same bytes. Private, so that the declarations of `serac/codec` do not need the types of Node. */
  private readonly buffer: Buffer;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.bytes = this.buffer;
  }

  /** Advances by `size` and returns the old offset. `goKind` is the Go kind in AvalancheGo's error text. */
  advance(size: number, goKind?: string): number {
    const at = this.offset;
    if (this.bytes.length - at < size) throw tooShort(goKind);
    this.offset = at + size;
    return at;
  }

  u8(goKind = 'uint8'): number {
    return this.bytes[this.advance(1, goKind)] as number;
  }

  u16(goKind = 'uint16'): number {
    return this.buffer.readUInt16BE(this.advance(2, goKind));
  }

  u32(goKind = 'uint32'): number {
    return this.buffer.readUInt32BE(this.advance(4, goKind));
  }

  u64(goKind = 'uint64'): bigint {
    return this.buffer.readBigUInt64BE(this.advance(8, goKind));
  }

  fixed(size: number, goKind?: string): Uint8Array {
    const at = this.advance(size, goKind);
    return this.bytes.subarray(at, at + size);
  }

  /** Fixed bytes as lower-case hex: ids and addresses. */
  hex(size: number): string {
    const at = this.advance(size);
    return this.buffer.toString('hex', at, at + size);
  }

  /** Reads the length of a list. Go counts in int32, so larger values are rejected. */
  count(): number {
    const count = this.u32('slice');
    if (count > maxCount)
      throw new CodecError(`max slice length exceeded; array length, ${count}, exceeds maximum length, ${maxCount}`, {
        code: 'CODEC_LIST_TOO_LONG',
        count,
      });
    return count;
  }
}

const maxCount = 2147483647;

const tooShort = (goKind: string | undefined) =>
  new CodecError(`${goKind === undefined ? '' : `couldn't unmarshal ${goKind}: `}packer has insufficient length for input`, {
    code: 'CODEC_TOO_SHORT',
  });
