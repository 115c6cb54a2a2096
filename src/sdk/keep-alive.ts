/** Keeps the process running while somebody waits for something, and not otherwise. */
export type KeepAlive = {
  /** Returns the given promise; the process runs at least until it is settled. */
  readonly during: <T>(work: Promise<T>) => Promise<T>;
};

export function createKeepAlive(): KeepAlive {
  let waiting = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const release = (): void => {
    waiting--;
    if (waiting === 0) clearInterval(timer);
  };
  return {
    during: (work) => {
      if (waiting === 0) timer = setInterval(() => {}, longestInterval);
      waiting++;
      work.then(release, release);
      return work;
    },
  };
}

/** The most milliseconds that a timer of Node can have. */
const longestInterval = 2 ** 31 - 1;
