import type { Channel } from '../platform/node-processes.ts';

/** Both ends of a channel in one process. Messages are cloned, as between processes. */
export function channelPair() {
  const ends = [[], []] as [((message: unknown) => void)[], ((message: unknown) => void)[]];
  let messages = 0;
  const end = (own: 0 | 1): Channel => ({
    send: (message) => {
      messages++;
      const copy = structuredClone(message);
      queueMicrotask(() => ends[own === 0 ? 1 : 0].forEach((listener) => void listener(copy)));
    },
    onMessage: (listener) => void ends[own].push(listener),
  });
  return { client: end(0), server: end(1), messages: () => messages };
}

export const soon = (run: () => void) => void setImmediate(run);
export const never = () => () => {};
