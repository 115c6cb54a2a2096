/** HTML text that is inserted without escaping. */
export type Html = { readonly html: string };

/** A template tag for HTML. Inserted strings and numbers are escaped, `Html` is not; lists are joined, undefined is omitted. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let out = texts[0] as string;
  for (const [at, part] of parts.entries()) out += escapePart(part) + (texts[at + 1] as string);
  return { html: out };
}

/** Marks a trusted script, style or SVG as HTML. It is not escaped, so it must not contain an end tag of its element. */
export const unescapedHtml = (text: string): Html => ({ html: text });

type Part = Html | string | number | undefined | readonly Html[];

function escapePart(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'object') return isList(part) ? part.map((each) => each.html).join('') : part.html;
  return String(part).replace(/[&<>"']/g, (char) => entities[char] as string);
}

const isList = (part: Html | readonly Html[]): part is readonly Html[] => Array.isArray(part);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
