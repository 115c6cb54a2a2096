/**
 * A copy of a text that shares no memory with it. A substring keeps the whole string it was cut from alive, so a cache whose key is a piece
 * of a request would hold the entire request body. Every cache that takes text from outside copies its keys with this, on insertion only.
 */
export function ownText(text: string): string {
  const bytes = text.length <= scratch.length ? scratch : Buffer.allocUnsafe(text.length);
  latin1Write.call(bytes, text, 0, text.length);
  const copy = latin1Slice.call(bytes, 0, text.length);
  // One byte per character is enough for nearly every text; one that has other characters comes back changed.
  return copy === text ? copy : Buffer.from(text, 'utf16le').toString('utf16le');
}

/** What a Buffer's write and toString call for latin1, at half their cost. */
const { latin1Write, latin1Slice } = Buffer.prototype as unknown as {
  latin1Write(this: Uint8Array, text: string, at: number, length: number): number;
  latin1Slice(this: Uint8Array, from: number, to: number): string;
};

const scratch = Buffer.alloc(256);
