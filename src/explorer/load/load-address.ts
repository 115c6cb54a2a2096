import type { AddressBalances, Balances, Tx, TxList, UtxoList } from '../../api/contract/answers.ts';
import { balancesAfter } from './balance-after.ts';
import { type BalancePlot, type BalanceRange, loadBalancePlot } from './load-balance-plot.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { type CanvasOutput, canvasOutput, slimTx } from './slim.ts';
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
  /** Outputs that the address owns with others and cannot spend alone. */
  readonly shared: readonly CanvasOutput[];
  readonly txs: readonly Tx[];
  /** Token of the next page of the history. */
  readonly nextTxs: string | undefined;
  /** How the balance of one asset changed; undefined if there is nothing to show. */
  readonly plot: BalancePlot | undefined;
  /** The balance of that asset after a transaction, by its ID; those that this page cannot tell are left out. */
  readonly after: Readonly<Record<string, string>>;
};

type AddressQuery = { readonly page: string | undefined; readonly rows: number | undefined } & BalanceRange;

/** Pages of outputs on the canvas, which draws at most 600; more are counted by the balances, and not drawn. */
const maxUtxoPages = 6;
const pageSize = 100;

export async function loadAddress(
  source: Source,
  context: PageContext,
  { address, hex }: Pick<AddressData, 'address' | 'hex'>,
  { page: pageToken, rows = 25, ...range }: AddressQuery,
): Promise<AddressData> {
  const base = chainPath(context);
  const query = `addresses=${encodeURIComponent(address)}`;
  const [{ balances }, { utxos, hasMore }, history, shared, plot] = await Promise.all([
    read<AddressBalances>(source, `${base}/balances?${query}`),
    loadUtxos(source, `${base}/utxos?${query}`),
    read<TxList>(
      source,
      `${base}/transactions?${query}&pageSize=${rows}${pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`}`,
    ),
    read<UtxoList>(source, `${base}/shared-utxos?${query}&pageSize=${pageSize}`),
    loadBalancePlot(source, context, address, range),
  ]);
  const page = { txs: history.transactions, isFirst: pageToken === undefined, hasNext: history.nextPageToken !== undefined };
  return {
    address,
    hex,
    balances,
    utxos,
    hasMoreUtxos: hasMore,
    shared: shared.utxos.map(canvasOutput),
    txs: history.transactions.map(slimTx),
    nextTxs: history.nextPageToken,
    plot,
    after: plot === undefined ? {} : await balancesAfter(source, context, { address, asset: plot.asset, page }),
  };
}

async function loadUtxos(source: Source, path: string): Promise<{ utxos: CanvasOutput[]; hasMore: boolean }> {
  const utxos: CanvasOutput[] = [];
  let token: string | undefined;
  for (let page = 0; page < maxUtxoPages; page++) {
    const list: UtxoList = await read<UtxoList>(source, `${path}&pageSize=${pageSize}${token === undefined ? '' : `&pageToken=${token}`}`);
    utxos.push(...list.utxos.map(canvasOutput));
    token = list.nextPageToken;
    if (token === undefined) break;
  }
  return { utxos, hasMore: token !== undefined };
}
