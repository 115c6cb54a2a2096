import { addressWriter } from '../src/bytes/address.ts';
import { type Id, idOf, zeroId } from '../src/bytes/id.ts';
import { createTxVerifier } from '../src/chain/tx-verifier.ts';
import { recoverNative } from '../src/crypto/curve-native.ts';
import { createSignerCache } from '../src/crypto/recover.ts';
import { type Follower, type FollowerDeps, startFollower } from '../src/follow/follower.ts';
import type { FollowLedger } from '../src/follow/ledger.ts';
import type { Timing } from '../src/follow/pause.ts';
import { connectRemote, type Remote } from '../src/follow/remote.ts';
import { signersAhead } from '../src/follow/signer-prefetch.ts';
import { stateLedger } from '../src/follow/state-ledger.ts';
import { fetchTransport } from '../src/follow/transport.ts';
import { migrateStore } from '../src/index/migrate.ts';
import { syncStepRunner } from '../src/index/steps.ts';
import { checkIndex } from '../src/index-check/check-index.ts';
import { sqliteIndex } from '../src/index-sqlite/sqlite-index.ts';
import type { IndexSpec } from '../src/index-write/block-writer.ts';
import { openDatabase } from '../src/platform/database-bun.ts';
import { openThread } from '../src/platform/thread.ts';
import { claimedNumber } from '../src/state/chain-number.ts';
import { type ChainState, openState } from '../src/state/chain-state.ts';
import { checkChain } from '../src/state/check.ts';
import { openSharedMemory } from '../src/state/shared-memory.ts';
import { memoryPath } from '../src/store/database.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { cChain, localGenesis, pChain } from './local-chain.ts';

/** The X-Chain of a local network as it is followed, with the real parts: state, rules, signatures, the runtime's own fetch. */
export type FollowedChain = {
  readonly follower: Follower;
  readonly state: ChainState;
  readonly store: Store;
  readonly index: IndexSpec;
  readonly reported: readonly unknown[];
  readonly close: () => Promise<void>;
};

export type FollowedOptions = Partial<Pick<FollowerDeps, 'expect' | 'hasOlder' | 'batch' | 'onProgress' | 'foreign'>> & {
  /** A file; in memory without it. */
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

/** The state and the index of the followed chain. `unknown`: as for a network whose genesis outputs may be spent long before block 1. */
export function openFollowedState(path = memoryPath, outputs: 'unspent' | 'unknown' = 'unspent'): FollowedState {
  const { network, x, first } = localGenesis();
  const [avax] = x.genesis.assets;
  const store = openStore(openDatabase, { path, networkID: network.id, genesis: x.blockchainID });
  const state = openState(store, openSharedMemory(store), { id: x.blockchainID, genesis: idOf(x.genesis.bytes) });
  const number = claimedNumber(store, x.blockchainID);
  migrateStore(store, number);
  const index = { number, id: x.blockchainID, feeAsset: avax.tx.id, completeFrom: outputs === 'unknown' ? 1 : 0 };
  const { within, withinAll, withinOlder } = sqliteIndex(store, index);
  const genesisTxs = x.genesis.assets.map(({ tx }) => tx);
  if (!state.isInitialized()) state.init(genesisTxs, first, within, outputs);
  return { store, state, index, ledger: stateLedger(state, { accept: (blocks) => state.commitAll(blocks, withinAll), withinOlder }) };
}

/** What does not fit: rows of the state that contradict each other, rows of the index that are not what the blocks say. */
export const problemsOf = ({ store, state, index }: Omit<FollowedState, 'ledger'>): readonly string[] => [
  ...checkChain(store, state.id).problems,
  ...syncStepRunner(store.db)(checkIndex([index], 'sqlite')),
];

export function localJudge(recover: ReturnType<typeof createSignerCache>['recover']) {
  const { network, x } = localGenesis();
  const chains: readonly Id[] = [x.blockchainID, pChain, cChain];
  return createTxVerifier({
    rules: { networkID: network.id, chainID: x.blockchainID, feeAsset: x.genesis.assets[0].tx.id, ...network.fees },
    recover,
    addressText: addressWriter('X', network.hrp),
    now: realTiming.unix,
    subnetID: zeroId,
    subnetOf: (id) => (chains.includes(id) ? zeroId : undefined),
  });
}

export function localExpectation() {
  const { network, x, first } = localGenesis();
  return { networkID: network.id, chainID: x.blockchainID, firstBlockID: first.id };
}

export function followLocal(url: string, { path, remote = remoteAt, hasOlder = false, ...options }: FollowedOptions = {}): FollowedChain {
  const { store, state, ledger, index } = openFollowedState(path, hasOlder ? 'unknown' : 'unspent');
  const thread = openThread(new URL('../src/recovery/recovery-thread.ts', import.meta.url));
  const { prepare, recover } = signersAhead(thread.ask, createSignerCache(recoverNative).recover);
  const reported: unknown[] = [];
  const follower = startFollower({
    remote: remote(url),
    ledger,
    expect: localExpectation(),
    judge: localJudge(recover),
    recover,
    foreign: { P: pChain, C: cChain },
    hasOlder,
    timing: realTiming,
    prepare,
    report: (error) => void reported.push(error),
    ...options,
  });
  const close = async (): Promise<void> => {
    await follower.stop();
    thread.close();
    store.close();
  };
  return { follower, state, store, index, reported, close };
}
