import { defaultParameters, type SnowParameters } from '../snowman/parameters.ts';

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

/** Limits on what peers can make an engine hold. AvalancheGo limits only the unverified blocks (64 MiB). */
export const engineLimits = {
  /** Blocks that wait for their parent or are being prepared. */
  pendingBlocks: 2048,
  pendingBytes: 64 * 1024 * 1024,
  unverifiedBlocks: 16_384,
  unverifiedBytes: 64 * 1024 * 1024,
  blockRequests: 1024,
  blockRequestsPerPeer: 128,
  /** Queries of one peer that wait to be processed. They have been answered before: what is dropped is only the block they name. */
  queriesPerPeer: 64,
  queryBytes: 32 * 1024 * 1024,
  /** Milliseconds that an answer waits for blocks that are being prepared. Peers wait 2 s or longer for it. */
  answerWait: 1000,
} as const;
