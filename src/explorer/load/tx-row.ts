import type { Tx, TxLine, TxLineList, TxSummary, TxType } from '../../api/contract/answers.ts';
import type { SummaryAmount } from '../../api/summary/sentence.ts';
import type { ListPlace } from './list-place.ts';
import { sumType } from './output-type.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { isUpward, maxCounted, placeParams } from './tx-list-place.ts';

/** A transaction in a list. Its summary is the server's, in a loaded list and in an event of the stream alike. */
export type TxRow = {
  readonly id: string;
  readonly type: TxType;
  readonly height: number;
  readonly time: number;
  readonly summary: TxSummary;
};

const rowOfLine = ({ txHash, txType, blockNumber, timestamp, summary }: TxLine): TxRow => ({
  id: txHash,
  type: txType,
  height: Number(blockNumber),
  time: timestamp,
  summary,
});

/** The latest transactions, newest first. A page of the route has fewer than `count` if they are large: then the next one is read too. */
export async function readLatestRows(source: Source, context: PageContext, count: number): Promise<TxRow[]> {
  const rows: TxRow[] = [];
  let token: string | undefined;
  do {
    const page = token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`;
    const path = `${chainPath(context)}/transaction-summaries?pageSize=${count - rows.length}${page}`;
    const { transactions, nextPageToken }: TxLineList = await read<TxLineList>(source, path);
    rows.push(...transactions.map(rowOfLine));
    token = nextPageToken;
  } while (token !== undefined && rows.length < count);
  return rows;
}

/**
 * A page of the transactions of an address or an asset, newest first. A place that a revert has removed has none. `total` and `newer`, the number of all and of
 * those before the page, are undefined if they are not to be counted or too many.
 */
export async function readRowsOf(
  source: Source,
  context: PageContext,
  of: { readonly addresses: string } | { readonly assetId: string },
  { rows, place, isCounted }: { readonly rows: number; readonly place: ListPlace; readonly isCounted: boolean },
) {
  const count = isCounted ? `&countUpTo=${maxCounted}` : '';
  const path = `${chainPath(context)}/transaction-summaries?${new URLSearchParams(of)}&pageSize=${rows}${count}${placeParams(place)}`;
  const list = await readIfFound<TxLineList>(source, path);
  const found = list?.transactions.map(rowOfLine) ?? [];
  return {
    isFound: list !== undefined,
    rows: isUpward(place) ? found.reverse() : found,
    hasMore: list?.nextPageToken !== undefined,
    total: list?.totalCount,
    newer: list?.newerCount,
  };
}

/** Rows of accepted transactions by ID, at most 100, in the given order. One that a revert has removed meanwhile is left out. */
export async function readRows(source: Source, context: PageContext, ids: readonly string[]): Promise<TxRow[]> {
  if (ids.length === 0) return [];
  return (await read<TxLineList>(source, `${chainPath(context)}/transaction-summaries?txHashes=${ids.join()}`)).transactions.map(rowOfLine);
}

/** What a transaction consumes and does not produce: of the chain's fee asset, the fee; of other assets, what it burns. */
export function burnedAmounts(
  { amountUnlocked, amountCreated, consumedUtxos }: Tx,
  feeAsset: string,
): { readonly fee: SummaryAmount | undefined; readonly burned: readonly SummaryAmount[] } {
  const produced = new Map(amountCreated.map(({ assetId, type, amount }) => [`${assetId} ${type}`, BigInt(amount)]));
  const lost = amountUnlocked.flatMap((one) => {
    const amount = BigInt(one.amount) - (produced.get(`${one.assetId} ${one.type}`) ?? 0n);
    return amount > 0n ? [{ ...one, type: sumType(one, consumedUtxos), amount: amount.toString() }] : [];
  });
  const fee = lost.find(({ assetId, type }) => assetId === feeAsset && type === 'secp256k1');
  return { fee, burned: lost.filter((one) => one !== fee) };
}
