import type { Drop, DropList, Mempool } from '../../api/contract/answers.ts';
import { type DevState, loadDevState } from './dev-state.ts';
import { type PagerData, pagerOfRanks } from './list-place.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

export type MempoolData = {
  /** With the transactions of this page. */
  readonly mempool: Mempool;
  readonly pager: PagerData;
  readonly drops: readonly Drop[];
  /** Undefined if the reader may not call `dev.*`. */
  readonly dev: Pick<DevState, 'automine' | 'interval' | 'offset'> | undefined;
};

/** Waiting transactions beyond this one are counted and not listed: each page of the route is read to reach the next. */
export const maxWaiting = 1000;
/** The largest page of the route. */
const maxPageSize = 100;

export async function loadMempool(source: Source, context: PageContext, query: URLSearchParams, rows = 50): Promise<MempoolData> {
  const base = chainPath(context);
  const [waiting, dropped, dev] = await Promise.all([
    readWaiting(source, `${base}/mempool`, query, rows),
    read<DropList>(source, `${base}/dropped-transactions?pageSize=50`),
    context.has.dev ? loadDevState(source) : undefined,
  ]);
  // The page of a dropped transaction shows its content.
  const drops = dropped.transactions.map(({ transaction: _, ...drop }) => drop);
  return { ...waiting, drops, dev: dev && { automine: dev.automine, interval: dev.interval, offset: dev.offset } };
}

/** A page of the waiting transactions by rank. A rank is a place: the oldest come first, and say what waits there now. */
async function readWaiting(
  source: Source,
  route: string,
  query: URLSearchParams,
  rows: number,
): Promise<Pick<MempoolData, 'mempool' | 'pager'>> {
  const path = `${route}?pageSize=${query.has('rank') ? maxPageSize : rows}`;
  const mempool = await read<Mempool>(source, path);
  const { txCount } = mempool;
  const { start, pager } = pagerOfRanks({ path: '/mempool', query, rows, total: txCount, listed: Math.min(maxWaiting, txCount) });
  const end = start - 1 + rows;
  const found = [...mempool.transactions];
  // A page of large transactions is shorter than was asked for.
  for (let token = mempool.nextPageToken; token !== undefined && found.length < end; ) {
    const next: Mempool = await read<Mempool>(source, `${path}&pageToken=${encodeURIComponent(token)}`);
    found.push(...next.transactions);
    token = next.nextPageToken;
  }
  return { mempool: { ...mempool, transactions: found.slice(start - 1, end) }, pager };
}
