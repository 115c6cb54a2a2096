import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { type Averager, createAverager } from './averager.ts';
import type { Stakes } from './validators.ts';

/** The flags `--benchlist-*`, with times in milliseconds. */
type BenchRules = {
  readonly halfLife: number;
  /** A node is benched above this share of failures, and no longer below the other. */
  readonly benchAbove: number;
  readonly unbenchBelow: number;
  readonly duration: number;
  /** The largest share of all stake that may be benched. */
  readonly maxPortion: number;
};

/** `maxPortion` is a third of the stake that a poll can do without: (1 - 15/20) / 3. */
export const defaultBenchRules: BenchRules = {
  halfLife: 60_000,
  benchAbove: 0.5,
  unbenchBelow: 0.2,
  duration: 300_000,
  maxPortion: (1 - 15 / 20) / 3,
};

/**
 * Validators of one chain that seldom answer. A request to one of them counts as failed at once instead of after its timeout. The clock is an
 * argument of each call. AvalancheGo: snow/networking/benchlist/benchlist.go.
 */
type BenchList = ReturnType<typeof createBenchList>;

type BenchChange = { readonly node: NodeId; readonly isBenched: boolean };

export function createBenchList(rules: BenchRules, stakes: Stakes) {
  /** Share of failures of each validator that was observed. */
  const failures = new Map<NodeId, Averager>();
  /** Deadlines of benched nodes. All last equally long, so the first is the earliest. */
  const deadlines = new Map<NodeId, number>();

  const release = (node: NodeId): BenchChange => {
    deadlines.delete(node);
    return { node, isBenched: false };
  };
  const shareOf = (node: NodeId): number => failures.get(node)?.read() ?? 0;

  /** Which benched nodes must be released to bench another one; undefined if it does not fit. */
  const roomFor = (node: NodeId, share: number): NodeId[] | undefined => {
    const benchedStake = [...deadlines.keys()].reduce((sum, other) => sum + stakes.of(other), stakes.of(node));
    const maxStake = Number(stakes.total()) * rules.maxPortion;
    if (Number(benchedStake) <= maxStake) return [];
    const excess = benchedStake - BigInt(Math.floor(maxStake));
    const better = [...deadlines.keys()].filter((other) => shareOf(other) < share).sort((a, b) => shareOf(a) - shareOf(b));
    let released = 0n;
    for (const [index, other] of better.entries()) {
      released += stakes.of(other);
      if (released >= excess) return better.slice(0, index + 1);
    }
    return undefined;
  };

  const averagerOf = (node: NodeId, now: number): Averager => {
    const known = failures.get(node);
    if (known !== undefined) return known;
    const averager = createAverager(0, rules.halfLife, now);
    failures.set(node, averager);
    return averager;
  };

  return {
    /** Notes an answer or a failure of a node. Returns the nodes whose state changed. */
    observe: (node: NodeId, isFailure: boolean, now: number): BenchChange[] => {
      if (stakes.of(node) === 0n) {
        if (!deadlines.has(node)) failures.delete(node);
        return [];
      }
      const averager = averagerOf(node, now);
      averager.observe(isFailure ? 1 : 0, now);
      const share = averager.read();
      if (deadlines.has(node)) return share < rules.unbenchBelow ? [release(node)] : [];
      const room = share > rules.benchAbove ? roomFor(node, share) : undefined;
      if (room === undefined) return [];
      const changes = room.map(release);
      deadlines.set(node, now + rules.duration);
      return [...changes, { node, isBenched: true }];
    },
    /** Releases nodes whose time is over; they start without failures. */
    expire: (now: number): BenchChange[] => {
      const changes: BenchChange[] = [];
      for (const [node, deadline] of deadlines) {
        if (deadline > now) break;
        failures.delete(node);
        changes.push(release(node));
      }
      return changes;
    },
    isBenched: (node: NodeId): boolean => deadlines.has(node),
    benched: (): NodeId[] => [...deadlines.keys()],
    nextDeadline: (): number | undefined => deadlines.values().next().value,
  };
}

/** The bench lists of all chains. A node benched on one counts as disconnected on all; `onChange` is called at its first bench and after its last. */
export type BenchLists = ReturnType<typeof createBenchLists>;

export function createBenchLists(rules: BenchRules, stakes: Stakes, onChange: (node: NodeId, isBenched: boolean) => void) {
  const lists = new Map<Id, BenchList>();
  /** Chains on which a node is benched. */
  const chainsOf = new Map<NodeId, Set<Id>>();

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
    /** How many validators are benched on each chain, and their stake. */
    state: () =>
      [...lists].map(([chainId, list]) => {
        const nodes = list.benched();
        return { chainId, count: nodes.length, weight: nodes.reduce((sum, node) => sum + stakes.of(node), 0n) };
      }),
  };
}
