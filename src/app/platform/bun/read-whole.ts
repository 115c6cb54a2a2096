import { bodyCutShortError, bodyTimeoutError } from '../serve.ts';

/** A body that has not arrived: when it is late, by `performance.now()`, and what refuses it then. */
type Waiting = { readonly lateAt: number; readonly refuse: (error: unknown) => void };

/**
 * Creates a function that reads whole bodies as Bun has them, without a copy. One timer watches the bodies of all requests: one for each would take
 * 1.4 of the 18 µs of a short answer. A body is refused up to a quarter of `timeout` too late.
 */
export function createReadWhole(timeout: number): (request: Request) => Promise<Uint8Array> {
  /** In the order of their deadlines. */
  const waiting = new Set<Waiting>();
  let isWatching = false;
  const refuseLate = (): void => {
    const now = performance.now();
    for (const body of waiting) {
      if (body.lateAt > now) break;
      waiting.delete(body);
      body.refuse(bodyTimeoutError());
    }
    isWatching = waiting.size > 0;
    if (isWatching) setTimeout(refuseLate, timeout / 4).unref();
  };
  return (request) =>
    new Promise((resolve, reject) => {
      const body: Waiting = { lateAt: performance.now() + timeout, refuse: reject };
      waiting.add(body);
      if (!isWatching) {
        isWatching = true;
        setTimeout(refuseLate, timeout / 4).unref();
      }
      request.bytes().then(
        (bytes) => {
          waiting.delete(body);
          resolve(bytes);
        },
        () => {
          waiting.delete(body);
          reject(bodyCutShortError());
        },
      );
    });
}
