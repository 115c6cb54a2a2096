import { CodecError } from './fault.ts';

/** A cursor over bytes. Every read is checked; texts are those of the peer's wrappers.Packer and reflectcodec. */
export class Reader {
  readonly bytes: Buffer;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Moves on by `size` and gives the place it started from. `what` is the Go kind the peer names in its text. */
  take(size: number, what?: string): number {
    const at = this.offset;
    if (this.bytes.length - at < size) throw tooShort(what);
    this.offset = at + size;
    return at;
  }

  u8(what = 'uint8'): number {
    return this.bytes[this.take(1, what)] as number;
  }

  u16(what = 'uint16'): number {
    return this.bytes.readUInt16BE(this.take(2, what));
  }

  u32(what = 'uint32'): number {
    return this.bytes.readUInt32BE(this.take(4, what));
  }

  u64(what = 'uint64'): bigint {
    return this.bytes.readBigUInt64BE(this.take(8, what));
  }

  fixed(size: number, what?: string): Uint8Array {
    const at = this.take(size, what);
    return this.bytes.subarray(at, at + size);
  }

  /** Fixed bytes as lower-case hex: ids and addresses. */
  hex(size: number): string {
    const at = this.take(size);
    return this.bytes.toString('hex', at, at + size);
  }

  /** A list's length. Go counts in int32, so the upper half is refused whatever follows. */
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

const tooShort = (what: string | undefined) =>
  new CodecError(`${what === undefined ? '' : `couldn't unmarshal ${what}: `}packer has insufficient length for input`, {
    code: 'CODEC_TOO_SHORT',
  });
