/** Text that may stand in a page as it is. */
export type Html = { readonly html: string };

/** A piece of a page. What is put into it is escaped, unless it is a piece itself; lists are joined, undefined is nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let out = texts[0] as string;
  for (const [at, part] of parts.entries()) out += shown(part) + (texts[at + 1] as string);
  return { html: out };
}

/** Script, style or JSON that was made for the page: not escaped, so it must hold no end tag. */
export const trusted = (text: string): Html => ({ html: text });

type Part = Html | string | number | undefined | readonly Html[];

function shown(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'object') return isList(part) ? part.map((each) => each.html).join('') : part.html;
  return String(part).replace(/[&<>"']/g, (char) => entities[char] as string);
}

const isList = (part: Html | readonly Html[]): part is readonly Html[] => Array.isArray(part);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
