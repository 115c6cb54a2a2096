import { createDigitPairs } from '../../base/bytes/digit-pairs.ts';
import { createIdTextWriter, maxIdText } from '../../base/bytes/id-text.ts';

const writeIdText = createIdTextWriter();

/**
 * A buffer in which JSON is written byte by byte, without texts in between. The buffer is reused for the next item and grows as needed.
 * Every method checks the space that it needs.
 */
export class JsonBytes {
  /** The bytes. Not a `Buffer`: writing and copying its bytes takes twice as long. */
  private bytesWritten = new Uint8Array(initialSize);
  /** The same bytes as a `Buffer`, for texts. */
  private textBuffer = asBuffer(this.bytesWritten);
  /** Number of bytes written. */
  private length = 0;

  /** A copy of everything that `write` writes. It must not be called again within `write`. */
  collect(write: () => void): Uint8Array {
    this.length = 0;
    write();
    const collected = this.bytesWritten.slice(0, this.length);
    // A transaction with a thousand outputs needs a megabyte; others do not.
    if (this.bytesWritten.length > retainedSize) this.use(new Uint8Array(initialSize));
    return collected;
  }

  private use(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytesWritten = bytes;
    this.textBuffer = asBuffer(bytes);
  }

  private reserve(size: number): void {
    if (this.length + size <= this.bytesWritten.length) return;
    const larger = new Uint8Array(Math.max(this.bytesWritten.length * 2, this.length + size));
    larger.set(this.bytesWritten.subarray(0, this.length));
    this.use(larger);
  }

  bytes(bytes: Uint8Array): void {
    const { length } = bytes;
    this.reserve(length);
    const { bytesWritten: buffer, length: at } = this;
    if (length <= maxLooped) for (let i = 0; i < length; i++) buffer[at + i] = bytes[i] as number;
    else buffer.set(bytes, at);
    this.length = at + length;
  }

  /** Text of ASCII characters. */
  ascii(text: string): void {
    const { length } = text;
    this.reserve(length);
    const { bytesWritten: buffer, length: at } = this;
    if (length <= maxLooped) for (let i = 0; i < length; i++) buffer[at + i] = text.charCodeAt(i);
    else this.textBuffer.write(text, at, 'latin1');
    this.length = at + length;
  }

  /** Text of any characters. */
  text(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.textBuffer.write(text, this.length, 'utf8');
  }

  /** The CB58 text of the 32 bytes at `from`. */
  id(bytes: Uint8Array, from: number): void {
    this.reserve(maxIdText);
    this.length = writeIdText(bytes, from, this.bytesWritten, this.length);
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
    const { bytesWritten: buffer } = this;
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
    const { bytesWritten: buffer } = this;
    let at = this.length;
    for (let i = from; i < to; i++) {
      const value = bytes[i] as number;
      buffer[at] = firstHexDigit[value] as number;
      buffer[at + 1] = secondHexDigit[value] as number;
      at += 2;
    }
    this.length = at;
  }

  base64(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(Math.ceil((to - from) / 3) * 4);
    const { bytesWritten: buffer } = this;
    let at = this.length;
    let i = from;
    for (; i + 2 < to; i += 3) {
      const middle = bytes[i + 1] as number;
      const high = ((bytes[i] as number) << 4) | (middle >> 4);
      const low = ((middle & 15) << 8) | (bytes[i + 2] as number);
      buffer[at] = firstOfPair[high] as number;
      buffer[at + 1] = secondOfPair[high] as number;
      buffer[at + 2] = firstOfPair[low] as number;
      buffer[at + 3] = secondOfPair[low] as number;
      at += 4;
    }
    if (i < to) {
      const middle = i + 1 < to ? (bytes[i + 1] as number) : 0;
      const high = ((bytes[i] as number) << 4) | (middle >> 4);
      buffer[at] = firstOfPair[high] as number;
      buffer[at + 1] = secondOfPair[high] as number;
      buffer[at + 2] = i + 1 < to ? (firstOfPair[(middle & 15) << 8] as number) : padding;
      buffer[at + 3] = padding;
      at += 4;
    }
    this.length = at;
  }
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Buffer => Buffer.from(buffer, byteOffset, length);

const initialSize = 65_536;
const retainedSize = 1_048_576;
/** For this many bytes a loop takes less time than the call of a built-in function. */
const maxLooped = 48;
const zero = 0x30;
const billion = 1_000_000_000;
/** Digits of the largest safe integer. */
const maxDigits = 16;
const padding = 0x3d;

/** The two hex digits of a byte. */
const { first: firstHexDigit, second: secondHexDigit } = createDigitPairs(Buffer.from('0123456789abcdef'));
/** The two base64 digits of twelve bits. */
const { first: firstOfPair, second: secondOfPair } = createDigitPairs(
  Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'),
);

/** Number of digits of a number below a billion. */
function countDigits(value: number): number {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) count++;
  return count;
}
