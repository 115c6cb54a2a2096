import type { SearchAnswer } from '../../api/contract/answers.ts';
import { loadLabels } from './account-names.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { callIfAllowed, readIfFound, type Source } from './source.ts';

/** A page that a search found. */
type Match = {
  readonly href: string;
  readonly word: string;
  readonly note: string;
  /** Whether the text is only a part of its name. */
  readonly isPartial: boolean;
};
/** `more`: matches that are not listed. */
type SearchResult = { readonly matches: readonly Match[]; readonly more: number; readonly nearest: readonly Match[] };

/** The longest text that is searched for: the hex of the largest transaction. */
export const maxQuery = 262_144;

type Result = SearchAnswer['results'][number];

/** Finds the pages for a text, with the search route of this server, and the address that has it as its label. */
export async function search(source: Source, context: PageContext, text: string): Promise<SearchResult> {
  const query = text.trim();
  const answer =
    query === '' ? undefined : await readIfFound<SearchAnswer>(source, `${chainPath(context)}/search?q=${encodeURIComponent(query)}`);
  const found = await Promise.all((answer?.results ?? []).map(async (result) => (await isKnown(source, context, result)) && result));
  const labelled = context.has.dev && query !== '' ? (await loadLabels(source)).filter(({ name }) => name === query) : [];
  const matches = [
    ...labelled.map(({ address, name }) => ({ href: `/address/${address}`, word: address, note: `address, ${name}`, isPartial: false })),
    ...found.filter((result) => result !== false).map((result) => matchOf(context, result)),
  ];
  const nearest = (answer?.didYouMean ?? []).map((word) => ({
    href: `/search?q=${encodeURIComponent(word)}`,
    word,
    note: 'one character differs',
    isPartial: false,
  }));
  return { matches, more: answer?.moreResults ?? 0, nearest };
}

/** The search route takes every node ID that is well formed; a page exists of this node and its peers. */
async function isKnown(source: Source, { has }: PageContext, { kind, id }: Result): Promise<boolean> {
  if (kind !== 'node') return true;
  if (!has.info) return false;
  const [own, peers] = await Promise.all([
    callIfAllowed(source, '/ext/info', 'info.getNodeID'),
    callIfAllowed(source, '/ext/info', 'info.peers', { nodeIDs: [id] }),
  ]);
  return own?.nodeID === id || peers?.peers?.some(({ nodeID }) => nodeID === id) === true;
}

const pages: { readonly [kind in Result['kind']]: (id: string, alias: string) => string } = {
  block: (id) => `/block/${id}`,
  transaction: (id) => `/tx/${id}`,
  signedTransaction: (id) => `/tx/${id}`,
  asset: (id) => `/asset/${id}`,
  address: (id, alias) => `/address/${id.includes('-') ? id : `${alias}-${id}`}`,
  utxo: (id) => `/output/${id}`,
  node: (id) => `/node#${id}`,
};

function matchOf({ chain }: PageContext, { kind, id, title, status, isIssuable, refusal, isPartial }: Result): Match {
  const words = [kind === 'signedTransaction' ? 'signed transaction' : kind, title, status];
  if (refusal !== undefined) words.push(`would be refused: ${refusal.message}`);
  else if (isIssuable === true) words.push('could be issued now');
  const note = words.filter((word) => word !== undefined).join(', ');
  return { href: pages[kind](encodeURIComponent(id), chain.alias), word: id, note, isPartial: isPartial === true };
}
