import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { Validators } from '../protocol/validators.ts';
import type { BlockRef } from '../snowman/consensus.ts';

/** What validators with more than half of the stake have accepted, by their last answers. */
type Majority = {
  readonly height: bigint;
  /** The majority had no more than this at that time, in milliseconds of the timers' clock; it may have accepted more since. */
  readonly heardAt: number;
};

/** The last accepted block that each validator told of. It stands for its vote when it does not answer. AvalancheGo: snow/engine/common/tracker/accepted.go. */
export type AcceptedFrontiers = ReturnType<typeof createAcceptedFrontiers>;

/** What this node has accepted. */
type OwnBlocks = { readonly height: bigint; readonly idAt: (height: bigint) => Id | undefined };

type Frontier = BlockRef & {
  /** Whether this node has accepted another block at that height; undefined until it is known. */
  isOther?: boolean;
  /**
   * The heights above this node's that the validator told of, lowest first. It may have had a height `since` the answer before, which told of less.
   */
  readonly rises: { readonly height: bigint; readonly since: number }[];
};

/** Heights of a validator that are remembered. One that is further ahead counts as ahead for longer than it is. */
const maxRises = 64;

/** The size of a poll: so many validators, drawn by stake, know what the network has accepted. */
const enoughHeard = 20;

export function createAcceptedFrontiers(self: NodeId, validators: Pick<Validators, 'current'>, { now }: Pick<Timers, 'now'>) {
  const frontiers = new Map<NodeId, Frontier>();
  const heard = new Map<NodeId, number>();
  const created = now();
  /** Former validators are removed when there are more entries than validators, so peers cannot fill the map. */
  const trim = (): void => {
    const set = validators.current();
    for (const known of [frontiers, heard])
      if (known.size > set.size) for (const node of known.keys()) if (!set.has(node)) known.delete(node);
  };
  const majorityHeight = (): bigint => {
    const set = validators.current();
    // Most validators are at one of a few heights.
    const weights = new Map<bigint, bigint>();
    let total = 0n;
    for (const [node, weight] of set) {
      total += weight;
      const height = frontiers.get(node)?.height;
      if (height !== undefined) weights.set(height, (weights.get(height) ?? 0n) + weight);
    }
    let sum = 0n;
    for (const [height, weight] of [...weights].sort(([a], [b]) => (a > b ? -1 : 1))) {
      sum += weight;
      if (2n * sum > total) return height;
    }
    return 0n;
  };
  /** When a validator last answered that it had no more than a height. */
  const notAboveAt = (node: NodeId, height: bigint): number | undefined => {
    const frontier = frontiers.get(node);
    if (frontier === undefined) return heard.get(node);
    const { rises } = frontier;
    while (rises.length > 1 && (rises[0]?.height ?? 0n) <= height) rises.shift();
    return frontier.height <= height ? heard.get(node) : rises[0]?.since;
  };
  /** The latest time that enough validators have reached, by the time of each; that of this node is now. */
  const reachedBy = (timeOf: (node: NodeId) => number | undefined, isEnough: (stake: bigint, total: bigint) => boolean): number => {
    const times: { readonly at: number; readonly weight: bigint }[] = [];
    let total = 0n;
    for (const [node, weight] of validators.current()) {
      total += weight;
      const at = node === self ? now() : timeOf(node);
      if (at !== undefined) times.push({ at, weight });
    }
    let sum = 0n;
    for (const [i, { at, weight }] of times.sort((a, b) => b.at - a.at).entries()) {
      sum += weight;
      if (isEnough(sum, total) || i + 1 === enoughHeard) return Math.max(at, created);
    }
    return created;
  };
  return {
    /** Notes what a validator told. `askedAt`: when it was asked, since its answer may have waited while this process was stopped. */
    set: (node: NodeId, id: Id, height: bigint, askedAt?: number): void => {
      if (!validators.current().has(node)) return;
      const known = frontiers.get(node);
      const since = heard.get(node) ?? created;
      if (askedAt !== undefined) heard.set(node, Math.max(askedAt, since));
      trim();
      if (known !== undefined && (known.height > height || (known.height === height && known.id === id))) return;
      const rises = known?.rises ?? [];
      if (known?.height !== height && rises.length < maxRises) rises.push({ height, since });
      frontiers.set(node, { id, height, rises });
    },
    get: (node: NodeId): BlockRef | undefined => (validators.current().has(node) ? frontiers.get(node) : undefined),
    /**
     * The greatest height that validators with more than half of the stake told of, and how old that knowledge is.
     *
     * `heardAt` is the latest time after which more than half of the stake, this node included, has answered, or `enoughHeard` validators have.
     * If no majority is known to be above `ownHeight`, `heardAt` may be earlier. Example: a partition ends, some validators answer that they are
     * above `ownHeight`, and the others are silent. The silent ones may be above it too. So `heardAt` is then no later than when half of the stake
     * (or `enoughHeard` validators) had answered with `ownHeight` or less.
     */
    majority: (ownHeight: bigint): Majority => {
      const height = majorityHeight();
      const answeredAt = reachedBy(
        (node) => heard.get(node),
        (stake, total) => 2n * stake > total,
      );
      if (height > ownHeight) return { height, heardAt: answeredAt };
      return {
        height,
        heardAt: Math.min(
          answeredAt,
          reachedBy(
            (node) => notAboveAt(node, ownHeight),
            (stake, total) => 2n * stake >= total,
          ),
        ),
      };
    },
    /** Whether validators with at least half of the stake have accepted another block than this node at a height that it has reached. */
    isSplit: (own: OwnBlocks): boolean => {
      let [other, total] = [0n, 0n];
      for (const [node, weight] of validators.current()) {
        total += weight;
        const frontier = frontiers.get(node);
        if (frontier === undefined || frontier.height > own.height) continue;
        frontier.isOther ??= (own.idAt(frontier.height) ?? frontier.id) !== frontier.id;
        if (frontier.isOther) other += weight;
      }
      return total > 0n && 2n * other >= total;
    },
  };
}

