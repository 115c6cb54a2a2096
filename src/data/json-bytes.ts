import { createIdTextWriter, maxIdText } from '../bytes/id-text.ts';

const writeIdText = createIdTextWriter();

/**
 * A buffer in which JSON is written byte by byte, without texts in between. The buffer is reused for the next item and grows as needed.
 * Every method checks the space that it needs.
 */
export class JsonBytes {
  private buffer = Buffer.allocUnsafeSlow(initialSize);
  /** The same bytes: copying a part of a `Buffer` takes several times as long. */
  private plain = plainView(this.buffer);
  /** Number of bytes written. */
  length = 0;

  /** A copy of everything that `write` writes. It must not be called again within `write`. */
  collect(write: () => void): Uint8Array {
    this.length = 0;
    write();
    const collected = this.plain.slice(0, this.length);
    // A transaction with a thousand outputs needs a megabyte; others do not.
    if (this.buffer.length > retainedSize) this.use(Buffer.allocUnsafeSlow(initialSize));
    return collected;
  }

  private use(buffer: Buffer<ArrayBuffer>): void {
    this.buffer = buffer;
    this.plain = plainView(buffer);
  }

  private reserve(size: number): void {
    if (this.length + size <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.length + size));
    larger.set(this.buffer.subarray(0, this.length));
    this.use(larger);
  }

  bytes(bytes: Uint8Array): void {
    const { length } = bytes;
    this.reserve(length);
    const { buffer, length: at } = this;
    // For a few bytes a loop takes less time than the call of a built-in function.
    if (length <= maxLooped) for (let i = 0; i < length; i++) buffer[at + i] = bytes[i] as number;
    else buffer.set(bytes, at);
    this.length = at + length;
  }

  /** The bytes of `bytes` from `from` to `to`. For short parts only: a view of the part would cost more than copying it here. */
  part(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    const { buffer } = this;
    let at = this.length;
    for (let i = from; i < to; i++) buffer[at++] = bytes[i] as number;
    this.length = at;
  }

  /** Repeats `size` bytes that begin at `from` in what is written so far. */
  repeat(from: number, size: number): void {
    this.reserve(size);
    this.buffer.copyWithin(this.length, from, from + size);
    this.length += size;
  }

  /** Text of ASCII characters. */
  ascii(text: string): void {
    this.reserve(text.length);
    this.length += this.buffer.write(text, this.length, 'latin1');
  }

  /** Text of any characters. */
  text(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.buffer.write(text, this.length, 'utf8');
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  /** The CB58 text of the 32 bytes at `from`. */
  id(bytes: Uint8Array, from: number): void {
    this.reserve(maxIdText);
    this.length = writeIdText(bytes, from, this.buffer, this.length);
  }

  /** A whole number that is not negative, in decimal digits. */
  number(value: number | bigint): void {
    if (typeof value === 'bigint') {
      this.ascii(`${value}`);
      return;
    }
    this.reserve(maxDigits);
    if (value < billion) {
      this.digits(value, countDigits(value));
      return;
    }
    const billions = Math.floor(value / billion);
    this.digits(billions, countDigits(billions));
    this.digits(value - billions * billion, 9);
  }

  /** The last `count` digits of a number below a billion: 32-bit arithmetic. */
  private digits(value: number, count: number): void {
    const { buffer } = this;
    let rest = value | 0;
    for (let at = this.length + count - 1; at >= this.length; at--) {
      const next = (rest / 10) | 0;
      buffer[at] = zero + rest - next * 10;
      rest = next;
    }
    this.length += count;
  }

  hex(bytes: Uint8Array, from: number, to: number): void {
    this.reserve((to - from) * 2);
    const { buffer } = this;
    let at = this.length;
    for (let i = from; i < to; i++) {
      const value = bytes[i] as number;
      buffer[at] = hexDigits[value >> 4] as number;
      buffer[at + 1] = hexDigits[value & 15] as number;
      at += 2;
    }
    this.length = at;
  }

  base64(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(Math.ceil((to - from) / 3) * 4);
    const { buffer } = this;
    let at = this.length;
    for (let i = from; i < to; i += 3) {
      const second = i + 1 < to ? (bytes[i + 1] as number) : 0;
      const third = i + 2 < to ? (bytes[i + 2] as number) : 0;
      const value = ((bytes[i] as number) << 16) | (second << 8) | third;
      buffer[at] = base64Digits[value >> 18] as number;
      buffer[at + 1] = base64Digits[(value >> 12) & 63] as number;
      buffer[at + 2] = i + 1 < to ? (base64Digits[(value >> 6) & 63] as number) : padding;
      buffer[at + 3] = i + 2 < to ? (base64Digits[value & 63] as number) : padding;
      at += 4;
    }
    this.length = at;
  }
}

const plainView = ({ buffer, byteOffset, length }: Buffer<ArrayBuffer>): Uint8Array => new Uint8Array(buffer, byteOffset, length);

const initialSize = 65_536;
const retainedSize = 1_048_576;
const maxLooped = 24;
const zero = 0x30;
const billion = 1_000_000_000;
/** Digits of the largest safe integer. */
const maxDigits = 16;
const padding = 0x3d;
const hexDigits = Buffer.from('0123456789abcdef');
const base64Digits = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

/** Number of digits of a number below a billion. */
function countDigits(value: number): number {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) count++;
  return count;
}
