/**
 * A question to a database asked once for all who ask at the same time. Who comes while it is being asked does not share that answer, which
 * may be older than the call, but waits for the next: so everybody is told what holds after they asked, and one question at most is under way.
 */
export function coalesce<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;

  const start = (): Promise<T> => {
    next = undefined;
    const answer = ask();
    const ended = answer.then(done, done).then(() => {
      if (running === ended) running = undefined;
    });
    running = ended;
    return answer;
  };

  return () => {
    if (running === undefined) return start();
    next ??= running.then(start);
    return next;
  };
}

const done = (): void => {};
