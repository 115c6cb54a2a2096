import type { AddressBalances, Balances, Tx, TxList, TxSummary, TxType, Utxo, UtxoList } from '../../api/contract/answers.ts';
import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import { changesOf } from './asset-change.ts';
import { balancesAfter } from './balance-after.ts';
import { type BalancePlot, type BalanceRange, loadBalancePlot } from './load-balance-plot.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { type CanvasOutput, canvasOutput, slimTx, slimUtxo } from './slim.ts';
import { read, type Source } from './source.ts';
import { readRows, readRowsOf } from './tx-row.ts';

export type AddressData = {
  /** `X-local1…` */
  readonly address: string;
  /** The 20 bytes as hex. */
  readonly hex: string;
  readonly balances: Balances;
  /** The newest unspent outputs that it owns alone. */
  readonly utxos: readonly CanvasOutput[];
  readonly hasMoreUtxos: boolean;
  /** The newest NFTs that it owns alone. */
  readonly nfts: readonly Utxo[];
  /** Outputs that the address owns with others and cannot spend alone. */
  readonly shared: readonly CanvasOutput[];
  /** How the balance of one asset changed; undefined if there is nothing to show. */
  readonly plot: BalancePlot | undefined;
  readonly history: HistoryPage;
};

type HistoryPage = {
  readonly filter: HistoryFilter;
  readonly txs: readonly Tx[];
  /** What each of them did, by its ID. */
  readonly summaries: Readonly<Record<string, TxSummary>>;
  /** The balance of the asset of the plot after a transaction, by its ID; those that this page cannot tell are left out. */
  readonly after: Readonly<Record<string, string>>;
  /** Token of the next page. */
  readonly next: string | undefined;
  /** Transactions that were compared with the asset of the filter; undefined without one. */
  readonly searched: number | undefined;
};

/** Which transactions the history lists, as it is in the URL: types, days in UTC, and the ID of an asset that they change. */
type HistoryFilter = { readonly kind: string; readonly from: string; readonly to: string; readonly asset: string };

/** Types of transactions by the words of the filter. */
export const historyKinds: { readonly [word: string]: readonly TxType[] } = {
  Transfer: ['BaseTx'],
  Operation: ['OperationTx'],
  Asset: ['CreateAssetTx'],
  'Cross-chain': ['ImportTx', 'ExportTx'],
};

export const isFiltered = ({ kind, from, to, asset }: HistoryFilter): boolean => [kind, from, to, asset].some((one) => one !== '');

type AddressQuery = {
  readonly page: string | undefined;
  readonly rows: number | undefined;
  readonly filter: URLSearchParams;
} & BalanceRange;

/** Outputs on the canvas; more are counted by the balances, and not drawn. */
const maxUtxos = 600;
const pageSize = 100;

export async function loadAddress(
  source: Source,
  context: PageContext,
  { address, hex }: Pick<AddressData, 'address' | 'hex'>,
  { page: pageToken, rows = 25, filter: asked, ...range }: AddressQuery,
): Promise<AddressData> {
  const base = chainPath(context);
  const query = `addresses=${encodeURIComponent(address)}`;
  const filter = parseFilter(asked);
  // The first page is the same list as the history, read at the same time; other pages are looked up by their IDs.
  const isFirst = pageToken === undefined && !isFiltered(filter);
  const [{ balances }, { utxos, hasMore, nfts }, history, shared, loadedPlot, newest] = await Promise.all([
    read<AddressBalances>(source, `${base}/balances?${query}`),
    loadUtxos(source, base, address),
    loadHistory(source, `${base}/transactions?${query}${filterQuery(filter)}&pageSize=${rows}`, { address, filter, rows, pageToken }),
    read<UtxoList>(source, `${base}/shared-utxos?${query}&pageSize=${pageSize}`),
    loadBalancePlot(source, context, address, range),
    isFirst ? readRowsOf(source, context, { addresses: address }, { rows, pageToken }) : undefined,
  ]);
  const { plot, changes } = loadedPlot ?? {};
  const known = new Map(newest?.rows.map((row) => [row.id, row]));
  const missing = history.transactions.map(({ txHash }) => txHash).filter((id) => !known.has(id));
  const lines = [...known.values(), ...(await readRows(source, context, missing))];
  const page = { txs: history.transactions, isFirst: pageToken === undefined, hasNext: history.nextPageToken !== undefined };
  return {
    address,
    hex,
    balances,
    utxos,
    hasMoreUtxos: hasMore,
    nfts,
    shared: shared.utxos.map(canvasOutput),
    plot,
    history: {
      filter,
      txs: history.transactions.map(slimTx),
      summaries: Object.fromEntries(lines.map(({ id, summary }) => [id, summary])),
      // Balances within a block follow from all its transactions.
      after:
        plot === undefined || isFiltered(filter) ? {} : await balancesAfter(source, context, { address, asset: plot.asset, page }, changes),
      next: history.nextPageToken,
      searched: history.searched,
    },
  };
}

type HistoryQuery = {
  readonly address: string;
  readonly filter: HistoryFilter;
  readonly rows: number;
  readonly pageToken: string | undefined;
};

/** Pages of the history that are read to find a page of transactions with one asset. */
const maxHistoryPages = 20;

/** A page of the history. One filtered by asset has as many transactions as a page or a few more; fewer if the asset is rare, and then says how many were searched. */
async function loadHistory(source: Source, path: string, { address, filter, rows, pageToken }: HistoryQuery) {
  const transactions: Tx[] = [];
  let nextPageToken = pageToken;
  let searched = 0;
  for (let page = 0; page < maxHistoryPages; page++) {
    const list: TxList = await read<TxList>(
      source,
      nextPageToken === undefined ? path : `${path}&pageToken=${encodeURIComponent(nextPageToken)}`,
    );
    searched += list.transactions.length;
    nextPageToken = list.nextPageToken;
    if (filter.asset === '') return { transactions: list.transactions, nextPageToken, searched: undefined };
    transactions.push(...list.transactions.filter((tx) => changesOf(tx, address).some(({ asset }) => asset.assetId === filter.asset)));
    if (nextPageToken === undefined || transactions.length >= rows) break;
  }
  return { transactions, nextPageToken, searched };
}

const dayPattern = /^\d{4}-\d\d-\d\d$/;

const assetPattern = /^[1-9A-HJ-NP-Za-km-z]{30,60}$/;

/** Unknown values are left out. */
function parseFilter(query: URLSearchParams): HistoryFilter {
  const dayOf = (name: string): string => (dayPattern.test(query.get(name) ?? '') ? (query.get(name) as string) : '');
  const kind = query.get('kind') ?? '';
  const asset = query.get('moved') ?? '';
  return {
    kind: Object.hasOwn(historyKinds, kind) ? kind : '',
    from: dayOf('since'),
    to: dayOf('until'),
    asset: assetPattern.test(asset) ? asset : '',
  };
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

/** NFTs whose payloads are shown. */
const maxNfts = 12;

async function loadUtxos(
  source: Source,
  base: string,
  address: string,
): Promise<{ utxos: CanvasOutput[]; hasMore: boolean; nfts: Utxo[] }> {
  const { utxos, nextPageToken } = await read<UtxoList>(source, `${base}/utxos`, { addresses: address, pageSize: maxUtxos });
  const nfts = utxos.filter(({ payload, utxoType }) => payload !== undefined && utxoType === 'transfer').slice(0, maxNfts);
  return { utxos: utxos.map(canvasOutput), hasMore: nextPageToken !== undefined, nfts: nfts.map(slimUtxo) };
}
