import { type Id, idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Timers } from '../../base/timing/timers.ts';
import { createMailbox } from '../consensus/mailbox.ts';
import { boundedMap } from './bounded-map.ts';
import { gossipLimits } from './gossip-parameters.ts';
import type { GossipPool } from './gossip-pool.ts';

/** Transactions of peers on their way into the mempool: verified one after the other, bounded per peer and in total. */
type ReceivedQueue = {
  /** Adds transactions, which are copied. What is known, refused lately, or exceeds a limit is dropped. */
  readonly add: (node: NodeId, items: readonly Uint8Array[]) => void;
  readonly counts: () => { readonly added: number; readonly refused: number; readonly dropped: number };
  readonly stop: () => void;
};

export function createReceivedQueue(
  pool: Pick<GossipPool, 'has' | 'add'>,
  timers: Timers,
  onAdded: (id: Id) => void,
  onError: (error: unknown) => void,
): ReceivedQueue {
  const mailbox = createMailbox(timers, onError);
  const refused = createRefusedTxs(gossipLimits.refused, gossipLimits.refusedFor);
  const bytesOf = new Map<NodeId, number>();
  const queued = new Set<Id>();
  let queuedBytes = 0;
  const counts = { added: 0, refused: 0, dropped: 0 };

  const changeBytes = (node: NodeId, by: number): void => {
    queuedBytes += by;
    const bytes = (bytesOf.get(node) ?? 0) + by;
    if (bytes === 0) bytesOf.delete(node);
    else bytesOf.set(node, bytes);
  };
  const finish = (id: Id, isAdded: boolean): void => {
    if (isAdded) {
      counts.added++;
      onAdded(id);
    } else {
      counts.refused++;
      refused.add(id, timers.now());
    }
  };
  const verify = (id: Id, bytes: Uint8Array): void | Promise<void> => {
    if (pool.has(id)) return;
    const result = pool.add(bytes);
    return typeof result === 'boolean' ? finish(id, result) : result.then((isAdded) => finish(id, isAdded));
  };
  const enqueue = (node: NodeId, item: Uint8Array): void => {
    const id = idOf(item);
    if (queued.has(id) || pool.has(id) || refused.has(id, timers.now())) return;
    const { length } = item;
    if (queuedBytes + length > gossipLimits.queuedBytes || (bytesOf.get(node) ?? 0) + length > gossipLimits.queuedBytesPerPeer) {
      counts.dropped++;
      return;
    }
    const bytes = new Uint8Array(item);
    changeBytes(node, length);
    queued.add(id);
    mailbox.post(() => {
      changeBytes(node, -length);
      queued.delete(id);
      return verify(id, bytes);
    });
  };

  return {
    add: (node, items) => {
      for (const item of items) enqueue(node, item);
    },
    counts: () => counts,
    stop: mailbox.close,
  };
}

/** Transactions of peers that were refused lately: they are not verified again until `duration` milliseconds have passed. */
type RefusedTxs = { readonly add: (id: Id, now: number) => void; readonly has: (id: Id, now: number) => boolean };

function createRefusedTxs(maxSize: number, duration: number): RefusedTxs {
  const until = boundedMap<Id, number>(maxSize);
  return {
    add: (id, now) => until.set(id, now + duration),
    has: (id, now) => (until.get(id) ?? 0) > now,
  };
}
