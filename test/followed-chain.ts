import { openDatabase } from '../src/app/platform/bun/database.ts';
import { openThread } from '../src/app/platform/thread.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { type Id, idOf, zeroId } from '../src/base/bytes/id.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { createSignerCache } from '../src/base/crypto/recover.ts';
import { type Follower, type FollowerDeps, startFollower } from '../src/chain/follow/follower.ts';
import type { FollowLedger } from '../src/chain/follow/ledger.ts';
import { connectRemote, type Remote } from '../src/chain/follow/remote.ts';
import { createSignerPrefetch } from '../src/chain/follow/signer-prefetch.ts';
import { createStateLedger } from '../src/chain/follow/state-ledger.ts';
import type { Timing } from '../src/chain/follow/timing.ts';
import { fetchTransport } from '../src/chain/follow/transport.ts';
import { createTxVerifier } from '../src/chain/lifecycle/tx-verifier.ts';
import { migrateStore } from '../src/ledger/index/migrate.ts';
import { openSqliteIndex } from '../src/ledger/index-sqlite/sqlite-index.ts';
import type { IndexSpec } from '../src/ledger/index-write/block-writer.ts';
import { getChainNumber } from '../src/ledger/state/chain-number.ts';
import { type ChainState, openState } from '../src/ledger/state/chain-state.ts';
import { checkChain } from '../src/ledger/state/check.ts';
import { openSharedMemory } from '../src/ledger/state/shared-memory.ts';
import { memoryPath } from '../src/ledger/store/database.ts';
import { sqliteRunner } from '../src/ledger/store/sqlite-runner.ts';
import { openStore, type Store } from '../src/ledger/store/store.ts';
import { checkIndex } from './index-check/check-index.ts';
import { cChain, localGenesis, pChain } from './local-chain.ts';

/** A followed X-Chain of a local network, with real state, rules, signatures and fetch. */
export type FollowedChain = {
  readonly follower: Follower;
  readonly state: ChainState;
  readonly store: Store;
  readonly index: IndexSpec;
  readonly reported: readonly unknown[];
  readonly close: () => Promise<void>;
};

type FollowedOptions = Partial<
  Pick<FollowerDeps, 'expectedNode' | 'hasPreLinearizationHistory' | 'batchLimit' | 'onProgress' | 'foreign'>
> & {
  /** Database file; in memory if undefined. */
  readonly path?: string;
  readonly remote?: (url: string) => Remote;
};

export const realTiming: Timing = {
  now: () => performance.now(),
  unix: () => BigInt(Math.floor(Date.now() / 1000)),
  soon: (run) => void setImmediate(run),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

export const remoteAt = (url: string): Remote => connectRemote(url, { hrp: 'local', transport: fetchTransport(fetch), timing: realTiming });

export type FollowedState = { readonly store: Store; readonly state: ChainState; readonly ledger: FollowLedger; readonly index: IndexSpec };

/** State and index of the followed chain. `unknown`: as on a network whose genesis outputs may have been spent before linearization. */
export function openFollowedState(path = memoryPath, genesisOutputs: 'unspent' | 'unknown' = 'unspent'): FollowedState {
  const { network, x, first } = localGenesis();
  const [avax] = x.genesis.assets;
  const store = openStore(openDatabase, { path, networkID: network.id, genesis: x.blockchainID });
  const state = openState(store, openSharedMemory(store), { id: x.blockchainID, genesis: idOf(x.genesis.bytes) });
  const number = getChainNumber(store, x.blockchainID);
  migrateStore(store, number);
  const index = { number, id: x.blockchainID, feeAsset: avax.tx.id, completeFrom: genesisOutputs === 'unknown' ? 1 : 0 };
  const { indexBlocks, indexPreLinearizationUtxos } = openSqliteIndex(store, index, {
    recover: createSignerCache(recoverNative).recover,
  });
  const genesisTxs = x.genesis.assets.map(({ tx }) => tx);
  if (!state.isInitialized()) state.init(genesisTxs, first, indexBlocks, genesisOutputs);
  return {
    store,
    state,
    index,
    ledger: createStateLedger(state, {
      accept: (blocks) => state.commitAll(blocks, indexBlocks),
      onPreLinearizationUtxos: indexPreLinearizationUtxos,
    }),
  };
}

/** Inconsistencies: contradicting rows of the state, and index rows that do not follow from the blocks. */
export const findProblems = ({ store, state, index }: Omit<FollowedState, 'ledger'>): readonly string[] => [
  ...checkChain(store, state.id).problems,
  ...sqliteRunner(store.db)(checkIndex([index], 'sqlite')),
];

export function createLocalVerifier(recover: ReturnType<typeof createSignerCache>['recover']) {
  const { network, x } = localGenesis();
  const chains: readonly Id[] = [x.blockchainID, pChain, cChain];
  return createTxVerifier({
    rules: { networkID: network.id, chainID: x.blockchainID, feeAsset: x.genesis.assets[0].tx.id, ...network.fees },
    recover,
    addressText: createAddressFormatter('X', network.hrp),
    now: realTiming.unix,
    subnetID: zeroId,
    subnetOf: (id) => (chains.includes(id) ? zeroId : undefined),
  });
}

export function expectedLocalNode() {
  const { network, x, first } = localGenesis();
  return { networkID: network.id, chainID: x.blockchainID, firstBlockID: first.id };
}

export function followLocal(
  url: string,
  { path, remote = remoteAt, hasPreLinearizationHistory = false, ...options }: FollowedOptions = {},
): FollowedChain {
  const { store, state, ledger, index } = openFollowedState(path, hasPreLinearizationHistory ? 'unknown' : 'unspent');
  const thread = openThread(new URL('../src/chain/recovery/recovery-thread.ts', import.meta.url));
  const { prepare, recover } = createSignerPrefetch(thread.request, createSignerCache(recoverNative));
  const reported: unknown[] = [];
  const follower = startFollower({
    remote: remote(url),
    ledger,
    expectedNode: expectedLocalNode(),
    verifier: createLocalVerifier(recover),
    foreign: { P: pChain, C: cChain },
    hasPreLinearizationHistory,
    timing: realTiming,
    prepare,
    logError: (error) => void reported.push(error),
    ...options,
  });
  const close = async (): Promise<void> => {
    await follower.stop();
    thread.close();
    store.close();
  };
  return { follower, state, store, index, reported, close };
}
