import type { Tx } from '../../avm/tx/tx.ts';
import type { Engine } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createBackoff } from '../../base/timing/backoff.ts';
import { createDeferred } from '../../base/timing/promise.ts';
import { createMutex, type Mutex } from '../../base/timing/slots.ts';
import type { ExportedOutputs } from '../../ledger/index-write/exported-outputs.ts';
import type { ExplainedStatus } from '../lifecycle/ledger.ts';
import type { BlockVerifier } from '../lifecycle/tx-verifier.ts';
import type { AddressTask, RecordedTask } from './address-task.ts';
import { createBatchSize } from './batch-size.ts';
import { createExportLookup } from './export-lookup.ts';
import { addReorgRemedy, FollowError, isTemporary } from './fault.ts';
import type { FollowLedger } from './ledger.ts';
import { createNodeCheck } from './node-check.ts';
import type { ExpectedNode } from './node-identity.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';
import { createPreLinearizationBackfill } from './pre-linearization-backfill.ts';
import { createPreLinearizationLookup, emptyPreLinearizationLookup } from './pre-linearization-lookup.ts';
import type { BatchLimit, FetchedBlock } from './ready-blocks.ts';
import type { ForeignChain, Remote } from './remote.ts';
import { createReorgCheck, type KeptStates } from './reorg-check.ts';
import { withDeadline, withRetries } from './retrying-remote.ts';
import { createSpentExportsBackfill } from './spent-exports-backfill.ts';
import type { FollowStatus } from './status.ts';
import { abortableSleep, type Timing } from './timing.ts';
import { createTracker, type Tracker } from './tracker.ts';
import { type BlockPosition, verifyBlocks } from './verify-blocks.ts';

/** Follows a node: fetches, verifies and stores every block that it accepts. */
export type Follower = {
  readonly status: () => FollowStatus;
  /** As in the status, which costs more to read. */
  readonly behindSeconds: () => number;
  /** Resolves when the node's identity is verified. Rejects if it is another node than expected; following then retries slowly. */
  readonly ready: Promise<void>;
  /** Resolves when all blocks of the node are stored for the first time. */
  readonly caughtUp: Promise<void>;
  /** The engine as the health check of the chain needs it. */
  readonly engine: Engine;
  /** What fetches for addresses the things that no block contains. */
  readonly backfills: Backfills;
  /** Fetches a pre-linearization transaction; undefined if the chain has none. */
  readonly preLinearizationTx: ((id: Id) => Promise<Tx | undefined>) | undefined;
  /** The node's status of a transaction that is not stored here. Accepted becomes Processing while its block is not stored, unless it is pre-linearization. */
  readonly remoteTxStatus: (id: Id) => Promise<ExplainedStatus>;
  /** Issues a transaction on the node, within 5 s. A FOLLOW_REFUSED error has the node's message. */
  readonly issue: (tx: Pick<Tx, 'bytes'>) => Promise<void>;
  /** The same through `wallet.issueTx`, for a transaction that may depend on pending ones. */
  readonly issueWalletTx: (tx: Pick<Tx, 'bytes'>) => Promise<void>;
  /** Resolves when the last write is done. */
  readonly stop: () => Promise<void>;
};

/** The node that is followed, and the chains that it must have. */
export type FollowedNode = {
  /** Must not retry: this module does. */
  readonly remote: Remote;
  readonly expectedNode: ExpectedNode;
  /** Ids of the other chains by their alias on the node. */
  readonly foreign: { readonly [C in ForeignChain]: Id };
  /** Whether the chain had transactions before its block 0. */
  readonly hasPreLinearizationHistory: boolean;
  readonly reorgs?: ReorgPolicy;
};

/** What happens when the node has replaced its last blocks. */
type ReorgPolicy = {
  /** Undefined: the stored chain never goes back. */
  readonly keptStates?: KeptStates | undefined;
  /** What a user can do if the chain does not go back, for the message of FOLLOW_BLOCK_CHANGED. */
  readonly remedy?: string | undefined;
};

export type FollowerDeps = FollowedNode & {
  readonly ledger: FollowLedger;
  /** Verifies transactions by the rules of the chain, or trusts the node. */
  readonly verifier: BlockVerifier;
  /** The exported outputs in the index of this chain; undefined if there is no index. */
  readonly exportedOutputs?: ExportedOutputs | undefined;
  readonly timing: Timing;
  /** Recovers signers on another thread before blocks are verified. */
  readonly prepare?: ((txs: readonly Tx[]) => Promise<void>) | undefined;
  /** Called after every relevant change of the status. */
  readonly onProgress?: ((status: FollowStatus) => void) | undefined;
  /** Reports an error when it first occurs, not while it repeats. */
  readonly logError: (error: unknown) => void;
  /** Limit of blocks stored in one database transaction. */
  readonly batchLimit?: BatchLimit;
};

