import { unlimited } from '../consensus/queue-limit.ts';

/** How transactions are gossiped; times in milliseconds. AvalancheGo: vms/avm/network/config.go. */
export type GossipParameters = PushParameters & PullParameters & FilterParameters;

type PushParameters = QueueParameters & {
  readonly pushInterval: number;
  /** The first push goes to the validators with the most stake, up to this share of it, and to so many other connected validators. */
  readonly pushStake: number;
  readonly pushValidators: number;
  /** A transaction that still waits is pushed again to so many connected validators, at most once per `repushInterval`. */
  readonly repushValidators: number;
};

/** What waits to be pushed. */
export type QueueParameters = {
  /** Bytes of one push, and of the answer to a pull. */
  readonly targetSize: number;
  readonly repushInterval: number;
  /** Dropped transactions that are remembered, so that they are not pushed at once if they come back. */
  readonly discardedSize: number;
};

type PullParameters = {
  readonly pullInterval: number;
  /** After so many answers in a row without transactions, and none heard of otherwise, only each `quietPullFactor`th pull is sent. */
  readonly pullsUntilQuiet: number;
  readonly quietPullFactor: number;
  /** Pull requests per peer are limited over this period. */
  readonly pullPeriod: number;
};

/** The filter of known transactions. */
export type FilterParameters = {
  readonly minFilterItems: number;
  readonly filterFalsePositives: number;
  /** The filter is replaced when false positives are more probable than this. */
  readonly maxFilterFalsePositives: number;
};

export const defaultGossipParameters: GossipParameters = {
  targetSize: 20 * 1024,
  pushInterval: 500,
  pushStake: 0.9,
  pushValidators: 100,
  repushValidators: 10,
  repushInterval: 30_000,
  discardedSize: 16_384,
  pullInterval: 1500,
  pullsUntilQuiet: 4,
  quietPullFactor: 4,
  pullPeriod: 3_600_000,
  minFilterItems: 8192,
  filterFalsePositives: 0.01,
  maxFilterFalsePositives: 0.05,
};

/** Limits on what peers can make gossip hold. AvalancheGo bounds it by its queue of messages. */
export const gossipLimits = {
  /** Received transactions that wait to be verified. */
  queued: {
    perPeer: { ...unlimited, bytes: 512 * 1024 },
    withoutStake: { ...unlimited, bytes: 4 * 1024 * 1024 },
    all: { ...unlimited, bytes: 8 * 1024 * 1024 },
  },
  /** Refused transactions that are not verified again for a while. Shorter than the interval in which their node pushes them again. */
  refused: 16_384,
  refusedFor: 20_000,
} as const;
