import type { Id } from '../bytes/id.ts';
import type { TxStatus } from '../chain/chain.ts';
import type { TxVerifier } from '../chain/tx-verifier.ts';
import type { RecoverSigner } from '../crypto/recover.ts';
import type { Engine } from '../engine/vm.ts';
import type { ExportShelf } from '../index-write/exported-outputs.ts';
import { createBackoff } from '../timing/backoff.ts';
import { createDeferred } from '../timing/deferred.ts';
import { createMutex } from '../timing/mutex.ts';
import type { Tx } from '../tx/tx.ts';
import { createExports } from './exports.ts';
import { FollowError, isPassing } from './fault.ts';
import { completeTaken } from './imported-exports.ts';
import type { FollowLedger } from './ledger.ts';
import { compareHeld, type Expected, recogniseNode } from './node-identity.ts';
import { pause, type Timing } from './pause.ts';
import type { PerAddress } from './per-address.ts';
import { type Most, type Pipeline, startPipeline } from './pipeline.ts';
import { completeOlder } from './pre-linearization.ts';
import { beyondHistory, nothingBeyond } from './pre-linearization-lookup.ts';
import type { ForeignChain, Remote } from './remote.ts';
import { patient, prompt } from './retrying-remote.ts';
import type { FollowStatus } from './status.ts';
import { createTracker } from './tracker.ts';
import { type Place, verifyBlocks } from './verify.ts';

/** Follows a node: every block it accepts is fetched, judged and stored here. */
export type Follower = {
  readonly status: () => FollowStatus;
  /** The node has been recognised. Rejects if it is another one than expected; following then goes on trying, slowly. */
  readonly ready: Promise<void>;
  /** Resolves when all the node has is here for the first time. */
  readonly caughtUp: Promise<void>;
  /** For the health check of the chain. */
  readonly engine: Engine;
  /** Fetches what no block tells of addresses: outputs older than history, and which exports other chains have taken. */
  readonly complete: PerAddress;
  /** A transaction that is older than history; undefined where history is whole. */
  readonly olderTx: ((id: Id) => Promise<Tx | undefined>) | undefined;
  /** What the node says of a transaction that is not here. Accepted there it is still on its way to here, unless it is older than history. */
  readonly statusThere: (id: Id) => Promise<TxStatus>;
  /** Passes a transaction on, within 5 s; a fault FOLLOW_REFUSED has the node's own words. */
  readonly issue: (tx: Pick<Tx, 'bytes'>) => Promise<void>;
  readonly issueInTurn: (tx: Pick<Tx, 'bytes'>) => Promise<void>;
  /** Resolves when nothing is being written any more. */
  readonly stop: () => Promise<void>;
};

export type FollowerDeps = {
  /** Each call tried once: this room is patient by itself. */
  readonly remote: Remote;
  readonly ledger: FollowLedger;
  readonly expect: Expected;
  /** The rules of the chain. */
  readonly judge: TxVerifier;
  readonly recover: RecoverSigner;
  /** The other chains of the network by what the node calls them. */
  readonly foreign: { readonly [C in ForeignChain]: Id };
  /** Whether the chain had a history before its block 0. */
  readonly hasOlder: boolean;
  /** What the chain exported, as its index knows it; undefined if there is no index. */
  readonly exported?: ExportShelf | undefined;
  readonly timing: Timing;
  /** Recovers signers elsewhere, ahead of time. */
  readonly prepare?: ((txs: readonly Tx[]) => Promise<void>) | undefined;
  /** After every change of the status that is worth showing. */
  readonly onProgress?: ((status: FollowStatus) => void) | undefined;
  /** What went wrong, once for each time it begins. */
  readonly report: (error: unknown) => void;
  /** How much is stored in one transaction. */
  readonly batch?: Most;
};

const usualBatch: Most = { txs: 2000, bytes: 4 * 1024 * 1024 };

/** Milliseconds: how long to wait for a block before looking around, between two looks at old blocks, and for others to be patient. */
const look = { around: 1000, back: 60_000, reach: 10_000 } as const;

/** What will not go away in a moment, such as a block that breaks a rule, is tried again slowly. */
const waits = { passing: { first: 100, longest: 2000 }, lasting: { first: 2000, longest: 30_000 } } as const;

const isWrongNode = (error: unknown): boolean =>
  error instanceof FollowError && (error.fault.code === 'FOLLOW_OTHER_NETWORK' || error.fault.code === 'FOLLOW_BLOCK_CHANGED');

