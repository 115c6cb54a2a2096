import { malformed } from './fault.ts';

/** Wire types of protobuf. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** The largest field number of protobuf. */
const maxFieldNumber = 2 ** 29 - 1;

/** How deep unknown groups may be nested, as in Go's protobuf library. */
const maxGroupDepth = 10_000;

/**
 * A cursor over protobuf bytes. It accepts and rejects what Go's protobuf library does: varints of at most ten bytes, field numbers from 1 to
 * 2^29 - 1, known wire types. Byte fields are views: copy what outlives the frame.
 */
export class WireReader {
  readonly bytes: Buffer;
  offset: number;
  end: number;
  /** Field number and wire type of the last tag. */
  field = 0;
  wireType = 0;
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = 0;
    this.end = this.bytes.length;
  }

  /** Reads the next tag. Returns false at the end of the message. */
  nextTag(): boolean {
    if (this.offset >= this.end) return false;
    this.#varint();
    const field = this.#high * 2 ** 29 + (this.#low >>> 3);
    if (field < 1 || field > maxFieldNumber) throw malformed('field number');
    this.field = field;
    this.wireType = this.#low & 7;
    return true;
  }

  /** A varint cut to its low 32 bits, as Go does for uint32 and bool. */
  u32(): number {
    this.#varint();
    return this.#low;
  }

  u64(): bigint {
    this.#varint();
    return this.#high === 0 ? BigInt(this.#low) : (BigInt(this.#high) << 32n) | BigInt(this.#low);
  }

  bool(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  /** Reads a length and returns the offset after that many bytes. */
  lengthEnd(): number {
    this.#varint();
    if (this.#high !== 0 || this.#low > this.end - this.offset) throw malformed('length');
    return this.offset + this.#low;
  }

  /** A view of the next bytes, which are preceded by their length. */
  view(): Uint8Array {
    const end = this.lengthEnd();
    const view = this.bytes.subarray(this.offset, end);
    this.offset = end;
    return view;
  }

  /** Skips the value of the last tag: an unknown field, or a known one of another wire type. */
  skip(): void {
    if (this.wireType === wireTypes.startGroup) this.#skipGroup();
    else this.#skipValue();
  }

  #skipValue(): void {
    switch (this.wireType) {
      case wireTypes.varint:
        this.#varint();
        return;
      case wireTypes.fixed64:
        this.#advance(8);
        return;
      case wireTypes.bytes:
        this.offset = this.lengthEnd();
        return;
      case wireTypes.fixed32:
        this.#advance(4);
        return;
      default:
        throw malformed('wire type');
    }
  }

  #skipGroup(): void {
    const open = [this.field];
    while (open.length > 0) {
      if (!this.nextTag()) throw malformed('group');
      if (this.wireType === wireTypes.startGroup) {
        if (open.length >= maxGroupDepth) throw malformed('group');
        open.push(this.field);
      } else if (this.wireType !== wireTypes.endGroup) this.#skipValue();
      else if (open.pop() !== this.field) throw malformed('group');
    }
  }

  #advance(size: number): void {
    if (this.end - this.offset < size) throw malformed('length');
    this.offset += size;
  }

  /** Reads a varint into two halves of 32 bits. */
  #varint(): void {
    const { bytes, end } = this;
    let at = this.offset;
    let low = 0;
    let high = 0;
    for (let index = 0; index < 10; index++) {
      if (at >= end) throw malformed('varint');
      const byte = bytes[at++] as number;
      const bits = byte & 0x7f;
      if (index < 4) low |= bits << (7 * index);
      else if (index === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (7 * index - 32);
      if (byte < 0x80) {
        if (index === 9 && byte > 1) break;
        this.offset = at;
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw malformed('varint');
  }
}

/** Writes protobuf into a buffer of the exact size, which the caller computed before. */
export class WireWriter {
  readonly bytes: Buffer;
  #offset: number;

  constructor(bytes: Buffer, offset = 0) {
    this.bytes = bytes;
    this.#offset = offset;
  }

  /** A varint of up to 53 bits. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.#offset++] = (rest & 0x7f) | 0x80;
      rest = rest < 2 ** 31 ? rest >>> 7 : Math.floor(rest / 0x80);
    }
    this.bytes[this.#offset++] = rest;
  }

  varint64(value: bigint): void {
    if (value <= maxSafe) this.varint(Number(value));
    else {
      let rest = value;
      while (rest >= 0x80n) {
        this.bytes[this.#offset++] = Number(rest & 0x7fn) | 0x80;
        rest >>= 7n;
      }
      this.bytes[this.#offset++] = Number(rest);
    }
  }

  raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  hex(text: string): void {
    this.#offset += this.bytes.write(text, this.#offset, 'hex');
  }

  utf8(text: string): void {
    this.#offset += this.bytes.write(text, this.#offset, 'utf8');
  }
}

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** The size of a varint of up to 53 bits. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = rest < 2 ** 31 ? rest >>> 7 : Math.floor(rest / 0x80)) size++;
  return size;
}

export function varint64Size(value: bigint): number {
  if (value <= maxSafe) return varintSize(Number(value));
  let size = 1;
  for (let rest = value; rest >= 0x80n; rest >>= 7n) size++;
  return size;
}
