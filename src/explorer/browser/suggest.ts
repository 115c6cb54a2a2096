import type { PageContext } from '../load/page-context.ts';
import { search } from '../load/search.ts';
import { httpSource } from './http-source.ts';
import { listMatches } from './match-list.ts';
import { findCalls, isCallName } from './reference-list.ts';

/** Lists what a text names below the search field, as it is typed: as a submitted search does, methods and routes first if it is written as their names are. */
export const suggestIn = (input: HTMLInputElement, context: () => PageContext): void =>
  listMatches(input, async (text) => {
    const [{ matches }, found] = await Promise.all([search(httpSource, context(), text), findCalls(text)]);
    const calls = found.map(({ name, summary, href }) => ({ href, word: name, note: summary }));
    return (isCallName(text) ? [...calls, ...matches] : [...matches, ...calls]).map(linkOf);
  });

function linkOf({ href, word, note }: { readonly href: string; readonly word: string; readonly note: string }): HTMLAnchorElement {
  const link = Object.assign(document.createElement('a'), { href });
  const [name, kind] = [document.createElement('span'), document.createElement('small')];
  name.textContent = word;
  name.className = 'mono';
  kind.textContent = note;
  link.append(kind, name);
  return link;
}
