/**
 * The part of Node's Buffer that bytes, codec, tx and wallet use, for browsers: tools/build.ts puts it in place of Buffer in `serac/codec`.
 * Tests compare it with Buffer.
 */
export class PortableBuffer extends Uint8Array {
  static alloc(size: number): PortableBuffer {
    return new PortableBuffer(size);
  }

  static allocUnsafe(size: number): PortableBuffer {
    return new PortableBuffer(size);
  }

  static override from(source: unknown, encodingOrOffset?: unknown, length?: unknown): PortableBuffer {
    if (typeof source === 'string') return new PortableBuffer(encode(source, encodingOrOffset as PortableEncoding | undefined));
    if (source instanceof ArrayBuffer) return new PortableBuffer(source, encodingOrOffset as number, length as number);
    return new PortableBuffer(source as Uint8Array);
  }

  static concat(parts: readonly Uint8Array[]): PortableBuffer {
    const out = new PortableBuffer(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }

  static compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
    const length = Math.min(a.length, b.length);
    for (let i = 0; i < length; i++) {
      const difference = (a[i] as number) - (b[i] as number);
      if (difference !== 0) return difference < 0 ? -1 : 1;
    }
    return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
  }

  static byteLength(text: string): number {
    return utf8.encode(text).length;
  }

  override toString(encoding: PortableEncoding = 'utf8', from = 0, to = this.length): string {
    return decode(Uint8Array.prototype.subarray.call(this, from, to), encoding);
  }

  /** `write(text, at, encoding)` or `write(text, at, length, encoding)`. Returns the number of bytes written. */
  write(text: string, at: number, lengthOrEncoding: number | PortableEncoding, encoding?: PortableEncoding): number {
    const max = typeof lengthOrEncoding === 'number' ? lengthOrEncoding : this.length - at;
    const bytes = encode(text, typeof lengthOrEncoding === 'number' ? encoding : lengthOrEncoding).subarray(0, max);
    this.set(bytes, at);
    return bytes.length;
  }

  latin1Write(text: string, at: number, length: number): number {
    return this.write(text, at, length, 'latin1');
  }

  latin1Slice(from: number, to: number): string {
    return this.toString('latin1', from, to);
  }

  copy(target: Uint8Array, at: number, from: number, to: number): number {
    target.set(Uint8Array.prototype.subarray.call(this, from, to), at);
    return to - from;
  }

  readUInt16BE(at: number): number {
    return viewOf(this).getUint16(at);
  }

  readUInt32BE(at: number): number {
    return viewOf(this).getUint32(at);
  }

  readBigUInt64BE(at: number): bigint {
    return viewOf(this).getBigUint64(at);
  }

  writeUInt8(value: number, at = 0): void {
    viewOf(this).setUint8(at, checkUint(value, 8));
  }

  writeUInt16BE(value: number, at = 0): void {
    viewOf(this).setUint16(at, checkUint(value, 16));
  }

  writeUInt32BE(value: number, at = 0): void {
    viewOf(this).setUint32(at, checkUint(value, 32));
  }

  writeBigUInt64BE(value: bigint, at = 0): void {
    if (value < 0n || value > 0xffffffffffffffffn) throw new RangeError(`${value} is not a uint64`);
    viewOf(this).setBigUint64(at, value);
  }
}

type PortableEncoding = 'hex' | 'utf8' | 'ascii' | 'latin1' | 'utf16le';

const utf8 = new TextEncoder();
const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView => new DataView(buffer, byteOffset, byteLength);

function checkUint(value: number, bits: number): number {
  if (value >= 0 && value < 2 ** bits) return value;
  throw new RangeError(`${value} is not a uint${bits}`);
}

const encoders: { readonly [E in PortableEncoding]: (text: string) => Uint8Array } = {
  utf8: (text) => utf8.encode(text),
  ascii: (text) => Uint8Array.from(text, (char) => char.charCodeAt(0)),
  latin1: (text) => {
    const out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
  },
  utf16le: (text) => {
    const out = new Uint8Array(text.length * 2);
    for (let i = 0; i < text.length; i++) viewOf(out).setUint16(i * 2, text.charCodeAt(i), true);
    return out;
  },
  // As Node's decoder: stops at the first bad digit, and ignores a digit without its pair.
  hex: (text) => {
    const end = text.search(/[^0-9a-fA-F]/);
    const out = new Uint8Array((end < 0 ? text.length : end) >> 1);
    for (let i = 0; i < out.length; i++) out[i] = Number.parseInt(text.slice(i * 2, i * 2 + 2), 16);
    return out;
  },
};

const decoders: { readonly [E in PortableEncoding]: (bytes: Uint8Array) => string } = {
  // A byte order mark is a character like every other one.
  utf8: (bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
  ascii: (bytes) => fromCodes(bytes),
  latin1: (bytes) => fromCodes(bytes),
  utf16le: (bytes) => new TextDecoder('utf-16le', { ignoreBOM: true }).decode(bytes),
  hex: (bytes) => {
    let out = '';
    for (const byte of bytes) out += byte.toString(16).padStart(2, '0');
    return out;
  },
};

const encode = (text: string, encoding: PortableEncoding = 'utf8'): Uint8Array => encoders[encoding](text);
const decode = (bytes: Uint8Array, encoding: PortableEncoding): string => decoders[encoding](bytes);

function fromCodes(bytes: Uint8Array): string {
  let out = '';
  for (const byte of bytes) out += String.fromCharCode(byte);
  return out;
}
