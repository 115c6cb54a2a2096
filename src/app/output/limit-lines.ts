import { boundMethod } from '../../api/rpc/refused-call.ts';
import { type After, gatherInterval, maxLines } from './gather-blocks.ts';

/** Lines that were counted and not shown each, by name: the method of a refused call, the message of an error. */
export type LineCounts = ReadonlyMap<string, number>;

/** Where lines go: a terminal, the log, or from a reader process to the writer process. */
type LineSink<Line> = {
  readonly show: (line: Line) => void;
  /** Lines of the last second that were only counted. */
  readonly showCounts: (counts: LineCounts) => void;
};

export type LineLimit<Line> = {
  /** `describe` is called only if the line is shown. */
  readonly add: (name: string, describe: () => Line) => void;
  /** Lines that another process only counted. */
  readonly addCounts: (counts: LineCounts) => void;
  readonly close: () => void;
};

/** The most names that are counted; the lines of further ones are counted as `other`. */
const maxNames = 6;
const other = 'other';

/** Passes on at most `maxLines` lines a second; further ones are counted. */
export function limitLines<Line>({ show, showCounts }: LineSink<Line>, after: After): LineLimit<Line> {
  let shown = 0;
  const counts = new Map<string, number>();
  let cancel: (() => void) | undefined;

  const flush = (): void => {
    if (counts.size > 0) showCounts(new Map(counts));
    counts.clear();
  };
  const endSecond = (): void => {
    flush();
    shown = 0;
    cancel = undefined;
  };
  const count = (name: string, lines: number): void => {
    const key = counts.has(name) || counts.size < maxNames ? name : other;
    counts.set(key, (counts.get(key) ?? 0) + lines);
  };
  const start = (): void => {
    cancel ??= after(gatherInterval, endSecond);
  };

  return {
    add: (name, describe) => {
      start();
      if (++shown <= maxLines) show(describe());
      else count(boundMethod(name), 1);
    },
    addCounts: (more) => {
      start();
      for (const [name, lines] of more) count(name, lines);
    },
    close: () => {
      cancel?.();
      cancel = undefined;
      flush();
    },
  };
}

/** `134 more calls: avm.issueTx 130, avm.getTx 4` */
export const formatCounts = (counts: LineCounts, lines: string): string => `${totalOf(counts)} more ${lines}: ${listCounts(counts)}`;

export const listCounts = (counts: LineCounts): string => [...counts].map(([name, count]) => `${name} ${count}`).join(', ');

export const totalOf = (counts: LineCounts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);
