/**
 * Wraps a query so that concurrent calls share it, with at most one query running. A call made while a query is running does not share its
 * result, which may be older than the call, but waits for the next query. So every caller gets a result from after its call.
 */
export function coalesce<T>(query: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;

  const start = (): Promise<T> => {
    next = undefined;
    const result = query();
    const ended = result.then(ignore, ignore).then(() => {
      if (running === ended) running = undefined;
    });
    running = ended;
    return result;
  };

  return () => {
    if (running === undefined) return start();
    next ??= running.then(start);
    return next;
  };
}

const ignore = (): void => {};
