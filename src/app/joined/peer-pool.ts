import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { Fault, unlessFault } from '../../base/fault.ts';
import type { Chain } from '../../chain/lifecycle/chain.ts';
import type { GossipPool } from '../../network/gossip/tx-gossip.ts';

/** The mempool as gossip uses it. `isAdding`: whether a transaction of a peer is being added now. */
export function createPeerPool(
  chain: Pick<Chain, 'fetchAndRecover' | 'issue' | 'mempool'>,
): GossipPool & { readonly isAdding: (id: Id) => boolean } {
  let adding: Id | undefined;
  const add = (tx: Tx): boolean => {
    adding = tx.id;
    try {
      chain.issue(tx);
      return true;
    } catch (error) {
      return refuse(error);
    } finally {
      adding = undefined;
    }
  };
  return {
    has: (id) => chain.mempool.get(id) !== undefined,
    add: (bytes) => {
      const tx = unlessFault(() => parseTx(bytes));
      if (tx === undefined) return false;
      // Too many signatures may wait to be recovered: that refuses this transaction only.
      return chain.fetchAndRecover(tx)?.then(() => add(tx), refuse) ?? add(tx);
    },
    items: chain.mempool.all,
    count: () => chain.mempool.size().txs,
    isAdding: (id) => id === adding,
  };
}

/** A fault refuses a transaction; other errors are bugs, and are thrown. */
const refuse = (error: unknown): false => {
  if (error instanceof Fault) return false;
  throw error;
};
