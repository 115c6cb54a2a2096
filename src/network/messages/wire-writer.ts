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
