import { memoryPath, type OpenDatabase } from '../store/database.ts';
import { openStore, type StoreOptions } from '../store/store.ts';
import { openState } from './chain-state.ts';
import { chainID, genesisID, type NextBlock, otherChainID, type randomChain } from './random-chain.fixture.ts';
import { openSharedMemory } from './shared-memory.ts';

export function openChain(open: OpenDatabase, path: string = memoryPath, options: Partial<StoreOptions> = {}) {
  const store = openStore(open, { path, networkID: 12345, genesis: genesisID, ...options });
  const sharedMemory = openSharedMemory(store);
  const state = openState(store, sharedMemory, { id: chainID, genesis: genesisID });
  return { store, sharedMemory, state, close: store.close };
}

export type OpenChain = ReturnType<typeof openChain>;

/** Appends random blocks to a chain; initializes it with its genesis first if it is empty. */
export function appendBlocks(chain: OpenChain, source: ReturnType<typeof randomChain>, blocks: number, txCount?: number): void {
  if (!chain.state.isInitialized()) chain.state.init(source.genesisTxs, source.first);
  for (let i = 0; i < blocks; i++) commitNext(chain, source.next(chain.state, txCount));
}

export function commitNext({ store, sharedMemory, state }: OpenChain, { inboundUtxos, block, diff }: NextBlock): void {
  if (inboundUtxos.length > 0) store.write(() => sharedMemory.put(chainID, otherChainID, inboundUtxos));
  state.commitAll([{ block, diff }]);
}

/** The code of the fault that `work` throws; undefined if it does not throw. */
export function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { fault?: { code: string } }).fault?.code ?? String(error);
  }
}
