import { type Id, idOf, zeroId } from '../src/bytes/id.ts';
import { createJudge } from '../src/chain/judge.ts';
import { recoverNative } from '../src/crypto/curve-native.ts';
import { createSigners } from '../src/crypto/recover.ts';
import { type Follower, type FollowerDeps, startFollower } from '../src/follow/follower.ts';
import type { Timing } from '../src/follow/pause.ts';
import { connectRemote, type Remote } from '../src/follow/remote.ts';
import { signersAhead } from '../src/follow/signers-ahead.ts';
import { stateLedger } from '../src/follow/state-ledger.ts';
import { fetchTransport } from '../src/follow/transport.ts';
import { openDatabase } from '../src/platform/database-bun.ts';
import { openThread } from '../src/platform/thread.ts';
import { type ChainState, openState } from '../src/state/chain-state.ts';
import { openSharedMemory } from '../src/state/shared-memory.ts';
import { memoryPath } from '../src/store/database.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { cChain, localGenesis, pChain } from './local-chain.ts';

/** The X-Chain of a local network as it is followed, with the real parts: state, rules, signatures, the runtime's own fetch. */
export type FollowedChain = {
  readonly follower: Follower;
  readonly state: ChainState;
  readonly store: Store;
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

export function openFollowedState(path = memoryPath, outputs: 'unspent' | 'unknown' = 'unspent') {
  const { network, x, first } = localGenesis();
  const store = openStore(openDatabase, { path, networkID: network.id, genesis: x.blockchainID });
  const state = openState(store, openSharedMemory(store), { id: x.blockchainID, genesis: idOf(x.genesis.bytes) });
  const genesisTxs = x.genesis.assets.map(({ tx }) => tx);
  if (!state.isInitialized()) state.init(genesisTxs, first, undefined, outputs);
  return { store, state };
}

export function localJudge(recover: ReturnType<typeof createSigners>['recover']) {
  const { network, x } = localGenesis();
  const chains: readonly Id[] = [x.blockchainID, pChain, cChain];
  return createJudge({
    rules: { networkID: network.id, chainID: x.blockchainID, feeAsset: x.genesis.assets[0].tx.id, ...network.fees },
    recover,
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
  const { store, state } = openFollowedState(path, hasOlder ? 'unknown' : 'unspent');
  const signers = createSigners(recoverNative, 65_536);
  const thread = openThread(new URL('../src/recovery-thread.ts', import.meta.url));
  const reported: unknown[] = [];
  const follower = startFollower({
    remote: remote(url),
    ledger: stateLedger(state),
    expect: localExpectation(),
    judge: localJudge(signers.recover),
    recover: signers.recover,
    foreign: { P: pChain, C: cChain },
    hasOlder,
    timing: realTiming,
    prepare: signersAhead(signers, thread.ask),
    report: (error) => void reported.push(error),
    ...options,
  });
  const close = async (): Promise<void> => {
    await follower.stop();
    thread.close();
    store.close();
  };
  return { follower, state, store, reported, close };
}
