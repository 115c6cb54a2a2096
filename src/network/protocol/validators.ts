import type { NodeId } from '../../base/bytes/node-id.ts';

/** Weights of validators. */
export type ValidatorSet = ReadonlyMap<NodeId, bigint>;

/**
 * The validators of the primary network. Without sybil protection they are this node and its connected peers; with it they come from a trusted
 * node, whose sets are fetched ahead by `load`, so that the other functions need not wait.
 */
export type Validators = {
  /** The set that polls sample and whose votes count. */
  readonly current: () => ValidatorSet;
  /** The height of the P-Chain that a block built now refers to. */
  readonly proposedHeight: () => bigint;
  /** The highest height of the P-Chain that is known: a block must not refer to a later one. */
  readonly knownHeight: () => bigint;
  /** The set at a height of the P-Chain, which decides who may propose; undefined if it was not loaded. */
  readonly at: (height: bigint) => ValidatorSet | undefined;
  /** Loads the set at a height. Rejects if the trusted node does not answer. */
  readonly load: (height: bigint) => Promise<void>;
};
