import { type Id, idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createLruMap } from '../../base/cache/lru-map.ts';
import type { Timers } from '../../base/timing/timers.ts';
import { createMailbox } from '../consensus/mailbox.ts';
import { createQueueLimit, takeTurn } from '../consensus/queue-limit.ts';
import type { HoldBytes } from '../protocol/transport.ts';
import { gossipLimits } from './gossip-parameters.ts';
import type { GossipPool } from './tx-gossip.ts';

/** A transaction that waits; `end` gives its room back. */
type Entry = { readonly bytes: Uint8Array; readonly end: () => void };

/**
 * Transactions of peers on their way into the mempool: verified one after the other, those of peers with stake first, bounded per peer and in total.
 * Peers take turns: if the transactions of one are slow to verify, because they import much from other chains, only its own ones wait.
 * `onError` is called with each error that a transaction causes; that transaction counts as refused.
 */
export function createReceivedQueue(
  pool: Pick<GossipPool, 'has' | 'add'>,
  timers: Timers,
  hasStake: (node: NodeId) => boolean,
  onAdded: (id: Id) => void,
  onError: (error: unknown) => void,
) {
  const mailbox = createMailbox(timers, onError);
  const refused = createRefusedTxs(gossipLimits.refused, gossipLimits.refusedFor);
  const limit = createQueueLimit(gossipLimits.queued, hasStake);
  const queued = new Map<Id, Entry>();
  /** What waits of each peer, in the order of their turns. */
  const turns = new Map<NodeId, Id[]>();
  const counts = { added: 0, refused: 0, dropped: 0 };
  let isStopped = false;

  const finish = (id: Id, isAdded: boolean): void => {
    if (isAdded) {
      counts.added++;
      onAdded(id);
    } else {
      counts.refused++;
      refused.add(id, timers.now());
    }
  };
  /** An error of one transaction is reported. It must not end the queue: the next transactions may be valid. */
  const verify = (id: Id, bytes: Uint8Array): void | Promise<void> => {
    const fail = (error: unknown): void => {
      if (isStopped) return;
      finish(id, false);
      onError(error);
    };
    try {
      if (pool.has(id)) return;
      const result = pool.add(bytes);
      return typeof result === 'boolean' ? finish(id, result) : result.then((isAdded) => finish(id, isAdded)).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  /** Returns whether the transaction waits; `verified` is called when it does not any more. */
  const enqueue = (node: NodeId, item: Uint8Array, verified: () => void): boolean => {
    const id = idOf(item);
    if (queued.has(id) || pool.has(id) || refused.has(id, timers.now())) return false;
    const end = limit.admit(node, item.length, () => verified);
    if (end === undefined) {
      counts.dropped++;
      return false;
    }
    queued.set(id, { bytes: new Uint8Array(item), end });
    const ids = turns.get(node) ?? [];
    ids.push(id);
    turns.set(node, ids);
    mailbox.post(verifyNext);
    return true;
  };
  const verifyNext = (): void | Promise<void> => {
    const [node, ids] = takeTurn(turns, hasStake) ?? [];
    const id = ids?.shift();
    // The peer has left.
    if (node === undefined || id === undefined) return;
    if (ids?.length === 0) turns.delete(node);
    return verify(id, remove(id));
  };
  const remove = (id: Id): Uint8Array => {
    const { bytes, end } = queued.get(id) as Entry;
    queued.delete(id);
    end();
    return bytes;
  };

  return {
    /** Adds copies of the transactions of a message, except what is known, refused lately, or exceeds a limit. Keeps `hold` until the last is verified. */
    add: (node: NodeId, items: readonly Uint8Array[], hold?: HoldBytes): void => {
      // One more than those that wait: the last step comes after all are added, because the first ones may be verified at once.
      let unfinished = 1;
      const release = hold?.();
      const finishOne = (): void => void (--unfinished === 0 && release?.());
      for (const item of items) {
        unfinished++;
        if (!enqueue(node, item, finishOne)) unfinished--;
      }
      finishOne();
    },
    /** Drops what waits of a peer. */
    disconnected: (node: NodeId): void => {
      for (const id of turns.get(node) ?? []) remove(id);
      turns.delete(node);
    },
    queuedBytes: (): number => limit.waiting().bytes,
    counts: (): { readonly added: number; readonly refused: number; readonly dropped: number } => counts,
    stop: (): void => {
      isStopped = true;
      mailbox.close();
      limit.clear();
    },
  };
}

/** Transactions of peers that were refused lately: they are not verified again until `duration` milliseconds have passed. */
function createRefusedTxs(maxSize: number, duration: number) {
  const until = createLruMap<number>(maxSize);
  return {
    add: (id: Id, now: number): void => until.set(id, now + duration),
    has: (id: Id, now: number): boolean => (until.get(id) ?? 0) > now,
  };
}
