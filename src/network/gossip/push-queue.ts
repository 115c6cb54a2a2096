import type { Id } from '../../base/bytes/id.ts';
import { createLruMap } from '../../base/cache/lru-map.ts';
import type { QueueParameters } from './gossip-parameters.ts';
import type { GossipItem, GossipPool } from './tx-gossip.ts';

type Tracked = { readonly item: GossipItem; pushed: number };

/** The transactions that this node pushes: those issued through its own API. AvalancheGo: network/p2p/gossip/gossip.go, PushGossiper. */
export function createPushQueue(parameters: QueueParameters, pool: Pick<GossipPool, 'has'>) {
  // Maps keep the order of insertion: the first entry is the one that waits longest.
  const unsent = new Map<Id, Tracked>();
  const sent = new Map<Id, Tracked>();
  const discarded = createLruMap<true>(parameters.discardedSize);

  const take = (from: Map<Id, Tracked>, now: number, onGone: (id: Id) => void): Uint8Array[] => {
    const taken: Uint8Array[] = [];
    let size = 0;
    for (const [id, tracked] of from) {
      if (size >= parameters.targetSize) break;
      if (!pool.has(id)) {
        from.delete(id);
        onGone(id);
        continue;
      }
      // They are ordered by the time of their last push: all later ones are younger.
      if (tracked.pushed > now - parameters.repushInterval) break;
      from.delete(id);
      tracked.pushed = now;
      sent.set(id, tracked);
      taken.push(tracked.item.bytes);
      size += tracked.item.bytes.length;
    }
    return taken;
  };

  return {
    /** Adds a transaction of this node. */
    add: (item: GossipItem, now: number): void => {
      if (unsent.has(item.id) || sent.has(item.id)) return;
      // One that was dropped lately waits as if it had just been pushed.
      if (discarded.get(item.id)) sent.set(item.id, { item, pushed: now });
      else unsent.set(item.id, { item, pushed: Number.NEGATIVE_INFINITY });
    },
    /** Takes transactions for their first push, about `targetSize` bytes. */
    takeNew: (now: number): Uint8Array[] => take(unsent, now, () => {}),
    /** Takes transactions that still wait and were pushed long enough ago. */
    takeOld: (now: number): Uint8Array[] => take(sent, now, (id) => discarded.set(id, true)),
    counts: () => ({ unsent: unsent.size, sent: sent.size }),
  };
}
