import { createRepeatedHex } from '../bytes/hex.ts';
import { CodecError } from './fault.ts';

/** A cursor over bytes. Every read is bounds-checked. AvalancheGo: utils/wrappers/packing.go and codec/reflectcodec (error texts). */
export class Reader {
  readonly bytes: Uint8Array;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
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
    const at = this.advance(2, goKind);
    return ((this.bytes[at] as number) << 8) | (this.bytes[at + 1] as number);
  }

  u32(goKind = 'uint32'): number {
    return this.u32At(this.advance(4, goKind));
  }

  u64(goKind = 'uint64'): bigint {
    const at = this.advance(8, goKind);
    const [high, low] = [this.u32At(at), this.u32At(at + 4)];
    // Most amounts and all times are below 2^53: then one bigint is made in place of four.
    return high < 2 ** 21 ? BigInt(high * 2 ** 32 + low) : (BigInt(high) << 32n) | BigInt(low);
  }

  private u32At(at: number): number {
    const { bytes } = this;
    return (
      (((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>>
      0
    );
  }

  fixed(size: number, goKind?: string): Uint8Array {
    const at = this.advance(size, goKind);
    // Nearly all memos are empty: they share one array.
    return size === 0 ? noBytes : this.bytes.subarray(at, at + size);
  }

  /** An id as lower-case hex. */
  id(): string {
    return hexOfId(this.bytes, this.advance(32));
  }

  /** An address as lower-case hex. */
  address(): string {
    return hexOfAddress(this.bytes, this.advance(20));
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

const hexOfId = createRepeatedHex(32);
const hexOfAddress = createRepeatedHex(20);

const noBytes = new Uint8Array(0);

const maxCount = 2147483647;

const tooShort = (goKind: string | undefined) =>
  new CodecError(`${goKind === undefined ? '' : `couldn't unmarshal ${goKind}: `}packer has insufficient length for input`, {
    code: 'CODEC_TOO_SHORT',
  });
