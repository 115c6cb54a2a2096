import type { NodeId } from '../../base/bytes/node-id.ts';
import { type Averager, createAverager } from './averager.ts';

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

/** The stake of the validators of a chain; 0 for other nodes. */
export type Stakes = { readonly of: (node: NodeId) => bigint; readonly total: () => bigint };

/**
 * Validators of one chain that seldom answer. A request to one of them counts as failed at once instead of after its timeout. The clock is an
 * argument of each call. AvalancheGo: snow/networking/benchlist/benchlist.go.
 */
export type BenchList = {
  /** Notes an answer or a failure of a node. Returns the nodes whose state changed. */
  readonly observe: (node: NodeId, isFailure: boolean, now: number) => BenchChange[];
  /** Releases nodes whose time is over; they start without failures. */
  readonly expire: (now: number) => BenchChange[];
  readonly isBenched: (node: NodeId) => boolean;
  readonly benched: () => NodeId[];
  readonly nextDeadline: () => number | undefined;
};

export type BenchChange = { readonly node: NodeId; readonly isBenched: boolean };

export function createBenchList(rules: BenchRules, stakes: Stakes): BenchList {
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
    observe: (node, isFailure, now) => {
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
    expire: (now) => {
      const changes: BenchChange[] = [];
      for (const [node, deadline] of deadlines) {
        if (deadline > now) break;
        failures.delete(node);
        changes.push(release(node));
      }
      return changes;
    },
    isBenched: (node) => deadlines.has(node),
    benched: () => [...deadlines.keys()],
    nextDeadline: () => deadlines.values().next().value,
  };
}
