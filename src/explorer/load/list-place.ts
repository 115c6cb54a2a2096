import type { BlockList, BlockSummaryList } from '../../api/contract/answers.ts';
import { endOfTypedTime } from '../text/typed-time.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

/**
 * Where a page of a list begins. It is in the URL, and a link keeps its rows although new blocks come: `from` is a height, the others are IDs of rows.
 */
export type ListPlace =
  | { readonly kind: 'first' }
  | { readonly kind: 'last' }
  /** Rows of blocks at and below a height. */
  | { readonly kind: 'from'; readonly height: number }
  /** Rows behind the row with an ID, or before it. */
  | { readonly kind: 'older' | 'newer'; readonly id: string };

/** Parameters of a URL that name a place in a list, and the text of the field that jumps to one. */
export const placeNames = ['page', 'from', 'older', 'newer', 'last', 'rank', 'go'] as const;

/** What the pager of a list shows. A link that is undefined leads nowhere else. */
export type PagerData = {
  /** Number of the first and the last row, counted from 1; undefined if it is not known. */
  readonly position: { readonly first: number; readonly last: number } | undefined;
  /** Number of all rows; undefined if it is not known. */
  readonly total: number | undefined;
  readonly links: {
    readonly first?: string | undefined;
    readonly newer?: string | undefined;
    readonly older?: string | undefined;
    readonly last?: string | undefined;
  };
  /** What was typed to jump to, if it is neither a height nor a date. */
  readonly refused?: string | undefined;
};

const idPattern = /^[1-9A-HJ-NP-Za-km-z]{30,60}$/;

/** Unknown values are the first page. */
export function parsePlace(query: URLSearchParams): ListPlace {
  const height = query.get('from') ?? '';
  if (/^\d{1,15}$/.test(height)) return { kind: 'from', height: Number(height) };
  for (const kind of ['older', 'newer'] as const) {
    const id = query.get(kind) ?? '';
    if (idPattern.test(id)) return { kind, id };
  }
  return { kind: query.has('last') ? 'last' : 'first' };
}

/** The URL of another place of the same list, with its filters. */
export function placeUrl(
  path: string,
  query: URLSearchParams,
  change: { readonly [name in (typeof placeNames)[number]]?: string | number },
): string {
  const params = new URLSearchParams(query);
  for (const name of [...placeNames, 'rows']) params.delete(name);
  for (const [name, value] of Object.entries(change)) params.set(name, String(value));
  return params.size === 0 ? path : `${path}?${params}`;
}

type Ranking = {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly rows: number;
  readonly total: number;
  readonly listed?: number;
};

/** The pager of a ranking, and the rank of the first row of the page. `listed`: rows that can be listed, if not all can. */
export function pagerOfRanks({ path, query, rows, total, listed = total }: Ranking): { readonly start: number; readonly pager: PagerData } {
  const lastStart = Math.max(1, listed - ((listed - 1) % rows));
  const asked = Math.max(1, Number(/^\d{1,6}$/.exec(query.get('rank') ?? '')?.[0] ?? 1));
  const start = Math.min(lastStart, asked - ((asked - 1) % rows));
  const url = (rank: number): string => placeUrl(path, query, rank === 1 ? {} : { rank });
  return {
    start,
    pager: {
      position: total === 0 ? undefined : { first: start, last: Math.min(listed, start + rows - 1) },
      total,
      links: {
        ...(start > 1 ? { first: url(1), newer: url(start - rows) } : {}),
        ...(start < lastStart ? { older: url(start + rows), last: url(lastStart) } : {}),
      },
    },
  };
}

/** What was typed that could not be found; undefined if nothing was typed. */
export const refusedJump = (query: URLSearchParams): string | undefined => query.get('go')?.slice(0, 100) || undefined;

/** The URL of the place that a reader typed as a height or a date; undefined if it is neither. */
export async function findJump(
  source: Source,
  context: PageContext,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
): Promise<string | undefined> {
  const height = await findHeight(source, context, query.get('go') ?? '');
  return height === undefined ? undefined : placeUrl(path, query, height === 'last' ? {} : { from: height });
}

/** The height that a text names: itself, or the last block of a day, minute or second. `last`: the last block is meant, or one that is still to come. */
export async function findHeight(source: Source, context: PageContext, typed: string): Promise<number | 'last' | undefined> {
  const digits = typed.trim().replace(/^#/, '').replaceAll(',', '');
  if (/^\d{1,15}$/.test(digits)) return Number(digits);
  const end = endOfTypedTime(typed);
  if (end === undefined) return undefined;
  const path = `${chainPath(context)}/blocks?pageSize=1`;
  const [last, before] = await Promise.all([
    read<BlockList>(source, path),
    read<BlockList>(source, `${path}&endTimestamp=${Math.max(0, end)}`),
  ]);
  const [tip, found] = [last.blocks[0], before.blocks[0]];
  // A day before the first block: the list then begins with its oldest rows.
  if (found === undefined) return (await readOldest(source, context)) ?? 0;
  return tip === undefined || Number(found.blockNumber) >= Number(tip.blockNumber) ? 'last' : Number(found.blockNumber);
}

/** Height of the oldest block: not 0 on a chain that was forked from another. */
export async function readOldest(source: Source, context: PageContext): Promise<number | undefined> {
  const list = await read<BlockSummaryList>(source, `${chainPath(context)}/block-summaries?sortOrder=asc&pageSize=1`);
  return list.blocks[0] && Number(list.blocks[0].blockNumber);
}
