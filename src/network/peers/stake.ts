import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Stakes } from '../protocol/bench-list.ts';
import type { ValidatorSet } from '../protocol/validators.ts';

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
