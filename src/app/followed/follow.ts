import { createAddressBackfill } from '../../api/rest/address-backfill.ts';
import { apiError } from '../../api/rest/api-error.ts';
import { refId } from '../../avm/tx/utxo.ts';
import type { SignerCache } from '../../base/crypto/recover.ts';
import { Fault, messageOf } from '../../base/fault.ts';
import { createOutageLog, logChanges, stripCredentials } from '../../base/log/log.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { AddressTask } from '../../chain/follow/address-task.ts';
import { FollowError, isTemporary } from '../../chain/follow/fault.ts';
import { type FollowedNode, type Follower, startFollower } from '../../chain/follow/follower.ts';
import { createKeyRecovery, type KeyRecoveryDeps } from '../../chain/follow/key-recovery.ts';
import type { FollowedBlock, FollowLedger } from '../../chain/follow/ledger.ts';
import type { BatchLimit } from '../../chain/follow/ready-blocks.ts';
import { connectRemote, type Remote } from '../../chain/follow/remote.ts';
import { createSignerPrefetch } from '../../chain/follow/signer-prefetch.ts';
import { addSpender } from '../../chain/follow/spent-input.ts';
import { createStateLedger } from '../../chain/follow/state-ledger.ts';
import { type FollowStatus, isNodeReachable, isNodeSilent } from '../../chain/follow/status.ts';
import { fetchTransport } from '../../chain/follow/transport.ts';
import { trustingVerifier } from '../../chain/follow/trusting-verifier.ts';
import { createCommitState } from '../../chain/lifecycle/commit-state.ts';
import { observeIssue } from '../../chain/lifecycle/tx-issuer.ts';
import { createRestartingThread } from '../../chain/recovery/restarting-thread.ts';
import type { ExportedOutputs } from '../../ledger/index-write/exported-outputs.ts';
import { readStoredNetworkID } from '../../ledger/store/stored-network.ts';
import type { StorageConfig } from '../config/config.ts';
import { createVerifierOfChain, type SharedChainDeps } from '../node/avm-chain.ts';
import { dataFilesIn } from '../node/data-files.ts';
import { createFollowedAge } from '../node/health-checks.ts';
import { hasPreLinearizationHistory, type NetworkContext } from '../node/network-context.ts';
import type { ChainOrigin } from '../node/node-chain.ts';
import type { OpenedChain } from '../node/node-store.ts';
import type { RunningChain } from '../node/running-chain.ts';
import type { Env, NetworkEnv, TimeEnv } from '../platform/env.ts';

/** Where the blocks and backfills of a followed node are written. */
type FollowTarget = {
  readonly ledger: FollowLedger;
  readonly exported: ExportedOutputs | undefined;
  /** Recovers signers; the index reads them too. */
  readonly signers: SignerCache;
  readonly logError: (error: unknown) => void;
  /** Called when the state of the follower changes, for example from waiting to live. */
  readonly onStateChange?: () => void;
  readonly batchLimit?: BatchLimit;
  /** Given if the node is trusted to have verified its blocks: public keys are then recovered only as far as they are not stored. */
  readonly trust?: Pick<KeyRecoveryDeps, 'withoutKeys'> | undefined;
  readonly reorgs: NonNullable<FollowedNode['reorgs']>;
};

/**
 * Follows the X-Chain of a node and writes its blocks to a ledger. Rejects if the node belongs to another network. If the node does not
 * answer, returns after `startTimeout` and keeps retrying.
 */
