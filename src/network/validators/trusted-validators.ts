import type { NodeId } from '../../base/bytes/node-id.ts';
import { createLruMap } from '../../base/cache/lru-map.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { ValidatorSet, Validators } from '../protocol/validators.ts';
import { invalid, unavailable, ValidatorsError, wrongNetwork } from './fault.ts';
import type { MajorityReads, SourceReading } from './majority-reads.ts';
import type { KeyedValidators } from './platform-reads.ts';

/** Validators of a network with sybil protection, as the P-Chain of a trusted node says. */
export type TrustedValidators = Validators & {
  /**
   * Reads the heights and the current set; afterwards both are refreshed. If the trusted nodes do not answer in time, the known sets hold; if none
   * is known, the current set is empty until they answer. Rejects if they are of another network.
   */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
  /** The compressed BLS key of a current validator; undefined if it has none. */
  readonly publicKeyOf: (node: NodeId) => Uint8Array | undefined;
  /** When the trusted nodes were last read, or the start, in milliseconds of the timers' clock, and why not since; the reason is undefined until a read fails. */
  readonly lastRead: () => { readonly at: number; readonly error: unknown };
  /** The last reading of each trusted node. */
  readonly sources: () => readonly SourceReading[];
  /** When the known height last grew, or the start, in milliseconds of the timers' clock. */
  readonly heightSince: () => number;
  /** Since when the P-Chain times of the trusted nodes are too far apart, and by how many seconds; undefined if they are not. */
  readonly timesApart: () => TimesApart | undefined;
};

type TimesApart = { readonly since: number; readonly seconds: number };

/** Seconds between the P-Chain times of two trusted nodes above which one of them is stale: nodes at the tip have the same last block. */
const maxTimesApart = 60;

type TrustedValidatorsDeps = {
  readonly url: string;
  readonly reads: MajorityReads;
  readonly networkID: number;
  /** Sets that are known without the trusted nodes: stored ones, or that of the genesis. */
  readonly known: readonly { readonly height: bigint; readonly set: KeyedValidators }[];
  /** Keeps a set for the next start. */
  readonly save: (height: bigint, set: KeyedValidators) => void;
  readonly timers: {
    /** Monotonic milliseconds. */
    readonly now: () => number;
    readonly after: (ms: number, run: () => void) => () => void;
  };
  /** Called when the node stops answering; not again until it has answered. */
  readonly onUnreachable: (error: unknown) => void;
  /** Called with the first set that is read if none was known. */
  readonly onFirstSet?: (set: ValidatorSet) => void;
};

/** Milliseconds between two readings. The set changes only with a block of the P-Chain. */
const refreshInterval = 2000;
/**
 * Readings that wait for an answer at once. A reading does not wait for the one before: a call that was lost with its connection ends after 10 s,
 * and until then a node that is back would not be heard.
 */
const maxReadings = 5;
/** Milliseconds that a start waits for the trusted nodes: HTTP must answer within a second, to say that they are awaited. */
const startPatience = 500;
/** Milliseconds before a set that could not be loaded is requested again. Blocks that refer to it wait for it. */
const loadPause = 1000;
const maxSets = 64;
const maxLoading = 8;

