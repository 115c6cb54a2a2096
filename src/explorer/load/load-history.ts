import type { Tx, TxList, TxSummary, TxType } from '../../api/contract/answers.ts';
import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import { changesOf } from './asset-change.ts';
import { type ListPlace, type PagerData, placeNames } from './list-place.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { readIfFound, type Source } from './source.ts';
import { isUpward, pagerOfTxs, placeParams, readPlaced } from './tx-list-place.ts';
import { readRows, readRowsOf } from './tx-row.ts';

/** A page of the transactions of an address, newest first. */
export type HistoryPage = {
  readonly filter: HistoryFilter;
  readonly txs: readonly Tx[];
  /** What each of them did, by its ID. */
  readonly summaries: Readonly<Record<string, TxSummary>>;
  readonly pager: PagerData;
  /** Parameters of the page's URL: filters and place. */
  readonly params: string;
  /** Transactions that were compared with the asset of the filter; undefined without one. */
  readonly searched: number | undefined;
};

/** Which transactions the history lists, as it is in the URL: types, days in UTC, the ID of an asset that they change, and whether the address gets or gives. */
type HistoryFilter = {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly show: 'all' | 'in' | 'out';
};

/** Types of transactions by the words of the filter. */
export const historyKinds: { readonly [word: string]: readonly TxType[] } = {
  Transfer: ['BaseTx'],
  Operation: ['OperationTx'],
  Asset: ['CreateAssetTx'],
  'Cross-chain': ['ImportTx', 'ExportTx'],
};

export const isFiltered = ({ kind, from, to, asset }: HistoryFilter): boolean => [kind, from, to, asset].some((one) => one !== '');

type HistoryQuery = { readonly address: string; readonly query: URLSearchParams; readonly rows: number };

/** A page of the history at the place of the URL. */
export async function loadHistory(source: Source, context: PageContext, { address, query, rows }: HistoryQuery) {
  const filter = parseFilter(query);
  return readPlaced(query, (place) => readPage(source, context, { address, filter, rows, query, place }));
}

type PlacedQuery = HistoryQuery & { readonly filter: HistoryFilter; readonly place: ListPlace };

async function readPage(source: Source, context: PageContext, { address, filter, rows, query, place }: PlacedQuery) {
  const [found, lines] = await Promise.all([
    readTxs(source, context, { address, filter, rows, place }),
    isFiltered(filter) ? undefined : readRowsOf(source, context, { addresses: address }, { rows, place, isCounted: true }),
  ]);
  if (found === undefined) return undefined;
  const txs = isUpward(place) ? found.txs.toReversed() : found.txs;
  const [newest, oldest] = isUpward(place) ? [found.lastRead, found.firstRead] : [found.firstRead, found.lastRead];
  const known = new Map(lines?.rows.map((row) => [row.id, row]));
  const missing = txs.map(({ txHash }) => txHash).filter((id) => !known.has(id));
  for (const row of await readRows(source, context, missing)) known.set(row.id, row);
  const [total, newer] = [lines?.total, lines?.newer];
  const pager = pagerOfTxs({
    path: `/address/${address}`,
    query,
    place,
    newest,
    oldest,
    rows: txs.length,
    hasMore: found.hasMore,
    total,
    newer,
  });
  const history: HistoryPage = {
    filter,
    txs,
    summaries: Object.fromEntries([...known.values()].map(({ id, summary }) => [id, summary])),
    pager,
    params: paramsOf(query),
    searched: found.searched,
  };
  return { history, pager, isFirst: place.kind === 'first', hasOlder: pager.links.older !== undefined };
}

/** Pages of the history that are read to find a page of transactions with one asset. */
const maxPages = 20;

/**
 * Transactions in the order of the route; undefined if its place is unknown. A page filtered by asset has as many transactions as a page or a few more; fewer if the
 * asset is rare, and then says how many were searched.
 */
async function readTxs(
  source: Source,
  context: PageContext,
  { address, filter, rows, place }: Pick<PlacedQuery, 'address' | 'filter' | 'rows' | 'place'>,
) {
  const path = `${chainPath(context)}/transactions?addresses=${encodeURIComponent(address)}${filterQuery(filter)}${placeParams(place)}&pageSize=${rows}`;
  const txs: Tx[] = [];
  let token: string | undefined;
  let searched = 0;
  let firstRead: string | undefined;
  let lastRead: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const list: TxList | undefined = await readIfFound<TxList>(
      source,
      token === undefined ? path : `${path}&pageToken=${encodeURIComponent(token)}`,
    );
    if (list === undefined) return undefined;
    searched += list.transactions.length;
    firstRead ??= list.transactions[0]?.txHash;
    lastRead = list.transactions.at(-1)?.txHash ?? lastRead;
    token = list.nextPageToken;
    const isWanted = (tx: Tx): boolean => filter.asset === '' || changesOf(tx, address).some(({ asset }) => asset.assetId === filter.asset);
    txs.push(...list.transactions.filter(isWanted));
    if (filter.asset === '' || token === undefined || txs.length >= rows) break;
  }
  return { txs, firstRead, lastRead, hasMore: token !== undefined, searched: filter.asset === '' ? undefined : searched };
}

const dayPattern = /^\d{4}-\d\d-\d\d$/;

const assetPattern = /^[1-9A-HJ-NP-Za-km-z]{30,60}$/;

/** Unknown values are left out. */
function parseFilter(query: URLSearchParams): HistoryFilter {
  const dayOf = (name: string): string => (dayPattern.test(query.get(name) ?? '') ? (query.get(name) as string) : '');
  const kind = query.get('kind') ?? '';
  const asset = query.get('moved') ?? '';
  const show = query.get('show');
  return {
    kind: Object.hasOwn(historyKinds, kind) ? kind : '',
    from: dayOf('since'),
    to: dayOf('until'),
    asset: assetPattern.test(asset) ? asset : '',
    show: show === 'in' || show === 'out' ? show : 'all',
  };
}

/** Parameters of the page's URL that its links keep. */
function paramsOf(query: URLSearchParams): string {
  const kept = new Set<string>(['asset', 'range', 'kind', 'since', 'until', 'moved', 'show', ...placeNames]);
  return new URLSearchParams([...query].filter(([name, value]) => kept.has(name) && name !== 'go' && value !== '')).toString();
}

/** The filter as parameters of the route. The last day is included. */
function filterQuery({ kind, from, to }: HistoryFilter): string {
  const start = parseRfc3339(`${from}T00:00:00Z`);
  const end = parseRfc3339(`${to}T00:00:00Z`);
  return [
    ...(historyKinds[kind] ?? []).map((type) => `&txTypes=${type}`),
    start === undefined ? '' : `&startTimestamp=${start}`,
    end === undefined ? '' : `&endTimestamp=${end + 86_400n}`,
  ].join('');
}
