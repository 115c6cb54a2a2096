/**
 * Long work in small pieces, so that other requests are answered in between. All long work of a process takes turns: one piece per turn of
 * the event loop, however many are under way.
 */
export type LongWork = {
  /** Begins a piece in the current turn; call the result between two steps and wait for the promise if there is one. */
  readonly begin: () => Pause;
};

/** Undefined while the piece may go on, else a promise that resolves when its next turn has come. */
export type Pause = () => Promise<void> | undefined;

export type LongWorkTimers = {
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** Runs in the next turn of the event loop, after what has arrived was handled. */
  readonly soon: (run: () => void) => void;
};

/** Milliseconds after which a piece pauses. */
const pieceTime = 8;

export function createLongWork({ now, soon }: LongWorkTimers): LongWork {
  const waiting: (() => void)[] = [];
  const runNext = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) soon(runNext);
  };
  return {
    begin: () => {
      let started = now();
      return () => {
        if (now() - started < pieceTime) return undefined;
        return new Promise((resolve) => {
          const resume = (): void => {
            started = now();
            resolve();
          };
          if (waiting.push(resume) === 1) soon(runNext);
        });
      };
    },
  };
}
