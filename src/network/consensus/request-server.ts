import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Timers } from '../../base/timing/timers.ts';

/** A request that may read many blocks. It yields after each read. `worked` is how many milliseconds were spent on it. */
export type SlowRequest = (worked: () => number) => Generator<void, void>;

/**
 * Serves slow requests of peers in slices, one peer after the other, for at most half of the time. A peer that asks for much waits for itself
 * and delays nobody else.
 */
type RequestServer = {
  /** Adds a request. It is dropped if the peer has too many waiting, or if its time is over before it begins. */
  readonly add: (node: NodeId, deadline: number, request: SlowRequest) => void;
  readonly disconnected: (node: NodeId) => void;
  readonly stop: () => void;
};

type Entry = { readonly deadline: number; readonly steps: Generator<void, void>; worked: number };

const maxPerPeer = 16;
const sliceMilliseconds = 5;

export function createRequestServer(timers: Timers): RequestServer {
  const queues = new Map<NodeId, Entry[]>();
  let cancel: (() => void) | undefined;

  /** The next peer's oldest request; the peer moves behind the others. */
  const next = (): Entry | undefined => {
    for (const [node, queue] of queues) {
      queues.delete(node);
      while (queue.length > 0) {
        const entry = queue[0] as Entry;
        if (entry.worked === 0 && timers.now() > entry.deadline) {
          queue.shift();
          continue;
        }
        queues.set(node, queue);
        return entry;
      }
    }
    return undefined;
  };
  const finish = (entry: Entry): void => {
    for (const [node, queue] of queues) {
      if (queue[0] !== entry) continue;
      queue.shift();
      if (queue.length === 0) queues.delete(node);
    }
  };
  const slice = (): void => {
    cancel = undefined;
    const entry = next();
    if (entry === undefined) return;
    const start = timers.now();
    let isDone = false;
    while (!isDone && timers.now() - start < sliceMilliseconds) isDone = entry.steps.next().done === true;
    const spent = timers.now() - start;
    entry.worked += spent;
    if (isDone) finish(entry);
    if (queues.size > 0) cancel = timers.after(spent, slice);
  };

  return {
    add: (node, deadline, request) => {
      const queue = queues.get(node) ?? [];
      if (queue.length >= maxPerPeer) return;
      const entry: Entry = { deadline, worked: 0, steps: request(() => entry.worked) };
      queues.set(node, [...queue, entry]);
      cancel ??= timers.after(0, slice);
    },
    disconnected: (node) => {
      queues.delete(node);
    },
    stop: () => {
      cancel?.();
      queues.clear();
    },
  };
}
