/** Runs one task at a time, in order of the calls. A failed task does not block the next. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

/** Runs at most `count` tasks at a time, in order of the calls. */
export function createSlots(count: number): Mutex {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < count) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
