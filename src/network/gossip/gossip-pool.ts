import type { Id } from '../../base/bytes/id.ts';

/** A signed transaction as gossip sends it. The ID is the hash of the bytes. */
export type GossipItem = { readonly id: Id; readonly bytes: Uint8Array };

/** The mempool as gossip sees it. */
export type GossipPool = {
  readonly has: (id: Id) => boolean;
  /**
   * Verifies a transaction of a peer and adds it. Returns or resolves to whether it was added. Must not throw for an invalid one. `bytes`
   * belong to the callee.
   */
  readonly add: (bytes: Uint8Array) => boolean | Promise<boolean>;
  /** All transactions; the iterator must stay usable while the pool changes. */
  readonly items: () => Iterable<GossipItem>;
  readonly count: () => number;
};
