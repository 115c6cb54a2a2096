import type { Id } from '../bytes/id.ts';
import type { Accept } from '../chain/accept.ts';
import type { ChainState, WithinOlder } from '../state/chain-state.ts';
import type { Asset } from '../state/view.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { FollowLedger } from './ledger.ts';

/** How blocks get in, and what must be stored in the same transaction as older outputs: their index. */
export type StateHooks = { readonly accept: Accept; readonly withinOlder?: WithinOlder | undefined };

type State = Pick<ChainState, 'lastAccepted' | 'blockAt' | 'utxo' | 'wasConsumed' | 'asset' | 'addPreLinearizationUtxos'>;

/** A node's own state as the place where followed blocks are kept. Everything happens at once; the promises are the contract's. */
export const stateLedger = (state: State, { accept, withinOlder }: StateHooks): FollowLedger => ({
  lastAccepted: async () => state.lastAccepted(),
  blockAt: async (height) => state.blockAt(height),
  load: async (wanted) => {
    const utxos = new Map<Id, Utxo>();
    const spent = new Set<Id>();
    for (const id of wanted.utxos) {
      const utxo = state.utxo(id);
      if (utxo !== undefined) utxos.set(id, utxo);
      else if (state.wasConsumed(id)) spent.add(id);
    }
    const assets = new Map<Id, Asset | 'not-an-asset'>();
    for (const id of wanted.assets) {
      const asset = state.asset(id);
      if (asset !== undefined) assets.set(id, asset);
    }
    return { utxos, assets, spent };
  },
  commit: async (blocks) => accept(blocks),
  addOlder: async (utxos) => state.addPreLinearizationUtxos(utxos, withinOlder),
});
