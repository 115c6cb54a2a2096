/** A text in double quotes as Go's %q shows it: what does not print is escaped. Peer: Go's strconv.Quote. */
export const goQuote = (text: string): string => `"${text.replace(unprintable, escaped)}"`;

/** Go prints letters, marks, numbers, punctuation, symbols and the ASCII blank. */
const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function escaped(char: string): string {
  const known = short[char];
  if (known !== undefined) return known;
  const point = char.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point < 0x20 || point === 0x7f) return `\\x${hex.padStart(2, '0')}`;
  return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
