/**
 * Returns a valid JSON value as Go echoes it: whitespace outside strings removed; `<`, `>`, `&`, U+2028 and U+2029 escaped.
 * Go: encoding/json/indent.go, appendCompact. The text has one character per byte; see json-scan.ts.
 */
export function compactJson(raw: string): string {
  if (!spaceOrSpecial.test(raw)) return raw;
  const bytes = Buffer.from(raw, 'latin1');
  const out = Buffer.allocUnsafe(bytes.length + 5 * countSpecial(bytes));
  let size = 0;
  let isString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (!isString) {
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      isString = byte === quote;
      out[size++] = byte;
    } else if (byte === backslash) {
      out[size++] = byte;
      out[size++] = bytes[++at] as number;
    } else if (isHtmlSpecial(byte)) size += out.write(`\\u00${byte.toString(16)}`, size, 'latin1');
    else if (byte === 0xe2 && isLineSeparator(bytes, at)) {
      size += out.write(`\\u202${((bytes[at + 2] as number) & 15).toString(16)}`, size, 'latin1');
      at += 2;
    } else {
      isString = byte !== quote;
      out[size++] = byte;
    }
  }
  return out.toString('latin1', 0, size);
}

const quote = 0x22;
const backslash = 0x5c;
const spaceOrSpecial = /[ \t\r\n<>&\xe2]/;

const isHtmlSpecial = (byte: number): boolean => byte === 0x3c || byte === 0x3e || byte === 0x26;

/** U+2028 or U+2029 in UTF-8. */
const isLineSeparator = (bytes: Uint8Array, at: number): boolean =>
  bytes[at + 1] === 0x80 && (bytes[at + 2] === 0xa8 || bytes[at + 2] === 0xa9);

/** Number of escapes, each six bytes long. U+2028 and U+2029 (three bytes) are counted by their first byte, which may also count others. */
function countSpecial(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (isHtmlSpecial(byte) || byte === 0xe2) count++;
  return count;
}
