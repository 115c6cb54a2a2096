import type { PageContext } from '../load/page-context.ts';
import { search } from '../load/search.ts';
import type { Source } from '../load/source.ts';
import { call } from './dev-call.ts';
import { listMatches } from './match-list.ts';
import { getText } from './payload.ts';

/** Reads the search route over HTTP, and asks the node for peers. */
const source: Pick<Source, 'get' | 'call'> = {
  call: async (path, method, params) => ({ status: 200, body: await call(path, method, params) }),
  get: async <T>(path: string) => {
    const text = await getText(path);
    return { status: text === undefined ? 404 : 200, body: (text === undefined ? {} : JSON.parse(text)) as T };
  },
};

/** Lists what a text names below the search field, as it is typed. */
export const suggestIn = (input: HTMLInputElement, context: () => PageContext): void =>
  listMatches(input, async (text) => (await search(source as Source, context(), text)).matches.map(linkOf));

function linkOf({ href, word, note }: { readonly href: string; readonly word: string; readonly note: string }): HTMLAnchorElement {
  const link = Object.assign(document.createElement('a'), { href });
  const [name, kind] = [document.createElement('span'), document.createElement('small')];
  name.textContent = word;
  name.className = 'mono';
  kind.textContent = note;
  link.append(kind, name);
  return link;
}
