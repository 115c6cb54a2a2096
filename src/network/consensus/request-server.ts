import type { NodeId } from '../../base/bytes/node-id.ts';
import { Fault } from '../../base/fault.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { HoldBytes } from '../protocol/transport.ts';
import { createQueueLimit, type QueueLimits, takeTurn, unlimited } from './queue-limit.ts';

/** A request of a peer that may read many blocks or transactions (getter.ts, gossip/pull-server.ts). It yields after each read. `worked` is how many milliseconds were spent on it. */
export type SlowRequest = (worked: () => number) => Generator<void, void>;

type Entry = {
  readonly node: NodeId;
  readonly deadline: number;
  readonly end: () => void;
  readonly steps: Generator<void, void>;
  worked: number;
};

/**
 * Bytes in memory. The bytes of the messages are held too and are fewer, so that a peer is not read any more before it reaches these limits: a
 * request that is dropped was decoded for nothing.
 */
const limits: QueueLimits = {
  perPeer: { count: 16, bytes: 8 * 1024 * 1024 },
  withoutStake: { ...unlimited, bytes: 24 * 1024 * 1024 },
  all: { ...unlimited, bytes: 32 * 1024 * 1024 },
};
const sliceMilliseconds = 5;

/**
 * Serves slow requests of peers in slices, one peer after the other, those with stake first, for at most half of the time. A peer that asks
 * for much waits for itself and delays nobody else. `hasStake`: whether a peer is a validator; without sybil protection all are alike.
 */
export function createRequestServer(timers: Timers, hasStake: (node: NodeId) => boolean = () => false) {
  /** By peer, in the order in which their turns come. */
  const queues = new Map<NodeId, Entry[]>();
  const limit = createQueueLimit(limits, hasStake);
  let cancel: (() => void) | undefined;

  const remove = (queue: Entry[]): void => {
    const entry = queue.shift();
    if (entry === undefined) return;
    entry.end();
    if (queue.length === 0) queues.delete(entry.node);
  };
  /** The oldest request of the peer whose turn it is; the peer moves behind the others. */
  const next = (): Entry | undefined => {
    for (const queue of [...queues.values()])
      while (queue[0] !== undefined && queue[0].worked === 0 && timers.now() > queue[0].deadline) remove(queue);
    return takeTurn(queues, hasStake)?.[1][0];
  };
  const slice = (): void => {
    cancel = undefined;
    const entry = next();
    if (entry === undefined) return;
    const start = timers.now();
    let isDone = false;
    try {
      while (!isDone && timers.now() - start < sliceMilliseconds) isDone = entry.steps.next().done === true;
    } catch (error) {
      // A damaged block: the store has noted it, and the peer gets no answer.
      if (!(error instanceof Fault)) throw error;
      isDone = true;
    }
    const spent = timers.now() - start;
    entry.worked += spent;
    const queue = queues.get(entry.node);
    if (isDone && queue?.[0] === entry) remove(queue);
    if (queues.size > 0) cancel = timers.after(spent, slice);
  };

  return {
    /** Adds a request of so many bytes. It is dropped if too many wait, of this peer or of all, or if its time is over before it begins. */
    add: (node: NodeId, deadline: number, bytes: number, request: SlowRequest, hold?: HoldBytes): void => {
      const end = limit.admit(node, bytes, hold);
      if (end === undefined) return;
      const queue = queues.get(node) ?? [];
      const entry: Entry = { node, deadline, end, worked: 0, steps: request(() => entry.worked) };
      queue.push(entry);
      queues.set(node, queue);
      cancel ??= timers.after(0, slice);
    },
    /** Drops what a peer waits for. */
    disconnected: (node: NodeId): void => {
      const queue = queues.get(node);
      while (queue !== undefined && queue.length > 0) remove(queue);
    },
    /** Bytes of all requests that wait. */
    waitingBytes: (): number => limit.waiting().bytes,
    stop: (): void => {
      cancel?.();
      limit.clear();
      queues.clear();
    },
  };
}
