import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { Asset } from '../../avm/view.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { ChainState } from '../../ledger/state/chain-state.ts';
import type { OnUtxosStored } from '../../ledger/state/chain-writer.ts';
import type { Accept } from '../lifecycle/accept.ts';
import type { FollowLedger } from './ledger.ts';

/** How blocks are accepted, and what is stored in the same database transaction as pre-linearization outputs (their index rows). */
type StateHooks = { readonly accept: Accept; readonly onPreLinearizationUtxos?: OnUtxosStored | undefined };

type State = Pick<ChainState, 'lastAccepted' | 'blockAt' | 'utxo' | 'wasConsumed' | 'asset' | 'addPreLinearizationUtxos'>;

/** A ledger in the SQLite state of this node. All calls are synchronous; promises are there for the interface. */
export const createStateLedger = (state: State, { accept, onPreLinearizationUtxos }: StateHooks): FollowLedger => ({
  lastAccepted: async () => state.lastAccepted(),
  blockAt: async (height) => state.blockAt(height),
  load: async (requested) => {
    const utxos = new Map<Id, Utxo>();
    const spent = new Set<Id>();
    for (const ref of requested.utxos) {
      const utxo = state.utxo(ref);
      if (utxo !== undefined) utxos.set(refId(ref), utxo);
      else if (state.wasConsumed(ref)) spent.add(refId(ref));
    }
    const assets = new Map<Id, Asset | 'not-an-asset'>();
    for (const id of requested.assets) {
      const asset = state.asset(id);
      if (asset !== undefined) assets.set(id, asset);
    }
    return { utxos, assets, spent };
  },
  commit: async (blocks) => accept(blocks),
  addPreLinearizationUtxos: async (utxos) => state.addPreLinearizationUtxos(utxos, onPreLinearizationUtxos),
});
