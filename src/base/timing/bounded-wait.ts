/** How callers wait for another process or node that may be silent: a short time once, and not at all while it stays silent. */
export type BoundedWait = {
  /**
   * Waits for `work`, which needs an answer of the other side. Resolves with `unanswered` if the other side is silent or slow: work that was
   * started goes on. Rejects if `work` rejects with an error that is not the silence of the other side.
   */
  readonly run: (work: () => Promise<unknown>) => Promise<'answered' | 'unanswered'>;
  /** Why it is silent, as far as an error said so. */
  readonly reason: () => string | undefined;
};

/**
 * Milliseconds that callers wait, and between two attempts while the other side is silent; how many of these run at a time, because one may hang
 * on something that is only slow. Nobody waits for an attempt.
 */
const limits = { wait: 1000, attemptInterval: 250, attempts: 8 } as const;

export function createBoundedWait({
  now,
  after,
  soon,
  isAway,
  isSilence,
}: {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Runs in the next turn of the event loop. */
  readonly soon: (run: () => void) => void;
  /** Whether the other side is known to be away: nothing is started then. */
  readonly isAway: () => boolean;
  /** Whether an error means that the other side is silent. */
  readonly isSilence: (error: unknown) => error is { readonly message: string };
}): BoundedWait {
  let isSilent = false;
  let reason: string | undefined;
  let [lastAnswer, lastAttempt, attempts] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  /** Ends the waits of all callers. */
  const waiting = new Set<() => void>();

  const becomeSilent = (why?: string): void => {
    isSilent = true;
    reason = why;
    for (const end of waiting) end();
  };

  const start = async (work: () => Promise<unknown>): Promise<'answered' | 'unanswered'> => {
    // Work that ends without waiting had nothing to ask for, and says nothing about the other side.
    let hasWaited = false;
    soon(() => {
      hasWaited = true;
    });
    try {
      await work();
      if (hasWaited) {
        isSilent = false;
        lastAnswer = now();
      }
      return 'answered';
    } catch (error) {
      if (!isSilence(error)) throw error;
      becomeSilent(error.message);
      return 'unanswered';
    }
  };

  const attempt = (work: () => Promise<unknown>): void => {
    if (attempts >= limits.attempts || now() - lastAttempt < limits.attemptInterval) return;
    attempts++;
    lastAttempt = now();
    void start(work)
      .catch(() => undefined)
      .finally(() => attempts--);
  };

  return {
    run: async (work) => {
      if (isAway()) return 'unanswered';
      if (isSilent) {
        attempt(work);
        return 'unanswered';
      }
      const began = now();
      const ended = Promise.withResolvers<'unanswered'>();
      const end = (): void => ended.resolve('unanswered');
      waiting.add(end);
      const cancel = after(limits.wait, () => {
        end();
        // If others were answered meanwhile, this work is only slow.
        if (lastAnswer <= began) becomeSilent();
      });
      const started = start(work);
      // If it fails after the wait, nobody is there to hear of it.
      started.catch(() => undefined);
      try {
        return await Promise.race([started, ended.promise]);
      } finally {
        cancel();
        waiting.delete(end);
      }
    },
    reason: () => reason,
  };
}
