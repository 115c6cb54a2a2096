import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { RandomBytes } from '../consensus/weighted-sample.ts';
import type { ChainLink } from '../protocol/transport.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import type { BlockRef } from '../snowman/consensus.ts';
import { askAccepted, askFrontiers, isEnoughConnected } from './beacon-majority.ts';
import { executeBlocks } from './block-executor.ts';
import type { FetchContainers } from './container-fetcher.ts';
import { BootstrapError, noBlocks } from './fault.ts';
import type { ProgressMeter } from './progress.ts';
import { createRequester, type Requester } from './requester.ts';
import { createAncestorFetcher, fetchSegment, planSegments, type Segment } from './segments.ts';

const segmentsAhead = 3;
const retryDelay = 1000;
const connectDelay = 100;
/** Blocks of a segment: at first, and the limits of what fits into one answer. */
const segmentSizes = { first: 1000, min: 64, max: 2000 } as const;

/**
 * Brings a chain to the tip that most beacons have accepted. The way is divided into segments; some are fetched ahead from several peers while
 * the lowest is executed. So only they are in memory, and after a kill the last accepted height is all that is needed to resume.
 * AvalancheGo fetches from the tip down to the last accepted block, stores all blocks, and executes them afterwards.
 */
export function startBootstrapper(
  link: ChainLink,
  {
    vm,
    beacons,
    isConnected,
    peers,
    nextRequestId,
    meter,
    maxReceived = segmentSizes.max,
    onFinished,
    onRetry,
    onFatal,
  }: {
    readonly vm: Vm;
    /** Nodes whose majority decides what is accepted; without any the chain is at its tip. Undefined while they are not known: bootstrapping waits. */
    readonly beacons: () => ValidatorSet | undefined;
    readonly isConnected: (node: NodeId) => boolean;
    /** Connected peers: blocks are fetched from all of them. */
    readonly peers: () => readonly NodeId[];
    readonly nextRequestId: () => number;
    readonly meter: ProgressMeter;
    /** Most blocks that are used of one answer. AvalancheGo: `--bootstrap-ancestors-max-containers-received`. */
    readonly maxReceived?: number;
    /** The tip is reached. */
    readonly onFinished: () => void;
    /** Bootstrapping failed for now; it is tried again. */
    readonly onRetry: (error: BootstrapError) => void;
    /** Bootstrapping cannot succeed; it has stopped. */
    readonly onFatal: (error: unknown) => void;
  },
) {
  const { timers, randomBytes } = link;
  const requester = createRequester(link, nextRequestId);
  let stopped = false;
  const isStopped = (): boolean => stopped;
  const fetchBlocks = createAncestorFetcher(link, { requester, peers, isStopped }, vm, maxReceived);
  const runner = createSegmentRunner(link, vm, fetchBlocks, meter, maxReceived, isStopped);

  const lastAccepted = (): BlockRef => lastAcceptedOf(vm);

  /** Reaches the tip that the beacons name now. Returns the number of executed blocks; undefined if they do not agree. */
  const reachTip = async (asked: ValidatorSet): Promise<number | undefined> => {
    meter.setPhase('asking');
    const tip = await findTip(vm, asked, requester, fetchBlocks, randomBytes);
    if (tip === undefined) return undefined;
    meter.setTip(tip.height);
    meter.setPhase('fetching');
    const start = lastAccepted().height;
    for (let last = lastAccepted(); last.height < tip.height && !stopped; last = lastAccepted()) {
      const checkpoints = { beacons: beacons() ?? asked, peers, requester, randomBytes };
      await runner.run(await planSegments(last, tip, runner.size(), checkpoints));
    }
    return Number(lastAccepted().height - start);
  };

  const run = async (): Promise<void> => {
    // The caller gets what receives the answers before anything is asked.
    await sleep(timers, 0);
    let previous = Number.POSITIVE_INFINITY;
    while (!stopped) {
      const known = beacons();
      if (known === undefined || !isEnoughConnected(known, isConnected)) {
        meter.setPhase('connecting');
        await sleep(timers, connectDelay);
        continue;
      }
      if (known.size === 0) break;
      const executed = await reachTip(known).catch(retryOrThrow);
      if (executed === undefined) {
        await sleep(timers, retryDelay);
        continue;
      }
      // New blocks are accepted meanwhile: again until few remain. AvalancheGo: bootstrapper.go, tryStartExecuting.
      if (executed === 0 || executed >= previous / 2) break;
      previous = executed;
    }
    if (stopped) return;
    stopped = true;
    meter.setPhase('done');
    onFinished();
  };
  const retryOrThrow = (error: unknown): undefined => {
    if (!(error instanceof BootstrapError) || error.fault.code !== 'BOOTSTRAP_NO_BLOCKS') throw error;
    if (!stopped) onRetry(error);
  };
  const stop = (): void => {
    stopped = true;
    requester.stop();
  };

  run().catch((error: unknown) => {
    if (stopped) return;
    stop();
    onFatal(error);
  });
  return { receive: requester.receive, failed: requester.failed, progress: meter.read, stop };
}

