import { readFileSync } from 'node:fs';
import { createAddressFormatter } from '../src/bytes/address.ts';
import { type Id, idOf, parseId, zeroId } from '../src/bytes/id.ts';
import { type Chain, createChain } from '../src/chain/chain.ts';
import type { Ledger } from '../src/chain/ledger.ts';
import { createTxVerifier } from '../src/chain/tx-verifier.ts';
import { recoverNative } from '../src/crypto/curve-native.ts';
import { createSignerCache } from '../src/crypto/recover.ts';
import { startSolo } from '../src/engine/solo.ts';
import type { Engine } from '../src/engine/vm.ts';
import { genesisUtxos } from '../src/genesis/avm-genesis.ts';
import { genesisBlock } from '../src/genesis/genesis-block.ts';
import { loadNetworkGenesis } from '../src/genesis/network-genesis.ts';
import { getNetwork } from '../src/network.ts';
import { openDatabase as openSqlite } from '../src/platform/database-bun.ts';
import { type ChainState, openState } from '../src/state/chain-state.ts';
import { openSharedMemory } from '../src/state/shared-memory.ts';
import { memoryPath, type OpenDatabase } from '../src/store/database.ts';
import { openStore, type Store } from '../src/store/store.ts';
import type { Block } from '../src/tx/block.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { createLedgerModel, type LedgerModel } from './ledger-model.ts';

/** The X-Chain of a new local network with the real chain, state and database, but without sockets, clock and engine. */
export type LocalChain = {
  readonly chain: Chain;
  readonly state: ChainState;
  readonly store: Store;
  /** Adds an output that this chain can import. */
  readonly deposit: (from: Id, utxo: Utxo) => void;
  readonly close: () => void;
};

export type LocalChainOptions = {
  /** Path of the database file; without it the database is in memory. */
  readonly path?: string;
  /** Unix seconds. */
  readonly now: () => bigint;
  readonly strict?: boolean;
  readonly openDatabase?: OpenDatabase;
  readonly onAccepted?: (block: Block) => void;
  readonly acceptUnknownImports?: boolean;
};

export const pChain = zeroId;
export const cChain = parseId('2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC');

export function openLocalChain(options: LocalChainOptions): LocalChain {
  const { path = memoryPath, now, strict = false, openDatabase = openSqlite, onAccepted, acceptUnknownImports = false } = options;
  const { network, x, first } = localGenesis();
  const store = openStore(openDatabase, { path, networkID: network.id, genesis: x.blockchainID });
  const memory = openSharedMemory(store);
  const state = openState(store, memory, { id: x.blockchainID, genesis: idOf(x.genesis.bytes) });
  if (!state.isInitialized())
    state.init(
      x.genesis.assets.map(({ tx }) => tx),
      first,
    );
  const [avax] = x.genesis.assets;
  const verifier = createTxVerifier({
    rules: { networkID: network.id, chainID: x.blockchainID, feeAsset: avax.tx.id, ...network.fees },
    recover: createSignerCache(recoverNative).recover,
    addressText: createAddressFormatter('X', network.hrp),
    now,
    subnetID: zeroId,
    subnetOf: (id) => ([x.blockchainID, pChain, cChain].includes(id) ? zeroId : undefined),
  });
  const commitAll: Ledger['commitAll'] = (blocks, writeMore) => {
    state.commitAll(blocks, writeMore);
    for (const { block } of blocks) onAccepted?.(block);
  };
  const differences = { retryRefused: !strict, skipFailedWalletTx: !strict };
  return {
    chain: createChain({ ledger: { ...state, commitAll }, verifier: verifier, now, differences, acceptUnknownImports }),
    state,
    store,
    deposit: (from, utxo) => store.write(() => memory.put(x.blockchainID, from, [utxo])),
    close: store.close,
  };
}

/** The ledger model of the same chain at genesis. */
export function localModel(): LedgerModel {
  const { assets } = localGenesis().x.genesis;
  return createLedgerModel({ txs: assets.map(({ tx }) => tx), utxos: assets.flatMap(genesisUtxos) });
}

/** Starts the solo engine with timers that run only when `decide` is called. */
export function startManualEngine(chain: Chain, unix: () => bigint): Engine & { readonly decide: () => void } {
  const soon: (() => void)[] = [];
  const fail = (error: unknown): never => {
    throw error;
  };
  const later = (run: () => void) => void soon.push(run);
  // Delays are ignored: `decide` runs all timers at once, in order.
  const after = (_ms: number, run: () => void) => {
    later(run);
    return () => {};
  };
  const timers = { now: () => 0, unix, soon: later, after };
  const engine = startSolo(chain, { minBlockDelay: 0 }, timers, fail);
  return {
    ...engine,
    decide: () => {
      for (let run = soon.shift(); run !== undefined; run = soon.shift()) run();
    },
  };
}

/** The genesis of the X-Chain of AvalancheGo's local network, and its first block. */
export function localGenesis() {
  const network = getNetwork(12345);
  const readData = (file: string) => readFileSync(new URL(`../src/genesis/data/${file}`, import.meta.url));
  const { x } = loadNetworkGenesis(network, undefined, { readData, unixSeconds: 0n });
  return { network, x, first: genesisBlock(x.blockchainID, network.cortinaTime, network.upgrades.cortinaXChainStopVertexID) };
}
