import type { AssetDetails, BalanceHistory } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { readIfFound, type Source } from './source.ts';

/** Ranges of a balance plot, in days. */
export const balanceRanges = { '1h': 1 / 24, '1d': 1, '7d': 7, '90d': 90, all: undefined } as const;
export type RangeName = keyof typeof balanceRanges;

/** What is asked for: an asset by ID, and a range by name. `now` is the chain's clock in Unix seconds. */
export type BalanceRange = { readonly asset: string | undefined; readonly range: string | null; readonly now: number };

export type PlotAsset = {
  readonly assetId: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly type: 'secp256k1' | 'nft';
};

export type BalancePlot = {
  readonly asset: PlotAsset;
  readonly range: RangeName;
  readonly isSampled: boolean;
  /** Unix seconds and amount after the block, in the order of the blocks. */
  readonly points: readonly (readonly [number, string])[];
};

const day = 86_400;

/** Points of the plot, which is about 500 px wide. */
const maxPoints = 500;

/** A plot, and every change of the balance so far, if that was read. */
export type LoadedPlot = { readonly plot: BalancePlot; readonly changes: BalanceHistory['points'] | undefined };

/** The balance of an address in one asset over time. Undefined if the asset is unknown or the server cannot tell. */
export async function loadBalancePlot(
  source: Source,
  context: PageContext,
  address: string,
  { asset: assetId, range: name, now }: BalanceRange,
): Promise<LoadedPlot | undefined> {
  const asset = await findAsset(source, context, assetId);
  if (asset === undefined) return undefined;
  const path = `${chainPath(context)}/balance-history?addresses=${encodeURIComponent(address)}&assetId=${asset.assetId}&maxPoints=${maxPoints}`;
  const asked = name !== null && Object.hasOwn(balanceRanges, name) ? (name as RangeName) : undefined;
  const whole = asked === undefined ? await readIfFound<BalanceHistory>(source, path) : undefined;
  const range = asked ?? rangeOf(whole, now);
  const days = balanceRanges[range];
  const start = days === undefined ? 0 : Math.max(0, Math.floor(now - days * day));
  const changes = whole?.isSampled === false ? whole.points : undefined;
  const isShown = changes !== undefined || (whole !== undefined && start === 0);
  const history = isShown ? whole : await readIfFound<BalanceHistory>(source, start === 0 ? path : `${path}&startTimestamp=${start}`);
  if (history === undefined) return undefined;
  const first = history.points.findLastIndex(({ timestamp }) => timestamp < start);
  // The first balance may be older than the range: it is shown from the start of the range on.
  const points = history.points
    .slice(Math.max(0, first))
    .map(({ timestamp, amount, nfts }) => [Math.max(start, timestamp), asset.type === 'nft' ? String(nfts) : amount] as const);
  return { plot: { asset, range, isSampled: history.isSampled, points }, changes };
}

/** Changes that the range shows if none is asked for. */
const shownChanges = 20;

/** The shortest range with the last changes. The first one is left out: the accounts of a developer's chain have it from the genesis. */
function rangeOf(history: BalanceHistory | undefined, now: number): RangeName {
  const times = (history?.points ?? []).slice(1).map(({ timestamp }) => timestamp);
  const oldest = times.at(-shownChanges) ?? times[0];
  if (oldest === undefined) return '90d';
  const fits = ([, days]: readonly [string, number | undefined]): boolean => days === undefined || now - days * day <= oldest;
  return (Object.entries(balanceRanges).find(fits)?.[0] ?? 'all') as RangeName;
}

async function findAsset(source: Source, context: PageContext, id: string | undefined): Promise<PlotAsset | undefined> {
  const { feeAsset, feeSymbol, feeDecimals } = context.chain;
  if (id === undefined || id === feeAsset) return { assetId: feeAsset, symbol: feeSymbol, denomination: feeDecimals, type: 'secp256k1' };
  const found = await readIfFound<AssetDetails>(source, `${chainPath(context)}/assets/${encodeURIComponent(id)}`);
  return found && { assetId: found.assetId, symbol: found.symbol, denomination: found.denomination, type: found.type };
}
