/** A JSON string as Go writes it: also escapes <, >, & and U+2028/U+2029. Go: encoding/json/encode.go, appendString. */
export const goString = (text: string): string => (mayNeedEscape.test(text) ? `"${text.replace(needsEscape, escapeChar)}"` : `"${text}"`);

/** The same for a Go string, which may hold any bytes: invalid UTF-8 becomes an escaped U+FFFD. */
export const goStringFromBytes = (bytes: Uint8Array): string =>
  goString(Buffer.from(bytes).toString('utf8')).replaceAll('\ufffd', '\\ufffd');

/** Quick test for characters that may need an escape, surrogate pairs included. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const mayNeedEscape = /["\\<>&\x00-\x1f\u2028\u2029\ud800-\udfff]/;

/** Characters that need an escape; of the surrogates only unpaired ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const needsEscape = /["\\<>&\x00-\x1f\u2028\u2029]|\p{Surrogate}/gu;

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapeChar(char: string): string {
  const code = char.charCodeAt(0);
  return shortEscapes[char] ?? (code >= 0xd800 ? '\\ufffd' : `\\u${code.toString(16).padStart(4, '0')}`);
}
