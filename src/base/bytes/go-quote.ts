/** Quotes text like Go's %q: in double quotes, unprintable characters escaped. Go: strconv.Quote. */
export const goQuote = (text: string): string => `"${text.replace(unprintable, escapeChar)}"`;

/** Quotes one character like Go's %q of a rune: in single quotes, so that those are escaped and double quotes are not. */
export const goQuoteRune = (char: string): string =>
  `'${char === "'" ? "\\'" : char === '"' ? char : char.replace(unprintable, escapeChar)}'`;

/** Go prints letters, marks, numbers, punctuation, symbols and the ASCII space; everything else is escaped. */
const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

const shortEscapes: Readonly<Record<string, string>> = {
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

function escapeChar(char: string): string {
  const shortEscape = shortEscapes[char];
  if (shortEscape !== undefined) return shortEscape;
  const point = char.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point < 0x20 || point === 0x7f) return `\\x${hex.padStart(2, '0')}`;
  return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
