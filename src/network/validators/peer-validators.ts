import type { NodeId } from '../../base/bytes/node-id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import type { ValidatorSet, Validators } from '../protocol/validators.ts';

/** Validators of a network without sybil protection, with the events that change them. */
type PeerValidators = Validators & {
  readonly connected: (node: NodeId) => void;
  readonly disconnected: (node: NodeId) => void;
};

/** AvalancheGo's `--sybil-protection-disabled-weight`. */
const defaultPeerWeight = 100n;

/** The validators without sybil protection: this node and every connected peer, all with the same weight. */
export function createPeerValidators(self: NodeId, weight: bigint = defaultPeerWeight): PeerValidators {
  // A new map for every change, so that others can compare sets by identity.
  let current: ValidatorSet = new Map([[self, weight]]);
  return {
    ...withoutProposers,
    current: () => current,
    connected: (node) => {
      if (!current.has(node)) current = new Map([...current, [node, weight]]);
    },
    disconnected: (node) => {
      if (node === self || !current.has(node)) return;
      const rest = new Map(current);
      rest.delete(node);
      current = rest;
    },
  };
}

/** Validators that stay, whether they are connected or not, all with the same weight: a part of the network without most of them decides nothing. */
export function createNamedValidators(nodes: readonly NodeId[], weight: bigint): Validators {
  const current: ValidatorSet = new Map(nodes.map((node) => [node, weight]));
  return { ...withoutProposers, current: () => current };
}

const noProposers: ValidatorSet = new Map();

/** For proposers there are no validators: anyone may propose. The P-Chain's height is not known, so every height passes, and new blocks refer to that of their parent. */
const withoutProposers: Omit<Validators, 'current'> = {
  proposedHeight: () => 0n,
  knownHeight: () => maxU64,
  at: () => noProposers,
  load: async () => {},
};