export async function startFollowing(
  url: string,
  env: Env,
  context: NetworkContext,
  { ledger, exported, signers, logError, onStateChange, batchLimit, reorgs, trust }: FollowTarget,
): Promise<Follower> {
  const { chain, specs, p, c } = context;
  const [x] = specs;
  const thread = env.cores > 1 ? createRestartingThread(env) : undefined;
  const prefetch = thread && trust === undefined ? createSignerPrefetch(thread.recover, signers) : undefined;
  const recover = prefetch?.recover ?? signers.recover;
  const recoverKeys =
    trust && createKeyRecovery({ ...trust, recoverOnThread: thread?.recover, recoverKey: env.recoverKey, keys: signers.keys });
  let state: FollowStatus['state'] | undefined;
  const outage = createOutageLog(env.log, stripCredentials(url));
  const follower = startFollower({
    remote: createRemote(url, env, chain.network.hrp),
    ledger: recoverKeys === undefined ? ledger : { ...ledger, commit: (blocks) => recoverKeys(blocks).then(() => ledger.commit(blocks)) },
    expectedNode: { networkID: chain.network.id, chainID: x.id, firstBlockID: x.genesisBlock.id },
    verifier: trust ? trustingVerifier : createVerifierOfChain(x, context, recover),
    foreign: { P: p.id, C: c.id },
    hasPreLinearizationHistory: hasPreLinearizationHistory(context),
    reorgs,
    exportedOutputs: exported,
    timing: createTiming(env),
    prepare: prefetch?.prepare,
    batchLimit,
    onProgress: (status) => {
      if (isNodeReachable(status.state)) outage.regained();
      env.showProgress(status.state === 'catching-up' ? { ...status, done: status.height, total: status.target } : undefined);
      if (status.state === state) return;
      state = status.state;
      onStateChange?.();
    },
    logError: (error) => {
      if (isTemporary(error)) outage.lost(messageOf(error));
      else logError(nameHost(error, url));
    },
  });
  void follower.caughtUp.then(() => env.log(`caught up with ${stripCredentials(url)} at height ${follower.status().height}`));
  const stop = async () => {
    await follower.stop();
    thread?.stop();
  };
  try {
    // A node that is down may come back; blocks that are already stored can be served meanwhile.
    await Promise.race([follower.ready, sleep(env.timers, startTimeout)]);
  } catch (error) {
    await stop();
    throw addRemedy(error);
  }
  return { ...follower, stop };
}

/** Adds the URL to an error of the followed node, for the log. Callers of the APIs do not see it. */
const nameHost = (error: unknown, url: string): unknown =>
  error instanceof FollowError ? new FollowError(`${stripCredentials(url)}: ${error.message}`, error.fault) : error;

/** Starts a chain of this node whose blocks come from the followed node. `backfillRevision`: how often a fact was stored that no block contains. */
export async function startFollowedChain(
  url: string,
  env: Env,
  context: NetworkContext,
  opened: OpenedChain,
  { signers, listeners }: Pick<SharedChainDeps, 'signers' | 'listeners'>,
  /** `depth`: how many of the last blocks can be replaced. */
  reorgs: FollowTarget['reorgs'] & { readonly depth: number },
): Promise<{ readonly running: RunningChain; readonly follower: Follower; readonly backfillRevision: () => number }> {
  const { state, index } = opened;
  const [spec] = context.specs;
  const ledger = createStateLedger(state, { accept: opened.ledger.accept, onPreLinearizationUtxos: index?.indexPreLinearizationUtxos });
  const commits = createCommitState(listeners.onCommitState);
  const observer = listeners.observerOf(spec.id);
  let backfillRevision = 0;
  const follower = await startFollowing(url, env, context, {
    ledger: {
      ...ledger,
      commit: async (blocks) => {
        for (const part of splitForReorgs(blocks, reorgs.depth))
          try {
            await ledger.commit(part);
          } catch (error) {
            commits.recordFailure(part[0]?.block.height ?? 0n, error);
            throw error;
          }
        commits.clear();
      },
      addPreLinearizationUtxos: async (utxos) => {
        await ledger.addPreLinearizationUtxos(utxos);
        backfillRevision++;
      },
    },
    exported: index && {
      listUnspent: index.exported.listUnspent,
      markSpent: async (spent) => {
        await index.exported.markSpent(spent);
        backfillRevision++;
      },
    },
    signers,
    logError: listeners.logError,
    onStateChange: listeners.onFollowState,
    reorgs,
  });
  const running: RunningChain = {
    spec,
    engine: follower.engine,
    lastAccepted: state.lastAccepted,
    pendingTxs: () => ({ txs: 0, bytes: 0 }),
    commitFailure: commits.failure,
    txIssuer: {
      issue: (tx) =>
        observeIssue(observer, tx, () =>
          follower.issue(tx).catch((error: unknown) => {
            throw addSpender(error, tx, (ref) => state.consumerOf(ref) ?? index?.importerOf(refId(ref)));
          }),
        ),
      queueWalletTx: (tx) => observeIssue(observer, tx, () => follower.issueWalletTx(tx)),
      preLinearizationTx: follower.preLinearizationTx,
      explainStatus: async (txID) => {
        if (state.hasTx(txID)) return { status: 'Accepted' };
        const remoteStatus = await follower.remoteTxStatus(txID);
        return state.hasTx(txID) ? { status: 'Accepted' } : remoteStatus;
      },
    },
    follower,
    dataAge: createFollowedAge(follower),
  };
  return { running, follower, backfillRevision: () => backfillRevision };
}