/** Creates validators that come from a trusted node. While it does not answer, the last known set and heights hold. */
export function createTrustedValidators(deps: TrustedValidatorsDeps): TrustedValidators {
  const { url, reads, networkID, known, timers, onUnreachable } = deps;
  const sets = createValidatorSets(deps, () => current.weights);
  let current: KeyedValidators = { weights: new Map(), keys: new Map() };
  let currentHeight = -1n;
  let heights = { current: 0n, proposed: 0n };
  let heightSince = timers.now();
  let timesApart: TimesApart | undefined;
  let lastRead: { readonly at: number; readonly error: unknown } = { at: timers.now(), error: undefined };
  let isOfNetwork = false;
  let cancel = () => {};
  let readings = 0;
  let isStopped = false;

  /** Reads the set at a height, which is the current one unless a later one was read meanwhile. */
  const readCurrent = async (height: bigint): Promise<void> => {
    const { weights, keys } = await sets.read(height);
    if (weights.size === 0) throw invalid(url, `no validators at P-Chain height ${height}`);
    if (height <= currentHeight) return;
    const isFirst = current.weights.size === 0;
    current = { weights: sets.keep(height, weights), keys };
    currentHeight = height;
    if (isFirst) deps.onFirstSet?.(weights);
  };

  const refresh = async (): Promise<void> => {
    if (!isOfNetwork) {
      const got = await reads.networkID();
      if (got !== networkID) throw wrongNetwork(url, got, networkID);
      isOfNetwork = true;
    }
    const latest = await reads.heights();
    const seconds = secondsApart(reads.sources());
    timesApart = seconds > maxTimesApart ? { since: timesApart?.since ?? timers.now(), seconds } : undefined;
    if (latest.proposed > latest.current) throw invalid(url, `proposed height ${latest.proposed} above height ${latest.current}`);
    // A node that was restarted may be behind for a while.
    const height = max(latest.current, heights.current);
    if (height > currentHeight) await readCurrent(height);
    if (height > heights.current) heightSince = timers.now();
    // A later reading may have ended meanwhile.
    heights = { current: max(height, heights.current), proposed: max(latest.proposed, heights.proposed) };
    // New blocks refer to the proposed height, so their children need its set.
    await sets.load(heights.proposed);
  };

  const tick = async (): Promise<void> => {
    if (isStopped) return;
    cancel = timers.after(refreshInterval, () => void tick());
    if (readings >= maxReadings) return;
    readings++;
    const began = timers.now();
    try {
      await refresh();
      lastRead = { at: timers.now(), error: undefined };
    } catch (error) {
      // A later reading may have had an answer.
      if (isStopped || began < lastRead.at) return;
      if (lastRead.error === undefined) onUnreachable(error);
      lastRead = { at: lastRead.at, error };
    } finally {
      readings--;
    }
  };

  const useKnown = (): void => {
    for (const { height, set } of known) sets.keep(height, set.weights);
    const newest = known.at(-1);
    if (newest === undefined) return;
    current = newest.set;
    heights = { current: newest.height, proposed: newest.height };
  };

  return {
    current: () => current.weights,
    proposedHeight: () => heights.proposed,
    knownHeight: () => heights.current,
    at: sets.at,
    load: sets.load,
    publicKeyOf: (node) => current.keys.get(node),
    lastRead: () => lastRead,
    sources: reads.sources,
    heightSince: () => heightSince,
    timesApart: () => timesApart,
    start: async () => {
      useKnown();
      await Promise.race([tick(), sleep(timers, startPatience)]);
      const { error } = lastRead;
      if (error instanceof ValidatorsError && error.fault.code === 'VALIDATORS_WRONG_NETWORK') throw error;
    },
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

/** The validators at heights. They are cached, since a set at a height never changes. `current`: the weights of the current validators. */
function createValidatorSets({ url, reads, save, timers }: TrustedValidatorsDeps, current: () => ValidatorSet) {
  const sets = createLruMap<ValidatorSet>(maxSets);
  const loading = new Map<bigint, Promise<ValidatorSet>>();
  const failed = new Map<bigint, { readonly until: number; readonly error: unknown }>();

  /** Caches a set. An equal one that is cached already is used instead, so that what was computed for it can be used again. */
  const keep = (height: bigint, set: ValidatorSet): ValidatorSet => {
    const equal = [current(), sets.get(String(height - 1n))].find((other) => other !== undefined && isSameSet(other, set));
    const kept = equal ?? set;
    sets.set(String(height), kept);
    return kept;
  };

  const read = async (height: bigint): Promise<KeyedValidators> => {
    const set = await reads.validatorsAt(height);
    save(height, set);
    return set;
  };

  const fetchSet = async (height: bigint): Promise<ValidatorSet> => {
    if (loading.size >= maxLoading) throw unavailable(url, `${maxLoading} sets are being read`);
    const pending = read(height).then(({ weights }) => keep(height, weights));
    loading.set(height, pending);
    try {
      const set = await pending;
      failed.delete(height);
      return set;
    } catch (error) {
      failed.delete(height);
      if (failed.size >= maxSets) failed.delete(failed.keys().next().value as bigint);
      failed.set(height, { until: timers.now() + loadPause, error });
      throw error;
    } finally {
      loading.delete(height);
    }
  };

  const load = async (height: bigint): Promise<void> => {
    if (sets.get(String(height)) !== undefined) return;
    const before = failed.get(height);
    if (before !== undefined && timers.now() < before.until) throw before.error;
    await (loading.get(height) ?? fetchSet(height));
  };

  return { at: (height: bigint) => sets.get(String(height)), keep, read, load };
}

/** Seconds between the earliest and the latest P-Chain time of the nodes that answered. */
function secondsApart(sources: readonly SourceReading[]): number {
  const times = sources.flatMap(({ heights }) => (heights === undefined ? [] : [Number(heights.time)]));
  return times.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

function isSameSet(a: ValidatorSet, b: ValidatorSet): boolean {
  if (a.size !== b.size) return false;
  for (const [node, weight] of a) if (b.get(node) !== weight) return false;
  return true;
}
