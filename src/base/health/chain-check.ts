import { type Id, idText } from '../bytes/id.ts';
import { durationText, second } from './duration.ts';
import type { Check, Details } from './result.ts';

/** State of a chain's consensus engine and network connections. Durations in nanoseconds. */
export type ChainHealthState = {
  /** Absent while the chain is bootstrapping. */
  readonly consensus?: ConsensusState | undefined;
  /** Set while most of the stake has, or may have, accepted a block that this node has not; `time`: for how long. */
  readonly behind?: { readonly majorityHeight: bigint; readonly ownHeight: bigint; readonly time: bigint } | undefined;
  /** Whether at least half of the stake has accepted another block than this node at the same height. */
  readonly isSplit?: boolean;
  readonly vm?: Details;
  readonly networking: {
    /** Node IDs, sorted. */
    readonly disconnectedValidators: readonly string[];
    /** Share of the stake, from 0 to 1. */
    readonly percentConnected: number;
  };
};

type ConsensusState = {
  readonly avgAcceptanceTime: bigint;
  readonly lastAcceptedHeight: bigint;
  readonly lastAcceptedID: Id;
  readonly longestProcessingBlock: bigint;
  readonly processingBlocks: number;
};

/** AvalancheGo: snow/consensus/snowball/parameters.go; snow/consensus/snowman/topological.go. */
export const chainLimits = {
  processingBlocks: 256,
  processingTime: 30n * second,
  acceptanceTime: 15n * second,
  /** AvalancheGo has no such limit: its engine can always verify what the majority accepted. */
  behindTime: 10n * second,
  /** alpha / k (15 of 20), plus a fifth of the rest as a buffer. */
  percentConnected: 0.8,
};
export type ChainLimits = Readonly<typeof chainLimits>;

/** Checks consensus and connections of one chain. AvalancheGo: snow/networking/handler/health.go, snow/engine/snowman/engine.go. */
export const chainCheck =
  (read: () => ChainHealthState, limits: ChainLimits = chainLimits): Check =>
  () => {
    const { consensus, behind, isSplit, vm = null, networking } = read();
    const engineError = joinErrors([
      isSplit && splitText,
      behind && behind.time > limits.behindTime && describeLag(behind),
      consensus && consensusError(consensus, limits),
    ]);
    const networkError = connectionError(networking.percentConnected, limits.percentConnected);
    const isBoth = engineError !== undefined && networkError !== undefined;
    return {
      details: {
        engine: { consensus: consensus ? consensusDetails(consensus) : {}, vm },
        networking: { disconnectedValidators: networking.disconnectedValidators, percentConnected: networking.percentConnected },
      },
      error: isBoth ? `engine: ${engineError}; networking: ${networkError}` : (engineError ?? networkError),
    };
  };

/** Decided blocks are never undone, so waiting does not help. */
export const splitText =
  'split from the network: at least half of the stake has accepted another block than this node at the same height; if this node is the one that was cut off, start it with a new data directory';

const consensusDetails = (state: ConsensusState): Details => ({
  avgAcceptanceTime: durationText(state.avgAcceptanceTime),
  lastAcceptedHeight: state.lastAcceptedHeight,
  lastAcceptedID: idText(state.lastAcceptedID),
  longestProcessingBlock: durationText(state.longestProcessingBlock),
  processingBlocks: state.processingBlocks,
});

function consensusError(state: ConsensusState, limits: ChainLimits): string | undefined {
  const { processingBlocks, processingTime, acceptanceTime } = limits;
  const errors = [
    state.processingBlocks > processingBlocks && `too many processing blocks: ${state.processingBlocks} > ${processingBlocks}`,
    state.longestProcessingBlock > processingTime &&
      `block processing too long: ${durationText(state.longestProcessingBlock)} > ${durationText(processingTime)}`,
    state.avgAcceptanceTime > acceptanceTime &&
      `acceptance time too high: ${durationText(state.avgAcceptanceTime)} > ${durationText(acceptanceTime)}`,
  ];
  return joinErrors(errors);
}

/** How long most of the stake may be silent while a node counts as ready: what it serves may still be the newest. */
const silentTime = 30n * second;

/** Why a chain on a network serves data that is too old for a node that is ready; undefined while it keeps up. */
export function findStaleReason({ behind, isSplit }: Pick<ChainHealthState, 'behind' | 'isSplit'>): string | undefined {
  if (isSplit) return splitText;
  if (behind === undefined) return undefined;
  const limit = behind.majorityHeight > behind.ownHeight ? chainLimits.behindTime : silentTime;
  return behind.time > limit ? describeLag(behind) : undefined;
}

/** Why a chain without peers is stale. `time`: nanoseconds since the last peer was lost. */
export const findIsolation = (time: bigint, height: bigint): string | undefined =>
  time > silentTime ? `cut off: no peer has been connected for ${wholeSeconds(time)}, this node is at height ${height}` : undefined;

const wholeSeconds = (time: bigint): string => durationText(time - (time % second));

function describeLag({ majorityHeight, ownHeight, time }: NonNullable<ChainHealthState['behind']>): string {
  const duration = wholeSeconds(time);
  return majorityHeight > ownHeight
    ? `behind the network: most of the stake is at height ${majorityHeight}, this node at ${ownHeight} (for ${duration})`
    : `out of touch: for ${duration} it is not known what most of the stake has accepted, this node is at height ${ownHeight}`;
}

function joinErrors(errors: readonly (string | false | undefined)[]): string | undefined {
  const texts = errors.filter((error) => typeof error === 'string');
  return texts.length > 0 ? texts.join('\n') : undefined;
}

function connectionError(connected: number, wanted: number): string | undefined {
  if (connected >= wanted) return undefined;
  const percent = (share: number) => `${(share * 100).toFixed(6)}%`;
  return `not connected to enough stake: connected to ${percent(connected)}; required at least ${percent(wanted)}`;
}