/** The last blocks are stored one by one, because a state is kept after each commit; all others at once. */
function splitForReorgs(blocks: readonly FollowedBlock[], depth: number): (readonly FollowedBlock[])[] {
  const single = depth === 0 ? 0 : Math.min(depth + 1, blocks.length);
  const [together, last] = [blocks.slice(0, blocks.length - single), blocks.slice(blocks.length - single)];
  return [...(together.length > 0 ? [together] : []), ...last.map((block) => [block])];
}

/** Milliseconds that a start waits for the followed node; after that, following goes on in the background. */
const startTimeout = 3000;

/** Returns the network ID of the data directory if it has one, else that of the followed node. So a node that is down does not block a restart. */
export const resolveFollowedNetwork = async (url: string, { store, dataDir }: StorageConfig, env: Env): Promise<number> =>
  (store === 'sqlite' && dataDir !== undefined ? readStoredNetworkID(env.openDatabase, dataFilesIn(dataDir).database) : undefined) ??
  (await fetchNetworkID(url, env));

/** Fetches a node's network ID; retries until the node answers. */
async function fetchNetworkID(url: string, env: Env): Promise<number> {
  const remote = createRemote(url, env, '');
  const logChange = logChanges(env.log);
  for (;;) {
    try {
      return await remote.networkID();
    } catch (error) {
      logChange(`waiting for ${stripCredentials(url)}: ${messageOf(error)}`, 'warn');
      await sleep(env.timers, 1000);
    }
  }
}

/** A followed chain as the Data API sees it. */
export function describeFollowedChain(
  { status: readFollow, backfills }: Follower,
  { clock, timers }: Pick<TimeEnv, 'clock' | 'timers'>,
): ChainOrigin {
  const { outputs, imports } = backfills;
  const backfill = createAddressBackfill({
    clock,
    timers,
    isAway: () => isNodeSilent(readFollow().state),
    fetchOutputs: backfillWithApiErrors({ outputs }),
    fetchImports: backfillWithApiErrors({ imports }),
  });
  return {
    status: () => (isNodeReachable(readFollow().state) ? 'OK' : 'UNAVAILABLE'),
    backfillAddresses: (addresses) =>
      backfill({
        withoutOutputs: outputs === undefined ? [] : addresses.filter((address) => !outputs.isDone(address)),
        withExports: imports === undefined ? [] : addresses,
      }),
    foreignImports: 'looked-up',
  };
}

/** Runs the given backfills; turns an error of the followed node into an `ApiError` with status 502 or 503. */
export const backfillWithApiErrors =
  ({ outputs, imports }: Partial<Follower['backfills']>): AddressTask =>
  async (addresses) => {
    try {
      await Promise.all([outputs?.(addresses), imports?.(addresses)]);
    } catch (error) {
      if (!(error instanceof FollowError)) throw error;
      const status = error.fault.code === 'FOLLOW_NONSENSE' ? 502 : 503;
      throw apiError(status, `Cannot fetch from the followed node what its blocks do not contain: ${error.message}`);
    }
  };

export const createRemote = (url: string, env: NetworkEnv & TimeEnv, hrp: string): Remote =>
  connectRemote(url, { hrp, transport: fetchTransport(env.fetch), timing: env.timers });

export const createTiming = (env: TimeEnv) => ({
  now: env.clock.monotonic,
  unix: env.clock.unixSeconds,
  after: env.timers.after,
  soon: env.timers.soon,
  random: () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32,
});

/** Adds a hint to the error about a wrong network: the usual cause is a custom network whose genesis file was not given. */
function addRemedy(error: unknown): unknown {
  if (error instanceof Fault && error.fault.code === 'FOLLOW_OTHER_NETWORK')
    error.message += '; choose with --network-id, and for a custom network give its genesis with --genesis-file';
  return error;
}
