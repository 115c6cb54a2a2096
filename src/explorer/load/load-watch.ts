import type { AddressBalances, AssetAmount } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';
import { readRowsOf, type TxRow } from './tx-row.ts';

/** The most addresses that are watched. */
export const maxWatched = 50;
/** The newest transactions of an address that are counted as new. */
const countedRows = 25;

export type WatchRow = {
  /** `X-local1…` */
  readonly address: string;
  /** What it can spend now, the asset of the fees first. */
  readonly balances: readonly AssetAmount[];
  /** Its newest transaction. */
  readonly newest: TxRow | undefined;
  /** Heights of its newest transactions, newest first. */
  readonly heights: readonly number[];
};

/** The addresses are in the URL: a list is kept in the browser, and this server does not know it. */
export type WatchData = { readonly rows: readonly WatchRow[] };

export async function loadWatch(source: Source, context: PageContext, addresses: readonly string[]): Promise<WatchData> {
  const rows: WatchRow[] = [];
  // One after another: a page of 50 addresses must not take all readers of the index.
  for (const address of addresses) rows.push(await loadRow(source, context, address));
  return { rows };
}

async function loadRow(source: Source, context: PageContext, address: string): Promise<WatchRow> {
  const [{ balances }, { rows }] = await Promise.all([
    read<AddressBalances>(source, `${chainPath(context)}/balances?addresses=${encodeURIComponent(address)}`),
    readRowsOf(source, context, { addresses: address }, { rows: countedRows, place: { kind: 'first' }, isCounted: false }),
  ]);
  const isFeeAsset = ({ assetId }: AssetAmount): boolean => assetId === context.chain.feeAsset;
  return {
    address,
    balances: balances.unlocked.toSorted((a, b) => Number(isFeeAsset(b)) - Number(isFeeAsset(a))),
    newest: rows[0],
    heights: rows.map(({ height }) => height),
  };
}
