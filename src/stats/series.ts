import { unitStart } from '../index/calendar.ts';
import type { SpanEntry } from '../index/span.ts';
import type { Unit } from '../index/tables.ts';
import type { IndexReads, Pin } from '../index-read/index-reads.ts';

/** What there is to tell of a chain: from block 1 on (block 0 stands at the time of an upgrade, not at one when anybody made it) until now. */
export type Era = {
  readonly tip: Pin;
  /** Time of block 1; undefined while there is none. */
  readonly first: number | undefined;
  /** A block may be some seconds ahead of our clock: then it is the later one. */
  readonly now: number;
};

export async function eraOf(reads: IndexReads, now: number): Promise<Era> {
  const [tip, first] = await Promise.all([reads.tip(), reads.pinAt(1)]);
  return { tip, first: first?.time, now: Math.max(now, tip.time) };
}

export type Range = {
  /** Units that begin in [from, to); undefined: no bound. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Beginning of the last unit of the page before. */
  readonly after: number | undefined;
  readonly limit: number;
};

/** A page of a series: when its units begin, newest first, none left out. */
export type Page = {
  readonly unit: Unit;
  readonly starts: readonly number[];
  readonly isLast: boolean;
};

/**
 * Only the newest unit of an era still changes, and it stands on the first page. So pages fit together though blocks arrive between them.
 */
export function pageOf(unit: Unit, era: Era, { from = 0, to = Infinity, after = Infinity, limit }: Range): Page {
  if (era.first === undefined) return { unit, starts: [], isLast: true };
  const oldest = Math.max(from, unitStart(unit, era.first));
  let end = Math.min(to, after, era.now + 1);
  const before = (): number => (end > oldest ? unitStart(unit, end - 1) : Number.NEGATIVE_INFINITY);
  const starts: number[] = [];
  for (let start = before(); start >= oldest && starts.length < limit; start = before()) {
    starts.push(start);
    end = start;
  }
  return { unit, starts, isLast: before() < oldest };
}

/** Counts of a page's units that have blocks, by when they begin. */
export async function spansOf(reads: IndexReads, { unit, starts }: Page): Promise<ReadonlyMap<number, SpanEntry>> {
  const [newest, oldest] = [starts[0], starts.at(-1)];
  if (newest === undefined || oldest === undefined) return new Map();
  const spans = await reads.spans(unit, oldest, newest + 1, starts.length);
  return new Map(spans.map((span) => [span.start, span]));
}

export const secondsPerDay = 86_400;
