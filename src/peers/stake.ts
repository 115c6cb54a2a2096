import type { NodeId } from '../bytes/node-id.ts';
import type { Stakes } from '../p2p/bench-list.ts';
import type { ValidatorSet, Validators } from '../p2p/validators.ts';

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

/** Validators of a network without sybil protection: this node and its connected peers, all with the same weight. */
export type ConnectedValidators = Validators & {
  readonly add: (node: NodeId) => void;
  readonly remove: (node: NodeId) => void;
};

/**
 * AvalancheGo: node/insecure_validator_manager.go. The set of the P-Chain, which decides who may propose, is empty there: everybody may.
 * `weight` is `--sybil-protection-disabled-weight`.
 */
export function createConnectedValidators(self: NodeId, weight = 100n): ConnectedValidators {
  let set: ValidatorSet = new Map([[self, weight]]);
  const none: ValidatorSet = new Map();
  return {
    add: (node) => {
      set = new Map(set).set(node, weight);
    },
    remove: (node) => {
      const without = new Map(set);
      without.delete(node);
      set = without;
    },
    current: () => set,
    proposedHeight: () => 0n,
    knownHeight: () => 0n,
    at: () => none,
    load: () => Promise.resolve(),
  };
}