/** How far a chain is behind what most of the stake has accepted. */
export type MajorityLag = {
  /** The height that validators with more than half of the stake have accepted, by their last answers. */
  readonly majorityHeight: bigint;
  /** Milliseconds since the majority may have had a block that this node has not accepted. */
  readonly milliseconds: number;
};

type MajorityLagMeter = {
  /** Takes a reading; call it at regular intervals. */
  readonly observe: (majority: Majority, ownHeight: bigint, now: number) => void;
  /** Undefined while this node has all that the majority has. */
  readonly read: (now: number) => MajorityLag | undefined;
};

/** Heights of the majority that are remembered. A chain further behind than these readings counts from the oldest that is left. */
const maxReadings = 1024;

/** Milliseconds without answers of the majority after which this node does not know what the majority has. */
const maxSilence = 5000;

/**
 * Measures for how long the majority has had a block that this node lacks. A chain that follows closely is always a block behind for a moment,
 * so the height alone tells nothing: only a block that stays out of reach does. What the majority accepted while it was not heard, because the
 * network was silent or this process stopped, counts from when it was last heard.
 */
export function createMajorityLagMeter(): MajorityLagMeter {
  /** Since when the majority may have had each height that this node has not reached, lowest height first. */
  const ahead: { readonly height: bigint; readonly since: number }[] = [];
  let latest = 0n;
  let heardAt: number | undefined;
  return {
    observe: (majority, ownHeight, now) => {
      while (ahead[0] !== undefined && ahead[0].height <= ownHeight) ahead.shift();
      if (majority.height > latest) latest = majority.height;
      const last = ahead.at(-1)?.height ?? ownHeight;
      if (majority.height > last && ahead.length < maxReadings)
        ahead.push({ height: majority.height, since: Math.min(now, heardAt ?? now) });
      heardAt = majority.heardAt;
    },
    read: (now) => {
      const isSilent = heardAt !== undefined && now - heardAt > maxSilence;
      const since = ahead[0]?.since ?? (isSilent ? heardAt : undefined);
      return since === undefined ? undefined : { majorityHeight: latest, milliseconds: now - since };
    },
  };
}
