import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { type BenchChange, type BenchList, createBenchList, defaultBenchRules } from '../protocol/bench-list.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { RegisteredStakes } from './stake.ts';

/** The bench lists of all chains. A node benched on one counts as disconnected on all; `onChange` is called at its first bench and after its last. */
export function createBenches(options: NetworkOptions, stakes: RegisteredStakes, onChange: (node: NodeId, isBenched: boolean) => void) {
  const lists = new Map<Id, BenchList>();
  /** Chains on which a node is benched. */
  const chainsOf = new Map<NodeId, Set<Id>>();
  const rules = {
    halfLife: options.benchHalfLife,
    benchAbove: options.benchAbove,
    unbenchBelow: options.unbenchBelow,
    duration: options.benchDuration,
    maxPortion: defaultBenchRules.maxPortion,
  };

  const apply = (chainId: Id, changes: readonly BenchChange[]): void => {
    for (const { node, isBenched } of changes) {
      const before = chainsOf.get(node);
      const after = new Set(before);
      if (isBenched) after.add(chainId);
      else after.delete(chainId);
      if (after.size > 0) chainsOf.set(node, after);
      else chainsOf.delete(node);
      if ((before !== undefined) !== after.size > 0) onChange(node, after.size > 0);
    }
  };

  return {
    addChain: (chainId: Id): void => void lists.set(chainId, createBenchList(rules, stakes)),
    observe: (chainId: Id, node: NodeId, isFailure: boolean, now: number): void => {
      const list = lists.get(chainId);
      if (list !== undefined) apply(chainId, list.observe(node, isFailure, now));
    },
    expire: (now: number): void => {
      for (const [chainId, list] of lists) apply(chainId, list.expire(now));
    },
    nextDeadline: (): number => Math.min(...[...lists.values()].map((list) => list.nextDeadline() ?? Number.POSITIVE_INFINITY)),
    isBenched: (node: NodeId): boolean => chainsOf.has(node),
    isBenchedOn: (chainId: Id, node: NodeId): boolean => lists.get(chainId)?.isBenched(node) === true,
    /** Chains on which a node is benched. */
    benchedOn: (node: NodeId): Id[] => [...(chainsOf.get(node) ?? [])],
    state: (): BenchState[] =>
      [...lists].map(([chainId, list]) => {
        const nodes = list.benched();
        return { chainId, count: nodes.length, weight: nodes.reduce((sum, node) => sum + stakes.of(node), 0n) };
      }),
  };
}

type BenchState = { readonly chainId: Id; readonly count: number; readonly weight: bigint };
