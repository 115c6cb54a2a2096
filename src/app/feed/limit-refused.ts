import { boundMethod, type RefusedCall } from '../../api/rpc/refused-call.ts';
import { type After, gatherInterval, maxLines } from './gather-blocks.ts';

/** Refused calls that were counted and not shown each, by method. */
export type RefusedCounts = ReadonlyMap<string, number>;

/** Where refused calls go: a terminal, or from a reader process to the writer process. */
type RefusedSink = {
  readonly show: (call: RefusedCall) => void;
  /** Calls of the last second that were only counted. */
  readonly showCounts: (counts: RefusedCounts) => void;
};

export type RefusedLimit = {
  /** `describe` is called only if the call is shown. */
  readonly add: (method: string, describe: () => RefusedCall) => void;
  /** Calls that another process only counted. */
  readonly addCounts: (counts: RefusedCounts) => void;
  readonly close: () => void;
};

/** The most methods that are counted by name; the calls of further ones are counted as `other`. */
const maxMethods = 6;
const other = 'other';

/** Passes on at most `maxLines` refused calls a second; further ones are counted. */
export function limitRefused({ show, showCounts }: RefusedSink, after: After): RefusedLimit {
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
  const count = (method: string, calls: number): void => {
    const name = counts.has(method) || counts.size < maxMethods ? method : other;
    counts.set(name, (counts.get(name) ?? 0) + calls);
  };
  const start = (): void => {
    cancel ??= after(gatherInterval, endSecond);
  };

  return {
    add: (method, describe) => {
      start();
      if (++shown <= maxLines) show(describe());
      else count(boundMethod(method), 1);
    },
    addCounts: (more) => {
      start();
      for (const [method, calls] of more) count(method, calls);
    },
    close: () => {
      cancel?.();
      cancel = undefined;
      flush();
    },
  };
}