const defaultBatchLimit: BatchLimit = { txs: 2000, bytes: 4 * 1024 * 1024 };

/**
 * Milliseconds: longest wait for a block before the node is rechecked, the same if its last blocks may be replaced (the height need not change
 * then), longest wait for a height.
 */
const intervals = { takeTimeout: 1000, takeTimeoutWithReorgs: 250, heightTimeout: 10_000 } as const;

/** Errors that are not temporary, such as an invalid block, are retried slowly. */
const backoffLimits = { temporary: { first: 100, max: 2000 }, lasting: { first: 2000, max: 30_000 } } as const;

const isWrongNode = (error: unknown): boolean =>
  error instanceof FollowError && (error.fault.code === 'FOLLOW_OTHER_NETWORK' || error.fault.code === 'FOLLOW_BLOCK_CHANGED');

export function startFollower(deps: FollowerDeps): Follower {
  const { timing } = deps;
  const abort = new AbortController();
  const { signal } = abort;
  const remote = withRetries(deps.remote, { timing, signal });
  const callerRemote = withDeadline(deps.remote, { timing, signal });
  const lockWrites = createMutex();
  const tracker = createTracker({ timing, onProgress: deps.onProgress, logError: deps.logError });
  const loop = startBlockLoop(deps, { remote, signal, lockWrites, tracker });
  const backfills = createBackfills(deps, remote, lockWrites, (height) => tracker.waitForHeight(height, intervals.heightTimeout));

  const stop = async (): Promise<void> => {
    abort.abort();
    deps.remote.close();
    loop.close();
    tracker.stop();
    await loop.ended;
    await lockWrites(async () => {});
  };

  return {
    status: tracker.status,
    behindSeconds: tracker.behindSeconds,
    ready: loop.ready,
    caughtUp: tracker.caughtUp,
    engine: { report: tracker.report, isBlockDue: () => false, stop: () => void stop() },
    backfills,
    preLinearizationTx: deps.hasPreLinearizationHistory ? callerRemote.tx : undefined,
    remoteTxStatus: (id) => readRemoteTxStatus(id, callerRemote, deps.hasPreLinearizationHistory, () => tracker.status().height),
    issue: async (tx) => void (await callerRemote.issueTx(tx.bytes)),
    issueWalletTx: async (tx) => void (await callerRemote.issueWalletTx(tx.bytes)),
    stop,
  };
}

/** Fetches, verifies and stores blocks, from the last stored one on, until the signal aborts. */
function startBlockLoop(
  deps: FollowerDeps,
  {
    remote,
    signal,
    lockWrites,
    tracker,
  }: {
    /** Retries. */
    readonly remote: Remote;
    readonly signal: AbortSignal;
    readonly lockWrites: Mutex;
    readonly tracker: Tracker;
  },
) {
  const { ledger, timing, expectedNode } = deps;
  const store = createBlockStore(deps, remote, signal, lockWrites);
  const backoff = createErrorBackoff(timing.random);
  const ready = createDeferred();
  let pipeline: Pipeline | undefined;

  const keptStates = deps.reorgs?.keptStates;
  const takeTimeout = keptStates === undefined ? intervals.takeTimeout : intervals.takeTimeoutWithReorgs;
  const node = createNodeCheck({
    remote,
    expectedNode,
    ledger,
    timing,
    goBack: keptStates && createReorgCheck({ remote, ledger, keptStates, lockWrites }),
    onVerified: () => {
      tracker.nodeVerified();
      ready.resolve();
    },
  });

  const openPipeline = (from: bigint): Pipeline =>
    startPipeline(from, {
      remote: deps.remote,
      timing,
      prepare: deps.prepare,
      onRemoteHeight: tracker.remoteHeight,
      onError: (error) => {
        node.distrust();
        tracker.errorOccurred(error);
      },
    });

  const continueFrom = (from: Pipeline, at: BlockPosition): BlockPosition => {
    tracker.startAt(at);
    from.restart(at.height + 1n);
    return at;
  };

  /** Returns the last stored block: above `at` if blocks were stored, below it if the chain went back. */
  const processNextBatch = async (from: Pipeline, at: BlockPosition): Promise<BlockPosition> => {
    const fetched = await from.take(store.batchLimit(), takeTimeout);
    const common = await node.recheck(at, fetched.length === 0);
    if (common.id !== at.id) return continueFrom(from, common);
    if (fetched.length === 0) return at;
    const began = timing.now();
    const { verified, fault } = await store.add(fetched, at);
    tracker.blocksStored(verified, timing.now() - began);
    const newest = verified[verified.length - 1]?.block ?? at;
    if (fault !== undefined) {
      // The parent of the invalid block may be a block that has replaced the last one here.
      const last = await node.recheck(newest, true);
      if (last.id === newest.id) throw fault;
      return continueFrom(from, last);
    }
    backoff.reset();
    return newest;
  };

  const run = async (): Promise<void> => {
    // After a failure only the ledger knows how many blocks were stored.
    const last: BlockPosition = await ledger.lastAccepted();
    tracker.startAt(last);
    let at = await node.check(last);
    tracker.startAt(at);
    if (pipeline === undefined) pipeline = openPipeline(at.height + 1n);
    else pipeline.restart(at.height + 1n);
    for (;;) at = await processNextBatch(pipeline, at);
  };

  const follow = async (): Promise<void> => {
    while (!signal.aborted)
      try {
        await run();
      } catch (cause) {
        if (signal.aborted) return;
        const error = addReorgRemedy(cause, deps.reorgs?.remedy);
        tracker.errorOccurred(error);
        if (isWrongNode(error)) ready.reject(error);
        await abortableSleep(timing, backoff.next(error), signal).catch(() => {});
      }
  };

  return { ready: ready.promise, ended: follow(), close: () => pipeline?.stop() };
}

