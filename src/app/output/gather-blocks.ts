import { type BlockSummary, mergeSummaries } from './block-summary.ts';

/** The most lines of one kind in a second; more are gathered. */
export const maxLines = 20;
export const gatherInterval = 1000;

export type After = (ms: number, run: () => void) => () => void;

/** Passes summaries on, and if there are too many in a second, their sum once a second. `close` passes on what is gathered. */
type BlockGatherer = { readonly add: (summary: BlockSummary) => void; readonly close: () => void };

export function gatherBlocks(show: (summary: BlockSummary) => void, after: After): BlockGatherer {
  let blocks = 0;
  /** Whether the second before had too many blocks: then all blocks of this one are gathered. */
  let isBusy = false;
  const gathered = new Map<string, BlockSummary>();
  let cancel: (() => void) | undefined;

  const flush = (): void => {
    for (const summary of gathered.values()) show(summary);
    gathered.clear();
  };

  const endSecond = (): void => {
    flush();
    isBusy = blocks > maxLines;
    cancel = blocks > 0 ? after(gatherInterval, endSecond) : undefined;
    blocks = 0;
  };

  return {
    add: (summary) => {
      cancel ??= after(gatherInterval, endSecond);
      if (++blocks <= maxLines && !isBusy) return show(summary);
      const before = gathered.get(summary.chain);
      gathered.set(summary.chain, before === undefined ? summary : mergeSummaries(before, summary));
    },
    close: () => {
      cancel?.();
      cancel = undefined;
      flush();
    },
  };
}
