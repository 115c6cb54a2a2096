import type { BlockSummary, MovedAmount } from '../../app/feed/block-summary.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { formatEventJson, joinParts } from './event-line.ts';
import type { Style } from './style.ts';

/** The most assets on a line; the line says how many more there are. */
const maxShownAssets = 2;

/** `#42  14:02:11  3 tx  Transfer 2, Create asset 1  1,250 AVAX`; several blocks begin with `#43-#61`, another chain's with its alias. */
export function formatBlockLine(summary: BlockSummary, time: string, style: Style): string {
  const { chain, first, last, blocks, txs, kinds, moved } = summary;
  const heights = blocks === 1 ? `#${last}` : `#${first}-#${last}`;
  const parts = [
    style.bold(chain === 'X' ? heights : `${chain} ${heights}`),
    style.dim(time),
    `${txs} tx`,
    listKinds(kinds),
    style.cyan(listAmounts([...moved.values()])),
  ];
  return joinParts(parts);
}

/** The same as one JSON object. Amounts are in the smallest unit. */
export const formatBlockJson = ({ chain, first, last, blocks, txs, kinds, moved }: BlockSummary, time: string): string =>
  formatEventJson(blocks === 1 ? 'block' : 'blocks', time, {
    chain,
    ...(blocks === 1 ? { height: `${last}` } : { from: `${first}`, to: `${last}`, blocks }),
    txs,
    kinds: Object.fromEntries(kinds),
    moved: [...moved].map(([assetID, { symbol, denomination, amount }]) => ({ assetID, symbol, denomination, amount: `${amount}` })),
  });

const listKinds = (kinds: BlockSummary['kinds']): string => [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ');

function listAmounts(amounts: readonly MovedAmount[]): string {
  const shown = amounts
    .slice(0, maxShownAssets)
    .map(({ symbol, denomination, amount }) => `${formatUnits(amount, denomination)} ${symbol}`);
  const more = amounts.length - maxShownAssets;
  return [...shown, ...(more > 0 ? [`${more} more assets`] : [])].join(', ');
}
