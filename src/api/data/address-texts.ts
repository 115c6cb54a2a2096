import { processCaches } from '../../base/cache/cache-budget.ts';

/**
 * A cache of short ASCII texts by address, in flat arrays. A page shows hundreds of owners: looking up their bytes here takes a fraction of
 * the time of making a hex text of each and looking that up in a Map. An address is a hash, so its own bytes choose the bucket. A bucket
 * holds two entries; a new one replaces the older.
 */
export class AddressTexts {
  private readonly entryCount: number;
  // Allocated with the first entry: many nodes of a test suite have none.
  private keys = new Uint8Array(0);
  private sizes = new Uint8Array(0);
  /** The texts of all entries; see `offset`. */
  texts = new Uint8Array(0);

  constructor(maxBytes = processCaches.bytesOf('ownerTexts') / tables) {
    this.entryCount = maxBytes < 2 * entrySize ? 0 : Math.min(maxEntries, 2 ** Math.floor(Math.log2(maxBytes / entrySize)));
  }

  /** The entry of the address in `bytes` at `at`, or -1. Valid until the next `add`. */
  find(bytes: Uint8Array, at: number): number {
    const first = bucketOf(bytes, at) & (this.entryCount - 1);
    if (this.isEntry(first, bytes, at)) return first;
    return this.isEntry(first + 1, bytes, at) ? first + 1 : -1;
  }

  /** Where the text of an entry begins in `texts`. */
  offset(entry: number): number {
    return entry * maxTextSize;
  }

  size(entry: number): number {
    return this.sizes[entry] as number;
  }

  /** Adds the text of an address that has no entry. A text that is too long is not cached. */
  add(bytes: Uint8Array, at: number, text: string): void {
    if (text.length > maxTextSize || this.entryCount === 0) return;
    if (this.sizes.length === 0) this.allocate();
    const first = bucketOf(bytes, at) & (this.entryCount - 1);
    if (this.sizes[first] !== 0) this.move(first, first + 1);
    for (let i = 0; i < keySize; i++) this.keys[first * keySize + i] = bytes[at + i] as number;
    for (let i = 0; i < text.length; i++) this.texts[first * maxTextSize + i] = text.charCodeAt(i);
    this.sizes[first] = text.length;
  }

  private allocate(): void {
    this.keys = new Uint8Array(this.entryCount * keySize);
    this.sizes = new Uint8Array(this.entryCount);
    this.texts = new Uint8Array(this.entryCount * maxTextSize);
  }

  private isEntry(entry: number, bytes: Uint8Array, at: number): boolean {
    const { keys, sizes } = this;
    if (entry >= sizes.length || sizes[entry] === 0) return false;
    const start = entry * keySize;
    for (let i = 0; i < keySize; i++) if (keys[start + i] !== bytes[at + i]) return false;
    return true;
  }

  private move(from: number, to: number): void {
    this.keys.copyWithin(to * keySize, from * keySize, (from + 1) * keySize);
    this.texts.copyWithin(to * maxTextSize, from * maxTextSize, (from + 1) * maxTextSize);
    this.sizes[to] = this.sizes[from] as number;
  }
}

const keySize = 20;
/** An address with an HRP of up to 9 characters, or a public key in base64. */
const maxTextSize = 48;
/** Bytes of an entry. */
const entrySize = keySize + maxTextSize + 1;
/** Two bytes of an address choose its bucket. */
const maxEntries = 65_536;
/** The most of these tables in one server: one for each of two address prefixes (HRPs), and one for public keys. */
const tables = 3;

/** The first entry of the bucket of an address. */
const bucketOf = (bytes: Uint8Array, at: number): number => ((bytes[at] as number) << 8) | ((bytes[at + 1] as number) & 0xfe);
