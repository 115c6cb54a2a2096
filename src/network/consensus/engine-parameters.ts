import { defaultParameters, type SnowParameters } from '../snowman/parameters.ts';
import { type QueueLimits, type Room, unlimited } from './queue-limit.ts';

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

const mebibyte = 1024 * 1024;
const count = (items: number): Room => ({ ...unlimited, count: items });

/** Limits on what peers can make an engine hold. A part is left to peers with stake. AvalancheGo limits only the unverified blocks (64 MiB). */
export const engineLimits = {
  /** Blocks that wait for their parent or are being prepared. */
  pendingBlocks: {
    perPeer: { count: 512, bytes: 64 * mebibyte },
    withoutStake: { count: 1024, bytes: 32 * mebibyte },
    all: { count: 2048, bytes: 64 * mebibyte },
  },
  unverifiedBlocks: 16_384,
  unverifiedBytes: 64 * mebibyte,
  /** Blocks that peers are asked for. */
  blockRequests: { perPeer: count(128), withoutStake: count(512), all: count(1024) },
  /** Queries that wait to be processed. They have been answered before: what is dropped is only the block they name. */
  queries: {
    perPeer: { count: 64, bytes: 8 * mebibyte },
    withoutStake: { count: 512, bytes: 8 * mebibyte },
    all: { count: Number.POSITIVE_INFINITY, bytes: 32 * mebibyte },
  },
  /** Queries whose answer waits for blocks that are being prepared. */
  waitingAnswers: { perPeer: count(64), withoutStake: count(1024), all: unlimited },
  /** Milliseconds that an answer waits for blocks that are being prepared. Peers wait 2 s or longer for it. */
  answerWait: 1000,
} as const satisfies { readonly [name: string]: QueueLimits | number };
