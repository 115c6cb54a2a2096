import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase as openOnBun } from '../platform/database-bun.ts';
import { openDatabase as openOnNode } from '../platform/database-node.ts';
import { memoryPath, type OpenDatabase } from '../store/database.ts';
import { openStore, type StoreOptions } from '../store/store.ts';
import { openState } from './chain-state.ts';
import { chainID, genesisID, type NextBlock, peerID, type randomChain } from './random-chain.fixture.ts';
import { openSharedMemory } from './shared-memory.ts';

/** Every driver, in memory and on disk: one suite for all of them. */
export const drivers: readonly { readonly name: string; readonly open: OpenDatabase; readonly onDisk: boolean }[] = [
  { name: 'bun:sqlite in memory', open: openOnBun, onDisk: false },
  { name: 'bun:sqlite on disk', open: openOnBun, onDisk: true },
  { name: 'node:sqlite in memory', open: openOnNode, onDisk: false },
  { name: 'node:sqlite on disk', open: openOnNode, onDisk: true },
];

/** A directory that is gone when the work is done. */
export function inScratch<T>(work: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'serac-state-'));
  try {
    return work(join(folder, 'serac.sqlite'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function openChain(open: OpenDatabase, path: string = memoryPath, options: Partial<StoreOptions> = {}) {
  const store = openStore(open, { path, networkID: 12345, genesis: genesisID, ...options });
  const memory = openSharedMemory(store);
  const state = openState(store, memory, { id: chainID, genesis: genesisID });
  return { store, memory, state, close: store.close };
}

export type OpenChain = ReturnType<typeof openChain>;

/** A chain with its genesis and some random blocks. */
export function grow(chain: OpenChain, source: ReturnType<typeof randomChain>, blocks: number, txCount?: number): void {
  if (!chain.state.isInitialized()) chain.state.init(source.genesisTxs, source.first);
  for (let i = 0; i < blocks; i++) commitNext(chain, source.next(chain.state, txCount));
}

export function commitNext({ store, memory, state }: OpenChain, { puts, block, diff }: NextBlock): void {
  if (puts.length > 0) store.write(() => memory.put(chainID, peerID, puts));
  state.commit(block, diff);
}
