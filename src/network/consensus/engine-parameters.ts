import { defaultParameters, type SnowParameters } from '../snowman/parameters.ts';
import { type QueueLimits, unlimited } from './queue-limit.ts';

/** Parameters of the engine beside those of consensus. AvalancheGo: the flags `--snow-*` and `--consensus-frontier-poll-frequency`. */
export type EngineParameters = SnowParameters & {
  /** Polls that are open at once while blocks are processing. */
  readonly concurrentRepolls: number;
  /** No block is built while this many are processing. */
  readonly optimalProcessing: number;
  /** How often a peer is asked for its frontier, in milliseconds. */
  readonly frontierPollInterval: number;
};

export const defaultEngineParameters: EngineParameters = {
  ...defaultParameters,
  concurrentRepolls: 4,
  optimalProcessing: 10,
  frontierPollInterval: 100,
};

/** Limits on what peers can make an engine hold. A part is left to peers with stake. AvalancheGo limits only the unverified blocks (64 MiB). */
export const engineLimits = {
  /** Blocks that wait for their parent or are being preverified. */
  pendingBlocks: {
    perPeer: { count: 512, bytes: 64 * 1024 * 1024 },
    withoutStake: { count: 1024, bytes: 32 * 1024 * 1024 },
    all: { count: 2048, bytes: 64 * 1024 * 1024 },
  },
  unverifiedBlocks: 16_384,
  unverifiedBytes: 64 * 1024 * 1024,
  /** Blocks that are used of one answer with ancestors: they are decoded in one event. */
  ancestors: 64,
  /** Blocks that peers are asked for. */
  blockRequests: { perPeer: { ...unlimited, count: 128 }, withoutStake: { ...unlimited, count: 512 }, all: { ...unlimited, count: 1024 } },
  /** Queries that wait to be processed. They have been answered before: what is dropped is only the block they name. */
  queries: {
    perPeer: { count: 64, bytes: 8 * 1024 * 1024 },
    withoutStake: { count: 512, bytes: 8 * 1024 * 1024 },
    all: { count: Number.POSITIVE_INFINITY, bytes: 32 * 1024 * 1024 },
  },
  /** Queries whose answer waits for blocks that are being preverified. */
  waitingAnswers: { perPeer: { ...unlimited, count: 64 }, withoutStake: { ...unlimited, count: 1024 }, all: unlimited },
  /** Milliseconds that an answer waits for blocks that are being preverified. Peers wait 2 s or longer for it. */
  answerWait: 1000,
} as const satisfies { readonly [name: string]: QueueLimits | number };