export function startFollower(deps: FollowerDeps): Follower {
  const { ledger, timing, expect, batch = usualBatch } = deps;
  const abort = new AbortController();
  const { signal } = abort;
  const remote = patient(deps.remote, { timing, signal });
  const asked = prompt(deps.remote, { timing, signal });
  const exports = createExports({ remote, chainID: expect.chainID, foreign: deps.foreign, timing, signal });
  const beyond = deps.hasOlder ? beyondHistory(remote) : nothingBeyond;
  const inTurn = createMutex();
  const tracker = createTracker(deps);
  const backoffs = { passing: createBackoff(waits.passing, timing.random), lasting: createBackoff(waits.lasting, timing.random) };
  const ready = createDeferred();
  let pipeline: Pipeline | undefined;
  let isStranger = true;
  let lookedBack = timing.now();
  /** A height at which the node had another block. */
  let suspect: bigint | undefined;

  const recognise = async (at: Place): Promise<void> => {
    await recogniseNode(remote, expect);
    for (const height of suspect === undefined ? [at.height] : [at.height, suspect]) await compareAt(height);
    isStranger = false;
    tracker.recognised();
    ready.resolve();
  };

  const compareAt = async (height: bigint): Promise<void> => {
    suspect = height;
    await compareHeld(remote, ledger, height);
    suspect = undefined;
  };

  const lookAround = async (at: Place): Promise<void> => {
    if (isStranger) await recognise(at);
    if (timing.now() - lookedBack < look.back) return;
    lookedBack = timing.now();
    await compareAt(BigInt(Math.floor(timing.random() * Number(at.height + 1n))));
  };

  const openPipeline = (from: bigint): Pipeline =>
    startPipeline(from, {
      remote: deps.remote,
      timing,
      prepare: deps.prepare,
      onContact: tracker.contact,
      onTrouble: (error) => {
        // Whoever answers after a silence may be somebody else.
        isStranger = true;
        tracker.failed(error);
      },
    });

  const followOn = async (from: Pipeline, at: Place): Promise<Place> => {
    const fetched = await from.take(batch, look.around);
    await lookAround(at);
    if (fetched.length === 0) return at;
    const began = timing.now();
    const { verified, fault } = await verifyBlocks(fetched, at, { ...deps, exports, beyond });
    const newest = verified[verified.length - 1]?.block ?? at;
    if (verified.length > 0) {
      await inTurn(() => ledger.commit(verified));
      tracker.stored(verified, timing.now() - began);
    }
    if (fault !== undefined) throw fault;
    backoffs.passing.reset();
    backoffs.lasting.reset();
    return newest;
  };

  const run = async (): Promise<void> => {
    // What is stored is what counts: after a failure nobody else knows how far it got.
    let at: Place = await ledger.lastAccepted();
    tracker.begins(at);
    await recognise(at);
    if (pipeline === undefined) pipeline = openPipeline(at.height + 1n);
    else pipeline.restart(at.height + 1n);
    for (;;) at = await followOn(pipeline, at);
  };

  const follow = async (): Promise<void> => {
    while (!signal.aborted)
      try {
        await run();
      } catch (error) {
        if (signal.aborted) return;
        tracker.failed(error);
        const isPassingBy = isPassing(error);
        if (isWrongNode(error)) ready.reject(error);
        await pause(timing, backoffs[isPassingBy ? 'passing' : 'lasting'].next(), signal).catch(() => {});
      }
  };

  const ended = follow();

  const { exported } = deps;
  const completing: readonly PerAddress[] = [
    deps.hasOlder &&
      completeOlder({
        remote,
        ledger: { addOlder: (utxos) => inTurn(() => ledger.addOlder(utxos)) },
        reached: (height) => tracker.reached(height, look.reach),
      }),
    exported &&
      completeTaken({
        remote,
        shelf: { open: (address) => inTurn(() => exported.open(address)), take: (gone) => inTurn(() => exported.take(gone)) },
        foreign: deps.foreign,
        now: timing.now,
      }),
  ].filter((one) => one !== undefined && one !== false);

  const statusThere = async (id: Id): Promise<TxStatus> => {
    const status = await asked.txStatus(id);
    if (status !== 'Accepted') return status;
    // If all blocks it has are here, then none of them will bring it.
    const isOlder = deps.hasOlder && (await asked.height()) <= tracker.status().height;
    return isOlder ? status : 'Processing';
  };

  const stop = async (): Promise<void> => {
    abort.abort();
    deps.remote.close();
    pipeline?.stop();
    tracker.stop();
    await ended;
    await inTurn(async () => {});
  };

  return {
    status: tracker.status,
    ready: ready.promise,
    caughtUp: tracker.caughtUp,
    engine: { report: tracker.report, stop: () => void stop() },
    complete: async (addresses) => void (await Promise.all(completing.map((complete) => complete(addresses)))),
    olderTx: deps.hasOlder ? asked.tx : undefined,
    statusThere,
    issue: async (tx) => void (await asked.issueTx(tx.bytes)),
    issueInTurn: async (tx) => void (await asked.issueInTurn(tx.bytes)),
    stop,
  };
}
