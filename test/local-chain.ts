import { readFileSync } from 'node:fs';
import { openDatabase as openSqlite } from '../src/app/platform/bun/database.ts';
import { genesisUtxos } from '../src/avm/genesis/avm-genesis.ts';
import { genesisBlock } from '../src/avm/genesis/genesis-block.ts';
import { loadNetworkGenesis } from '../src/avm/genesis/network-genesis.ts';
import { getNetwork } from '../src/avm/network.ts';
import type { Block } from '../src/avm/tx/block.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import type { Engine } from '../src/avm/vm.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { type Id, idOf, parseId, zeroId } from '../src/base/bytes/id.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { createSignerCache } from '../src/base/crypto/recover.ts';
import { type Chain, createChain } from '../src/chain/lifecycle/chain.ts';
import type { Ledger } from '../src/chain/lifecycle/ledger.ts';
import { createTxVerifier } from '../src/chain/lifecycle/tx-verifier.ts';
import { startSolo } from '../src/chain/solo/solo.ts';
import { type ChainState, openState } from '../src/ledger/state/chain-state.ts';
import { openSharedMemory } from '../src/ledger/state/shared-memory.ts';
import { memoryPath, type OpenDatabase } from '../src/ledger/store/database.ts';
import { openStore, type Store } from '../src/ledger/store/store.ts';
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

type LocalChainOptions = {
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
  const sharedMemory = openSharedMemory(store);
  const state = openState(store, sharedMemory, { id: x.blockchainID, genesis: idOf(x.genesis.bytes) });
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
  const accept: Ledger['accept'] = (blocks, writeMore) => {
    state.commitAll(blocks, writeMore);
    for (const { block } of blocks) onAccepted?.(block);
  };
  const differences = { retryRefused: !strict, skipFailedWalletTx: !strict };
  return {
    chain: createChain({ ledger: { ...state, accept }, verifier: verifier, now, differences, acceptUnknownImports }),
    state,
    store,
    deposit: (from, utxo) => store.write(() => sharedMemory.put(x.blockchainID, from, [utxo])),
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
  // Delays are not waited for: `decide` runs all timers at once, in order, and the time passes with each.
  let time = 0;
  const after = (ms: number, run: () => void) => {
    later(() => {
      time += ms;
      run();
    });
    return () => {};
  };
  const timers = { now: () => time, unixNanos: () => unix() * 1_000_000_000n, soon: later, after };
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
  const readData = (file: string) => readFileSync(new URL(`../src/avm/genesis/data/${file}`, import.meta.url));
  const { x } = loadNetworkGenesis(network, undefined, { readData, unixSeconds: 0n });
  return { network, x, first: genesisBlock(x.blockchainID, network.upgrades) };
}