/** Bytes of blocks in one answer; AvalancheGo sends at most 1,677,721. */
const answerBytes = 1_600_000;

/** Fetches segments ahead and executes them in order, and knows how many blocks the next ones should have. */
function createSegmentRunner(
  { timers }: Pick<ChainLink, 'timers'>,
  vm: Vm,
  fetchBlocks: FetchContainers<EngineBlock>,
  meter: ProgressMeter,
  maxReceived: number,
  isStopped: () => boolean,
) {
  let size: number = Math.min(maxReceived, segmentSizes.first);
  /** The next segments get the size that one answer holds. */
  const adaptSize = (blocks: readonly EngineBlock[]): void => {
    const bytes = blocks.reduce((sum, block) => sum + block.bytes.length, 0);
    const fitting = Math.floor((blocks.length * answerBytes) / Math.max(1, bytes));
    size = Math.min(maxReceived, Math.max(segmentSizes.min, Math.min(segmentSizes.max, fitting)));
  };
  return {
    size: (): number => size,
    run: async (segments: readonly Segment[]): Promise<void> => {
      const fetches: Promise<EngineBlock[]>[] = [];
      const fetchNext = (): void => {
        const segment = segments[fetches.length];
        if (segment === undefined || isStopped()) return;
        const fetch = fetchSegment(segment, fetchBlocks, meter.addFetched);
        // An error is seen when the segment is awaited.
        fetch.catch(() => {});
        fetches.push(fetch);
      };
      for (let ahead = 0; ahead < segmentsAhead; ahead++) fetchNext();
      for (let index = 0; index < segments.length && !isStopped(); index++) {
        const blocks = await (fetches[index] as Promise<EngineBlock[]>);
        fetchNext();
        if (blocks[0]?.parentID !== vm.lastAccepted()) throw noBlocks('most beacons name blocks that do not follow the last accepted one');
        await executeBlocks(blocks, vm, timers, meter.addExecuted, isStopped);
        adaptSize(blocks);
        fetches[index] = Promise.resolve([]);
      }
    },
  };
}

/** The highest block that most beacons have accepted; the last accepted one if there is no higher; undefined if they do not agree. */
async function findTip(
  vm: Vm,
  beacons: ValidatorSet,
  requester: Requester,
  fetchBlocks: FetchContainers<EngineBlock>,
  randomBytes: RandomBytes,
): Promise<BlockRef | undefined> {
  const frontiers = await askFrontiers(beacons, requester, randomBytes);
  const accepted = frontiers.length === 0 ? [] : await askAccepted(beacons, frontiers, requester);
  if (accepted.length === 0) return undefined;
  let tip = lastAcceptedOf(vm);
  for (const id of accepted) {
    if (vm.block(id) !== undefined) continue;
    const [block] = (await fetchBlocks(id, 1)) ?? [];
    if (block === undefined) throw noBlocks(`no peer sent block ${id}`);
    if (block.height > tip.height) tip = block;
  }
  return tip;
}

function lastAcceptedOf(vm: Vm): BlockRef {
  const id = vm.lastAccepted();
  return { id, height: vm.block(id)?.height ?? 0n };
}
