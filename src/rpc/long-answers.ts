import type { LongWork } from '../timing/long-work.ts';

/**
 * Answers that take long, made in turns with other requests. One is made at a time, since each may take tens of megabytes, and once for
 * all who ask for it meanwhile.
 */
export type LongAnswers = <T>(key: string, work: Generator<void, T>) => Promise<T>;

export function createLongAnswers(longWork: LongWork): LongAnswers {
  const underWay = new Map<string, Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();

  return <T>(key: string, work: Generator<void, T>): Promise<T> => {
    const known = underWay.get(key);
    if (known !== undefined) return known as Promise<T>;
    const made = last.then(() => finished(work, longWork)).finally(() => underWay.delete(key));
    underWay.set(key, made);
    last = made.catch(() => {});
    return made;
  };
}

async function finished<T>(work: Generator<void, T>, longWork: LongWork): Promise<T> {
  const pause = longWork.begin();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await pause();
  }
}
