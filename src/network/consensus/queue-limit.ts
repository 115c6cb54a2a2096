import type { NodeId } from '../../base/bytes/node-id.ts';
import type { HoldBytes } from '../protocol/transport.ts';

/** How much may wait: items, and bytes of them. */
export type Room = { readonly count: number; readonly bytes: number };

/** Room for what peers cause: of one peer, of all peers without stake together, and of all peers. The difference is left to peers with stake. */
export type QueueLimits = { readonly perPeer: Room; readonly withoutStake: Room; readonly all: Room };

/**
 * Bounds what peers can make this node hold: queries, blocks, requests, transactions, each with limits of its own (engine-parameters.ts,
 * gossip-parameters.ts). What exceeds the limits is dropped: a peer that sends too much loses its own messages first.
 */
export type QueueLimit = ReturnType<typeof createQueueLimit>;

/** A room without a limit of its own. */
export const unlimited: Room = { count: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

type Used = { count: number; bytes: number };

export function createQueueLimit(limits: QueueLimits, hasStake: (node: NodeId) => boolean) {
  const perPeer = new Map<NodeId, Used>();
  const withoutStake: Used = { count: 0, bytes: 0 };
  const all: Used = { count: 0, bytes: 0 };
  const open = new Set<() => void>();

  return {
    /**
     * Takes room for one item, and holds the bytes of its message. Returns a function that gives both back, to be called once; undefined if there
     * is no room.
     */
    admit: (node: NodeId, bytes: number, hold?: HoldBytes): (() => void) | undefined => {
      const ofPeer = perPeer.get(node) ?? { count: 0, bytes: 0 };
      const isOther = !hasStake(node);
      if (!fits(ofPeer, limits.perPeer, bytes) || !fits(all, limits.all, bytes)) return undefined;
      if (isOther && !fits(withoutStake, limits.withoutStake, bytes)) return undefined;
      perPeer.set(node, ofPeer);
      const taken = isOther ? [ofPeer, all, withoutStake] : [ofPeer, all];
      for (const used of taken) change(used, 1, bytes);
      const release = hold?.();
      const end = (): void => {
        if (!open.delete(end)) return;
        for (const used of taken) change(used, -1, -bytes);
        if (ofPeer.count === 0) perPeer.delete(node);
        release?.();
      };
      open.add(end);
      return end;
    },
    /** Gives everything back, when nothing that waits will be done. */
    clear: (): void => {
      for (const end of open) end();
    },
    /** What waits of all peers. */
    waiting: (): Room => all,
  };
}

const fits = (used: Room, limit: Room, bytes: number): boolean => used.count < limit.count && used.bytes + bytes <= limit.bytes;

const change = (used: Used, count: number, bytes: number): void => {
  used.count += count;
  used.bytes += bytes;
};

/** The peer whose turn it is, and what waits of it: peers with stake first. It moves behind the others. */
export function takeTurn<T>(turns: Map<NodeId, T>, hasStake: (node: NodeId) => boolean): readonly [node: NodeId, waiting: T] | undefined {
  const node = [...turns.keys()].find(hasStake) ?? turns.keys().next().value;
  const waiting = node === undefined ? undefined : turns.get(node);
  if (node === undefined || waiting === undefined) return undefined;
  turns.delete(node);
  turns.set(node, waiting);
  return [node, waiting];
}
