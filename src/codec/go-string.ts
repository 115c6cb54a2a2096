/** Go escapes what HTML would read, and the two line separators of JavaScript. Peer: Go's encoding/json/encode.go, appendString. */
export const goString = (text: string): string => (special.test(text) ? `"${text.replace(unquotable, escaped)}"` : `"${text}"`);

/** A Go string that may be any bytes: what is no UTF-8 is shown as an escaped U+FFFD. */
export const goStringOf = (bytes: Uint8Array): string => goString(Buffer.from(bytes).toString('utf8')).replaceAll('\ufffd', '\\ufffd');

/** Anything that may not be able to stand between quotes as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const special = /["\\<>&\x00-\x1f\u2028\u2029\ud800-\udfff]/;

/** What really cannot: of the surrogates only those without a partner. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unquotable = /["\\<>&\x00-\x1f\u2028\u2029]|\p{Surrogate}/gu;

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escaped(char: string): string {
  const code = char.charCodeAt(0);
  return short[char] ?? (code >= 0xd800 ? '\\ufffd' : `\\u${code.toString(16).padStart(4, '0')}`);
}
