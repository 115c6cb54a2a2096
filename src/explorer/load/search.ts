import type { SearchAnswer } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { readIfFound, type Source } from './source.ts';

/** A page that a search found. */
type Match = { readonly href: string; readonly word: string; readonly note: string };
/** `more`: matches that are not listed. */
type SearchResult = { readonly matches: readonly Match[]; readonly more: number; readonly nearest: readonly Match[] };

/** The longest text that is searched for: the hex of the largest transaction. */
export const maxQuery = 262_144;

type Result = SearchAnswer['results'][number];

/** Finds the pages for a text, with the search route of this server. */
export async function search(source: Source, context: PageContext, text: string): Promise<SearchResult> {
  const query = text.trim();
  const answer =
    query === '' ? undefined : await readIfFound<SearchAnswer>(source, `${chainPath(context)}/search?q=${encodeURIComponent(query)}`);
  const matches = (answer?.results ?? []).map((result) => matchOf(context, result));
  const nearest = (answer?.didYouMean ?? []).map((word) => ({
    href: `/search?q=${encodeURIComponent(word)}`,
    word,
    note: 'one character differs',
  }));
  return { matches, more: answer?.moreResults ?? 0, nearest };
}

const pages: { readonly [kind in Result['kind']]: (id: string, alias: string) => string } = {
  block: (id) => `/block/${id}`,
  transaction: (id) => `/tx/${id}`,
  signedTransaction: (id) => `/tx/${id}`,
  asset: (id) => `/asset/${id}`,
  address: (id, alias) => `/address/${id.includes('-') ? id : `${alias}-${id}`}`,
  utxo: (id) => `/output/${id}`,
  node: () => '/node',
};

function matchOf({ chain }: PageContext, { kind, id, title, status, isIssuable, refusal }: Result): Match {
  const words = [kind === 'signedTransaction' ? 'signed transaction' : kind, title, status];
  if (refusal !== undefined) words.push(`would be refused: ${refusal.message}`);
  else if (isIssuable === true) words.push('could be issued now');
  const note = words.filter((word) => word !== undefined).join(', ');
  return { href: pages[kind](encodeURIComponent(id), chain.alias), word: id, note };
}
