import type { Id } from '../../base/bytes/id.ts';
import { createLruMap } from '../../base/bytes/lru-map.ts';
import type { Timers } from '../../base/timing/timers.ts';

/** Milliseconds in which a refused block is not fetched and verified again: twice as long after each refusal. */
const pause = { first: 250, max: 5000 } as const;
/** Pauses that are kept; without its pause a block is only verified again sooner. */
const maxPauses = 1024;

export type RefusedPauses = {
  readonly add: (block: Id) => void;
  readonly remove: (block: Id) => void;
  readonly isPaused: (block: Id) => boolean;
};

/**
 * Blocks that were refused lately. Peers name such a block with every vote, but only time can change the verdict: the validators that it refers to
 * become known, or its timestamp is reached.
 */
export function createRefusedPauses({ now }: Pick<Timers, 'now'>): RefusedPauses {
  const pauses = createLruMap<{ readonly until: number; readonly length: number }>();
  return {
    add: (block) => {
      const length = Math.min(pause.max, 2 * (pauses.get(block)?.length ?? pause.first / 2));
      pauses.set(block, { until: now() + length, length });
      if (pauses.size() > maxPauses) pauses.delete(pauses.oldest()?.key as string);
    },
    remove: pauses.delete,
    isPaused: (block) => (pauses.get(block)?.until ?? 0) > now(),
  };
}
