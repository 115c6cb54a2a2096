const tokens = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}[\],:]/g;
/** Longer texts are shown as they are. */
const maxFormatted = 400_000;

/** JSON with line breaks. Numbers stay as they were sent; text that is not JSON is returned unchanged. */
export function formatJson(text: string): string {
  const found = text.length > maxFormatted || !/^\s*[[{]/.test(text) ? null : text.match(tokens);
  if (found === null) return text;
  let depth = 0;
  let out = '';
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (const [at, token] of found.entries()) {
    const isOpen = token === '{' || token === '[';
    const isClose = token === '}' || token === ']';
    const wasOpened = at > 0 && (found[at - 1] === '{' || found[at - 1] === '[');
    if (isClose) depth--;
    if (at > 0 && (isClose ? !wasOpened : wasOpened || found[at - 1] === ',')) out += line();
    out += token === ':' ? ': ' : token;
    if (isOpen) depth++;
  }
  return out;
}
