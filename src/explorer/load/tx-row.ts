import type { AssetAmount, Tx, TxLine, TxLineList, TxSummary, TxType } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

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

/** The latest transactions, newest first. */
export const readLatestRows = async (source: Source, context: PageContext, count: number): Promise<TxRow[]> =>
  (await read<TxLineList>(source, `${chainPath(context)}/transaction-summaries?pageSize=${count}`)).transactions.map(rowOfLine);

/** A page of the transactions of an address or an asset, newest first, and the token of the next one. */
export async function readRowsOf(
  source: Source,
  context: PageContext,
  of: { readonly addresses: string } | { readonly assetId: string },
  { rows, pageToken }: { readonly rows: number; readonly pageToken: string | undefined },
): Promise<{ readonly rows: TxRow[]; readonly next: string | undefined }> {
  const page = pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`;
  const path = `${chainPath(context)}/transaction-summaries?${new URLSearchParams(of)}&pageSize=${rows}${page}`;
  const { transactions, nextPageToken } = await read<TxLineList>(source, path);
  return { rows: transactions.map(rowOfLine), next: nextPageToken };
}

/** Rows of accepted transactions by ID, at most 100, in the given order. One that a revert has removed meanwhile is left out. */
export async function readRows(source: Source, context: PageContext, ids: readonly string[]): Promise<TxRow[]> {
  if (ids.length === 0) return [];
  return (await read<TxLineList>(source, `${chainPath(context)}/transaction-summaries?txHashes=${ids.join()}`)).transactions.map(rowOfLine);
}

/** What a transaction burns of each asset: consumed and not produced. The fee is burned this way. */
export function burnedAmounts({ amountUnlocked, amountCreated }: Tx): AssetAmount[] {
  const produced = new Map(amountCreated.map(({ assetId, type, amount }) => [`${assetId} ${type}`, BigInt(amount)]));
  return amountUnlocked.flatMap((one) => {
    const burned = BigInt(one.amount) - (produced.get(`${one.assetId} ${one.type}`) ?? 0n);
    return burned > 0n ? [{ ...one, amount: burned.toString() }] : [];
  });
}
