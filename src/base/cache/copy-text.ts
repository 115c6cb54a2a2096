/**
 * Copies a text so that the copy shares no memory with it. A substring keeps the whole string it comes from alive, so a cache whose key is a
 * substring of a request would hold the entire request body. Every cache that takes text from outside copies its keys, on insertion only.
 */
export function copyText(text: string): string {
  const bytes = text.length <= scratch.length ? scratch : Buffer.allocUnsafe(text.length);
  latin1Write.call(bytes, text, 0, text.length);
  const copy = latin1Slice.call(bytes, 0, text.length);
  // Nearly every text is Latin-1. One that is not comes back changed and is copied as UTF-16.
  return copy === text ? copy : Buffer.from(text, 'utf16le').toString('utf16le');
}

/** The functions that Buffer's write and toString call for latin1; calling them directly costs half. */
const { latin1Write, latin1Slice } = Buffer.prototype as unknown as {
  latin1Write(this: Uint8Array, text: string, at: number, length: number): number;
  latin1Slice(this: Uint8Array, from: number, to: number): string;
};

const scratch = Buffer.alloc(256);