/** Verifies batches of fetched blocks and commits the valid ones to the ledger. */
function createBlockStore(
  { ledger, verifier, timing, expectedNode, foreign, hasPreLinearizationHistory, batchLimit = defaultBatchLimit }: FollowerDeps,
  remote: Remote,
  signal: AbortSignal,
  lockWrites: Mutex,
) {
  const exportLookup = createExportLookup({ remote, chainID: expectedNode.chainID, foreign, timing, signal });
  const preLinearization = hasPreLinearizationHistory ? createPreLinearizationLookup(remote) : emptyPreLinearizationLookup;
  const batchSize = createBatchSize(batchLimit);
  return {
    /** Limit of the next batch; smaller after a commit that failed. */
    batchLimit: batchSize.limit,
    /** Verifies the blocks that follow `at`, and stores all before the first invalid one in one commit. Returns the stored blocks and the error. */
    add: async (fetched: readonly FetchedBlock[], at: BlockPosition) => {
      const batch = await verifyBlocks(fetched, at, { ledger, verifier, timing, exportLookup, preLinearization });
      if (batch.verified.length === 0) return batch;
      await lockWrites(() => ledger.commit(batch.verified)).catch((error: unknown) => {
        batchSize.onFailed();
        throw error;
      });
      batchSize.onStored();
      return batch;
    },
  };
}

function createErrorBackoff(random: () => number) {
  const temporary = createBackoff(backoffLimits.temporary, random);
  const lasting = createBackoff(backoffLimits.lasting, random);
  return {
    next: (error: unknown): number => (isTemporary(error) ? temporary : lasting).next(),
    reset: (): void => {
      temporary.reset();
      lasting.reset();
    },
  };
}

async function readRemoteTxStatus(
  id: Id,
  remote: Pick<Remote, 'txStatus' | 'height'>,
  hasPreLinearizationHistory: boolean,
  storedHeight: () => bigint,
): Promise<ExplainedStatus> {
  const report = await remote.txStatus(id);
  if (report.status !== 'Accepted') return report;
  // Accepted, but in no block although all blocks of the node are stored: it is from before linearization.
  const isPreLinearization = hasPreLinearizationHistory && (await remote.height()) <= storedHeight();
  return isPreLinearization ? report : { status: 'Processing' };
}

type Backfills = {
  /** Outputs from before linearization; undefined if the chain has none. */
  readonly outputs: RecordedTask | undefined;
  /** Which of their exports other chains have imported; undefined if there is no index. */
  readonly imports: AddressTask | undefined;
};

function createBackfills(
  { hasPreLinearizationHistory, exportedOutputs, ledger, foreign, timing }: FollowerDeps,
  remote: Remote,
  lockWrites: Mutex,
  waitForHeight: (height: bigint) => Promise<void>,
): Backfills {
  const { addPreLinearizationUtxos, backfilledAddresses: recorded } = ledger;
  return {
    outputs: hasPreLinearizationHistory
      ? createPreLinearizationBackfill({
          remote,
          ledger: {
            addPreLinearizationUtxos: (utxos) => lockWrites(() => addPreLinearizationUtxos(utxos)),
            backfilledAddresses: recorded && { has: recorded.has, add: (address) => lockWrites(() => recorded.add(address)) },
          },
          waitForHeight,
        })
      : undefined,
    imports:
      exportedOutputs &&
      createSpentExportsBackfill({
        remote,
        exportedOutputs: {
          listUnspent: (address) => lockWrites(() => exportedOutputs.listUnspent(address)),
          markSpent: (spent) => lockWrites(() => exportedOutputs.markSpent(spent)),
        },
        foreign,
        now: timing.now,
      }),
  };
}
