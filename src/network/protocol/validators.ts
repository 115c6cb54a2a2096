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

/** The stake of the validators of a chain; 0 for other nodes. */
export type Stakes = { readonly of: (node: NodeId) => bigint; readonly total: () => bigint };

/** Stakes of the validators, and the BLS keys that they registered. */
export type RegisteredStakes = Stakes & { readonly publicKey: (node: NodeId) => Uint8Array | undefined };

/** Stakes of the current set. Its total is computed once per set, so a set must be replaced, not changed. */
export function stakesOf(current: () => ValidatorSet, publicKey: RegisteredStakes['publicKey'] = () => undefined): RegisteredStakes {
  let known: ValidatorSet | undefined;
  let total = 0n;
  return {
    of: (node) => current().get(node) ?? 0n,
    total: () => {
      const set = current();
      if (set !== known) {
        total = 0n;
        for (const weight of set.values()) total += weight;
        known = set;
      }
      return total;
    },
    publicKey,
  };
}
