import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { Validators } from '../protocol/validators.ts';
import type { BlockRef } from '../snowman/consensus.ts';
import { createHeightsAhead, type HeightsAhead } from './heights-ahead.ts';

/** What validators with more than half of the stake have accepted, by their last answers. */
export type Majority = {
  readonly height: bigint;
  /** When these answers were asked for, in milliseconds of the timers' clock. The majority may have accepted more since. */
  readonly heardAt: number;
};

/**
 * The last block that each validator has accepted, as it told this node (its accepted frontier). It stands for the validator's vote when it does not
 * answer a poll; and from all of them this node knows how far the network is. AvalancheGo: snow/engine/common/tracker/accepted.go.
 */
export type AcceptedFrontiers = ReturnType<typeof createAcceptedFrontiers>;

/** What this node has accepted. */
type OwnBlocks = { readonly height: bigint; readonly idAt: (height: bigint) => Id | undefined };

type Frontier = BlockRef & {
  /** Whether this node has accepted another block at that height; undefined until it has reached the height. */
  isOther?: boolean;
  /** The heights that the validator told of. It may have had each since its answer before was asked for, which told of less. */
  readonly ahead: HeightsAhead;
};

/** Heights of a validator that are kept. */
const maxHeights = 64;

/** Answers of so many validators are enough, whatever their stake: a poll of a large network asks no more than these. */
const enoughHeard = 20;

export function createAcceptedFrontiers(self: NodeId, validators: Pick<Validators, 'current'>, { now }: Pick<Timers, 'now'>) {
  const frontiers = new Map<NodeId, Frontier>();
  /** When the last answer of each validator was asked for. */
  const heard = new Map<NodeId, number>();
  const created = now();
  /** Former validators are removed when there are more entries than validators, so peers cannot fill the map. */
  const trim = (): void => {
    const set = validators.current();
    for (const known of [frontiers, heard])
      if (known.size > set.size) for (const node of known.keys()) if (!set.has(node)) known.delete(node);
  };
  /** The greatest height that more than half of the stake has. Validators that told nothing, this node among them, count as having none. */
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
  /** When the last question was sent that a validator answered with this node's height or a lower one; undefined if there was none. */
  const notAboveAt = (node: NodeId, height: bigint): number | undefined => {
    const frontier = frontiers.get(node);
    return frontier === undefined || frontier.height <= height ? heard.get(node) : frontier.ahead.since();
  };
  /**
   * Takes the validators from the latest time to the earliest until they are enough, and returns the time of the last that was taken. `timeOf`: the time
   * of another validator; that of this node is now.
   */
  const latestOfEnough = (timeOf: (node: NodeId) => number | undefined, isEnough: (stake: bigint, total: bigint) => boolean): number => {
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
    /**
     * Stores the last accepted block that a validator named in an answer. `askedAt`: when it was asked, because the answer may have waited while this
     * process was stopped; undefined if the question had ended before.
     */
    set: (node: NodeId, id: Id, height: bigint, askedAt?: number): void => {
      if (!validators.current().has(node)) return;
      const known = frontiers.get(node);
      const since = heard.get(node) ?? created;
      if (askedAt !== undefined) heard.set(node, Math.max(askedAt, since));
      trim();
      if (known !== undefined && (known.height > height || (known.height === height && known.id === id))) return;
      const ahead = known?.ahead ?? createHeightsAhead(maxHeights);
      if (known?.height !== height) ahead.add(height, since);
      frontiers.set(node, { id, height, ahead });
    },
    get: (node: NodeId): BlockRef | undefined => (validators.current().has(node) ? frontiers.get(node) : undefined),
    /**
     * The greatest height that validators with more than half of the stake told of, and when they were asked: then or later, more than half of the stake
     * (this node included), or `enoughHeard` validators, were asked and answered.
     *
     * If that height is not above `ownHeight`, the majority may be above all the same and not have said so yet. Example: a partition ends, some validators
     * answer that they are above, the others are silent. So `heardAt` is then no later than when half of the stake, or `enoughHeard` validators, were
     * asked and told of `ownHeight` or less. `ownHeight` never gets lower from call to call.
     */
    majority: (ownHeight: bigint): Majority => {
      for (const { ahead } of frontiers.values()) ahead.forget(ownHeight);
      const height = majorityHeight();
      const answeredAt = latestOfEnough(
        (node) => heard.get(node),
        (stake, total) => 2n * stake > total,
      );
      if (height > ownHeight) return { height, heardAt: answeredAt };
      const notAheadAt = latestOfEnough(
        (node) => notAboveAt(node, ownHeight),
        (stake, total) => 2n * stake >= total,
      );
      return { height, heardAt: Math.min(answeredAt, notAheadAt) };
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
