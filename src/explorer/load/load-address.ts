import type { AddressBalances, Balances, Utxo, UtxoList } from '../../api/contract/answers.ts';
import { balancesAfter } from './balance-after.ts';
import { type BalancePlot, type BalanceRange, loadBalancePlot } from './load-balance-plot.ts';
import { type HistoryPage, isFiltered, loadHistory } from './load-history.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { type CanvasOutput, canvasOutput, slimTx, slimUtxo } from './slim.ts';
import { read, type Source } from './source.ts';

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
  /** The balance of the asset of the plot after a transaction of the history, by its ID; those that this page cannot tell are left out. */
  readonly after: Readonly<Record<string, string>>;
};

type AddressQuery = { readonly rows: number | undefined; readonly query: URLSearchParams } & BalanceRange;

/** Outputs on the canvas; more are counted by the balances, and not drawn. */
const maxUtxos = 600;
const pageSize = 100;

export async function loadAddress(
  source: Source,
  context: PageContext,
  { address, hex }: Pick<AddressData, 'address' | 'hex'>,
  { rows = 25, query, ...range }: AddressQuery,
): Promise<AddressData> {
  const base = chainPath(context);
  const addresses = `addresses=${encodeURIComponent(address)}`;
  const [{ balances }, { utxos, hasMore, nfts }, { history, isFirst, hasOlder }, shared, loadedPlot] = await Promise.all([
    read<AddressBalances>(source, `${base}/balances?${addresses}`),
    loadUtxos(source, base, address),
    loadHistory(source, context, { address, query, rows }),
    read<UtxoList>(source, `${base}/shared-utxos?${addresses}&pageSize=${pageSize}`),
    loadBalancePlot(source, context, address, range),
  ]);
  const { plot, changes } = loadedPlot ?? {};
  const page = { txs: history.txs, isFirst, hasNext: hasOlder };
  // Balances within a block follow from all its transactions.
  const isAfterKnown = plot !== undefined && !isFiltered(history.filter);
  return {
    address,
    hex,
    balances,
    utxos,
    hasMoreUtxos: hasMore,
    nfts,
    shared: shared.utxos.map(canvasOutput),
    plot,
    history: { ...history, txs: history.txs.map(slimTx) },
    after: isAfterKnown ? await balancesAfter(source, context, { address, asset: plot.asset, page }, changes) : {},
  };
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
