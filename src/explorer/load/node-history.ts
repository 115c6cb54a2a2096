import type { NodeHistory } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

/** Ranges of the plots of a node, and the seconds of a point. A young node is shown from its start, but not less than `shortest` seconds. */
export const historyRanges = {
  hour: { word: '1 h', seconds: 3600, bucketSeconds: 15, shortest: 300 },
  day: { word: '24 h', seconds: 86_400, bucketSeconds: 300, shortest: 3600 },
} as const;
export type HistoryRange = keyof typeof historyRanges;

type Bucket = NodeHistory['buckets'][number];

/** What a node did, as points of a plot: one for each `bucketSeconds` from `start` on, null where nothing is known. Sent to the browser as JSON. */
export type HistoryData = {
  readonly range: HistoryRange;
  readonly start: number;
  readonly bucketSeconds: number;
  readonly points: readonly (Bucket | null)[];
  /** When the node was started: it keeps nothing from before. */
  readonly nodeStart: number;
  /** By name: since when a health check passes or fails. */
  readonly checks: { readonly [name: string]: number };
};

/** Returns undefined if this server keeps no history: it serves an index and is not a node. */
export async function loadNodeHistory(source: Source, context: PageContext, range: HistoryRange): Promise<HistoryData | undefined> {
  if (!context.operations.includes('getNodeHistory')) return undefined;
  const { seconds, bucketSeconds } = historyRanges[range];
  const history = await read<NodeHistory>(source, `${chainPath(context)}/node-history?seconds=${seconds}&bucketSeconds=${bucketSeconds}`);
  return pointsOf(history, range);
}

export function pointsOf({ startTimestamp, endTimestamp, buckets, checks = [] }: NodeHistory, range: HistoryRange): HistoryData {
  const { seconds, bucketSeconds, shortest } = historyRanges[range];
  const down = (time: number): number => time - (time % bucketSeconds);
  const start = down(Math.max(endTimestamp - seconds + bucketSeconds, Math.min(startTimestamp, endTimestamp - shortest)));
  const byStart = new Map(buckets.map((bucket) => [bucket.timestamp, bucket]));
  const count = Math.floor((endTimestamp - start) / bucketSeconds) + 1;
  const points = Array.from({ length: count }, (_, at) => byStart.get(start + at * bucketSeconds) ?? null);
  // The current bucket may not have a sample yet: that is no gap.
  const isOpen = points.at(-1) === null;
  return {
    range,
    start,
    bucketSeconds,
    points: isOpen ? points.slice(0, -1) : points,
    nodeStart: startTimestamp,
    checks: Object.fromEntries(checks.map(({ name, since }) => [name, since])),
  };
}
