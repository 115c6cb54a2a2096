import { type Id, idOf } from '../bytes/id.ts';
import type { Ledger } from '../chain/chain.ts';
import type { Config } from '../config.ts';
import type { AvmReads } from '../rpc/avm.ts';
import type { UtxoSource } from '../rpc/utxo-query.ts';
import { openState } from '../state/chain-state.ts';
import { openSharedMemory } from '../state/shared-memory.ts';
import { memoryPath } from '../store/database.ts';
import { type Lock, takeLock } from '../store/lock.ts';
import { openStore } from '../store/store.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { AvmChainSpec } from './avm-chain.ts';
import type { Env } from './env.ts';
import type { Frame } from './frame.ts';

/** The node's one store as its parts see it. */
export type NodeStore = {
  /** The accepted state of a chain; begun at its genesis if it is new here. */
  readonly chain: (spec: AvmChainSpec) => { readonly ledger: Ledger; readonly reads: AvmReads };
  /** What other chains exported to a chain that does not run here. */
  readonly atomic: (reader: Id) => UtxoSource;
  readonly putAtomic: (reader: Id, from: Id, utxo: Utxo) => void;
  /** Really writes and reads. */
  readonly touch: () => void;
  readonly bytes: () => number;
  readonly close: () => void;
};

export function openNodeStore(config: Config, env: Env, frame: Frame, access: 'write' | 'read'): NodeStore {
  const { path, lock } = place(config, env, access);
  try {
    const readonly = access === 'read';
    const genesis = frame.specs[0].id;
    const store = openStore(env.openDatabase, { path, networkID: config.network.id, genesis, readonly });
    const memory = openSharedMemory(store);
    const strict = !frame.differences.pageCursors;
    return {
      chain: (spec) => {
        const state = openState(store, memory, { id: spec.id, genesis: idOf(spec.genesis.bytes) });
        if (!state.isInitialized())
          state.init(
            spec.genesis.assets.map(({ tx }) => tx),
            spec.first,
          );
        const utxos: UtxoSource = (sourceChain, addresses, start, limit) => state.utxos(sourceChain, { addresses, start, limit }, strict);
        return { ledger: state, reads: { ...state, utxos } };
      },
      atomic: (reader) => (sourceChain, addresses, start, limit) => memory.page(reader, sourceChain, { addresses, start, limit }, strict),
      putAtomic: (reader, from, utxo) => store.write(() => memory.put(reader, from, [utxo])),
      touch: store.touch,
      bytes: () => store.sizes().file + store.sizes().log,
      close: () => {
        store.close();
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** In memory nobody else can look; in a directory only one process may write. */
function place({ store, dataDir }: Config, env: Env, access: 'write' | 'read'): { readonly path: string; readonly lock: Lock | undefined } {
  if (store === 'memory' || dataDir === undefined) return { path: memoryPath, lock: undefined };
  const folder = `${dataDir}/db`;
  const path = `${folder}/serac.sqlite`;
  if (access === 'read') return { path, lock: undefined };
  env.makeFolder(folder);
  return { path, lock: takeLock(env.openDatabase, `${folder}/lock.sqlite`) };
}
