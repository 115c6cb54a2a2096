import { refuse } from '../api/refusal.ts';
import type { ServedChain } from '../api/served.ts';
import type { Address } from '../bytes/address.ts';
import { createCommitState } from '../chain/commit-state.ts';
import { logChanges } from '../cli/log.ts';
import type { Config } from '../config.ts';
import { createSignerCache } from '../crypto/recover.ts';
import { Fault, messageOf } from '../fault.ts';
import { FollowError } from '../follow/fault.ts';
import { type Follower, startFollower } from '../follow/follower.ts';
import type { FollowLedger } from '../follow/ledger.ts';
import { connectRemote, type Remote } from '../follow/remote.ts';
import { signersAhead } from '../follow/signer-prefetch.ts';
import { withSpender } from '../follow/spent-input.ts';
import { stateLedger } from '../follow/state-ledger.ts';
import { fetchTransport } from '../follow/transport.ts';
import type { ExportShelf } from '../index-write/exported-outputs.ts';
import { createSignerThread } from '../recovery/signer-thread.ts';
import { storedNetwork } from '../store/stored-network.ts';
import { pause } from '../timing/pause.ts';
import { judgeOf, type RunningChain, type WriterDeps } from './avm-chain.ts';
import { dataFilesIn } from './data-files.ts';
import type { Env } from './env.ts';
import { hasPreLinearizationHistory, type NetworkContext } from './network-context.ts';
import type { OpenedChain } from './node-store.ts';
import { publicUrl } from './served-network.ts';

export type FollowParts = {
  readonly ledger: FollowLedger;
  readonly exported: ExportShelf | undefined;
  readonly report: (error: unknown) => void;
};

/** Follows the X-Chain of a node into a ledger. Rejects if it is a node of another network; one that does not answer is waited for. */
export async function follow(url: string, env: Env, frame: NetworkContext, { ledger, exported, report }: FollowParts): Promise<Follower> {
  const { chain, specs, p, c, subnetID, subnetOf } = frame;
  const [x] = specs;
  const signers = createSignerCache(env.recoverKey);
  const thread = env.cores > 1 ? createSignerThread(env) : undefined;
  const ahead = thread && signersAhead(thread.ask, signers.recover);
  const recover = ahead?.recover ?? signers.recover;
  const follower = startFollower({
    remote: remoteOf(url, env, chain.network.hrp),
    ledger,
    expect: { networkID: chain.network.id, chainID: x.id, firstBlockID: x.first.id },
    judge: judgeOf(x, { network: chain.network, now: chain.now, recover, subnetID, subnetOf }),
    recover,
    foreign: { P: p.id, C: c.id },
    hasOlder: hasPreLinearizationHistory(frame),
    exported,
    timing: timingOf(env),
    prepare: ahead?.prepare,
    onProgress: (status) =>
      env.showProgress(status.state === 'catching-up' ? { ...status, done: status.height, total: status.target } : undefined),
    report,
  });
  const stop = async () => {
    await follower.stop();
    thread?.end();
  };
  try {
    // A node that is down may come back: what is here already can be served meanwhile.
    await Promise.race([follower.ready, pause(env.timers, patience)]);
  } catch (error) {
    await stop();
    throw withRemedy(error);
  }
  return { ...follower, stop };
}

/** A chain of this node whose blocks are those of another node. */
export async function followChain(
  url: string,
  env: Env,
  frame: NetworkContext,
  opened: OpenedChain,
  deps: FollowDeps,
): Promise<RunningChain> {
  const { state, index, accept } = opened;
  const [spec] = frame.specs;
  const ledger = stateLedger(state, { accept, withinOlder: index?.withinOlder });
  const commits = createCommitState(deps.onCommitState);
  let learned = 0;
  const follower = await follow(url, env, frame, {
    ledger: {
      ...ledger,
      commit: async (blocks) => {
        try {
          await ledger.commit(blocks);
        } catch (error) {
          commits.failed(blocks[0]?.block.height ?? 0n, error);
          throw error;
        }
        commits.cleared();
      },
      addOlder: async (utxos) => {
        await ledger.addOlder(utxos);
        learned++;
      },
    },
    exported: index && {
      open: index.exported.open,
      take: async (gone) => {
        await index.exported.take(gone);
        learned++;
      },
    },
    report: deps.report,
  });
  return {
    spec,
    engine: follower.engine,
    lastAccepted: state.lastAccepted,
    waiting: () => ({ txs: 0, bytes: 0 }),
    commitFailure: commits.failure,
    issuing: {
      issue: (tx) =>
        follower.issue(tx).catch((error: unknown) => {
          throw withSpender(error, tx, (id) => state.consumerOf(id) ?? index?.importerOf(id));
        }),
      issueInTurn: follower.issueInTurn,
      olderTx: follower.olderTx,
      status: async (txID) => {
        if (state.hasTx(txID)) return 'Accepted';
        const there = await follower.statusThere(txID);
        return state.hasTx(txID) ? 'Accepted' : there;
      },
    },
    follower,
    learned: () => learned,
  };
}

type FollowDeps = Pick<WriterDeps, 'report' | 'onCommitState'>;

/** Milliseconds until a node that does not answer is waited for in the background. */
const patience = 3000;

/** The network to follow: that of the data directory if it has one, so that a node that is down does not hold up the start. */
export const networkToFollow = async (url: string, { store, dataDir }: Config, env: Env): Promise<number> =>
  (store === 'sqlite' && dataDir !== undefined ? storedNetwork(env.openDatabase, dataFilesIn(dataDir).database) : undefined) ??
  (await networkOfNode(url, env));

/** Asks a node for its network, for as long as it takes. */
async function networkOfNode(url: string, env: Env): Promise<number> {
  const remote = remoteOf(url, env, '');
  const say = logChanges(env.log);
  for (;;) {
    try {
      return await remote.networkID();
    } catch (error) {
      say(`waiting for ${publicUrl(url)}: ${messageOf(error)}`, 'warn');
      await pause(env.timers, 1000);
    }
  }
}

/** What the Data interface needs of a followed chain. */
export const followedChain = (follower: Follower): Pick<ServedChain, 'status' | 'complete'> => ({
  status: () => (isReached(follower.status().state) ? 'OK' : 'UNAVAILABLE'),
  complete: completing(follower),
});

/** Whether the followed node has answered, and answers. */
export const isReached = (state: string): boolean => state === 'live' || state === 'catching-up';

/** Says as a status why addresses cannot be told about. */
export const completing =
  ({ complete }: Pick<Follower, 'complete'>) =>
  async (addresses: readonly Address[]): Promise<void> => {
    try {
      await complete(addresses);
    } catch (error) {
      if (!(error instanceof FollowError)) throw error;
      const status = error.fault.code === 'FOLLOW_NONSENSE' ? 502 : 503;
      throw refuse(status, `The followed node is needed for what its blocks do not tell: ${error.message}`);
    }
  };

const remoteOf = (url: string, env: Env, hrp: string): Remote =>
  connectRemote(url, { hrp, transport: fetchTransport(env.fetch), timing: env.timers });

const timingOf = (env: Env) => ({
  now: env.clock.monotonic,
  unix: env.clock.unixSeconds,
  after: env.timers.after,
  soon: env.timers.soon,
  random: () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32,
});

/** A chain that is not the expected one mostly means: a custom network whose genesis was not given. */
function withRemedy(error: unknown): unknown {
  if (error instanceof Fault && error.fault.code === 'FOLLOW_OTHER_NETWORK')
    error.message += '; choose with --network-id, and for a custom network give its genesis with --genesis-file';
  return error;
}
