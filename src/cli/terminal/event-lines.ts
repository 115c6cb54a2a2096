import type { RefusedCall } from '../../api/rpc/refused-call.ts';
import type { BlockSummary, MovedAmount } from '../../app/output/block-summary.ts';
import { formatCounts, type LineCounts, listCounts, totalOf } from '../../app/output/limit-lines.ts';
import { formatUnits } from '../../base/bytes/units.ts';
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
    listCounts(kinds),
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

function listAmounts(amounts: readonly MovedAmount[]): string {
  const shown = amounts
    .slice(0, maxShownAssets)
    .map(({ symbol, denomination, amount }) => `${formatUnits(amount, denomination)} ${symbol}`);
  const more = amounts.length - maxShownAssets;
  return [...shown, ...(more > 0 ? [`${more} more assets`] : [])].join(', ');
}

/** A line about the node as JSON. The level of these lines is info. */
export const formatEventJson = (event: string, time: string, facts: object): string =>
  JSON.stringify({ event, time, level: 'info', ...facts });

/** A line about the node as text, without the parts that are empty: in a file its time stands before it. */
export const joinParts = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('  ');

/** `refused  14:02:12  avm.getUTXOs  no addresses provided (unknown parameter address; did you mean addresses?)` */
export function formatRefusedLine({ method, reason, hint }: RefusedCall, time: string, style: Style): string {
  const parts = [style.red('refused'), style.dim(time), style.bold(method === '' ? 'a request' : method), reason];
  return joinParts(parts) + (hint === '' ? '' : style.dim(` (${hint})`));
}

export const formatRefusedJson = ({ method, code, reason, hint }: RefusedCall, time: string): string =>
  formatEventJson('refused', time, { method, code, reason, hint: hint === '' ? undefined : hint });

/** `refused  14:02:13  134 more calls: avm.issueTx 130, avm.getTx 4` */
export const formatRefusedCounts = (counts: LineCounts, time: string, style: Style): string =>
  joinParts([style.red('refused'), style.dim(time), formatCounts(counts, 'calls')]);

export const formatRefusedCountsJson = (counts: LineCounts, time: string): string =>
  formatEventJson('refusedCalls', time, { calls: totalOf(counts), methods: Object.fromEntries(counts) });
