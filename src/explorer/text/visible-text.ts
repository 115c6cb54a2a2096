/** A character that cannot be seen, or that changes the direction of text, other than a line break or a tab. A group, so that `split` keeps it. */
const invisible = /([\p{Cf}\u2028\u2029]|(?![\n\t])\p{Cc})/u;

/** Text from elsewhere in parts: text, and by turns the characters that cannot be seen, as `U+202E`. */
export const visibleParts = (text: string): string[] =>
  text
    .split(invisible)
    .map((part, at) => (at % 2 === 1 ? `U+${(part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}` : part));
