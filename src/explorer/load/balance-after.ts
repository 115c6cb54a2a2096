import type { BalanceHistory, Tx } from '../../api/contract/answers.ts';
import { changesOf } from './asset-change.ts';
import type { PlotAsset } from './load-balance-plot.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { readIfFound, type Source } from './source.ts';

/** Transactions of one page of a history, newest first. */
type HistoryPage = { readonly txs: readonly Tx[]; readonly isFirst: boolean; readonly hasNext: boolean };

type Wanted = { readonly address: string; readonly asset: PlotAsset; readonly page: HistoryPage };

/**
 * The balance of an address in one asset after each transaction of a page, by transaction ID. `changes`: every change of the balance, if it is
 * known; read at the same time as the page, so it may lack the last blocks.
 */
export async function balancesAfter(
  source: Source,
  context: PageContext,
  wanted: Wanted,
  changes: BalanceHistory['points'] | undefined,
): Promise<Readonly<Record<string, string>>> {
  const { address, asset, page } = wanted;
  const [newest, oldest] = [page.txs[0], page.txs.at(-1)];
  if (newest === undefined || oldest === undefined) return {};
  if (changes !== undefined && Number(changes.at(-1)?.blockNumber) >= newest.blockHeight) return walkBalances(wanted, changes);
  const range = `startBlock=${Math.max(0, oldest.blockHeight - 1)}&endBlock=${newest.blockHeight}`;
  const query = `addresses=${encodeURIComponent(address)}&assetId=${asset.assetId}&${range}`;
  const history = await readIfFound<BalanceHistory>(source, `${chainPath(context)}/balance-history?${query}`);
  if (history === undefined || history.isSampled) return {};
  return walkBalances(wanted, history.points);
}

/**
 * Balances are known after blocks; within a block they follow from the changes of its transactions, counted from the end of the block, or
 * from its start if the page begins in the middle of it. A block of which the page shows neither end is left out.
 */
export function walkBalances(
  { address, asset, page: { txs, isFirst, hasNext } }: Wanted,
  points: BalanceHistory['points'],
): Readonly<Record<string, string>> {
  const after: Record<string, string> = {};
  const balanceAt = (height: number): bigint => {
    const found = points.findLast(({ blockNumber }) => Number(blockNumber) <= height);
    return BigInt((asset.type === 'nft' ? found?.nfts : found?.amount) ?? 0);
  };
  const blocks = [...Map.groupBy(txs, ({ blockHeight }) => blockHeight)];
  for (const [at, [height, list]] of blocks.entries()) {
    if (at > 0 || isFirst) {
      let amount = balanceAt(height);
      for (const tx of list) {
        after[tx.txHash] = amount.toString();
        amount -= changeOf(tx, address, asset);
      }
    } else if (at < blocks.length - 1 || !hasNext) {
      let amount = balanceAt(height - 1);
      for (const tx of list.toReversed()) {
        amount += changeOf(tx, address, asset);
        after[tx.txHash] = amount.toString();
      }
    }
  }
  return after;
}

/** What a transaction changes in the balance of one asset. */
const changeOf = (tx: Tx, address: string, { assetId, type }: PlotAsset): bigint =>
  changesOf(tx, address).find(({ asset }) => asset.assetId === assetId && asset.type === type)?.change ?? 0n;
