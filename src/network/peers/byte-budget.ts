import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Stakes } from '../protocol/validators.ts';

type ByteBudgetLimits = {
  /** Shared by all nodes. */
  readonly atLarge: number;
  /** The most that one node may take of it. */
  readonly nodeAtLarge: number;
  /** Divided among validators by stake. */
  readonly validators: number;
};

/**
 * A limit of the bytes of messages in memory, received ones and ones to send: a part that all nodes share, and a part for validators by stake.
 * AvalancheGo: network/throttling/inbound_msg_byte_throttler.go, outbound_msg_throttler.go.
 */
export type ByteBudget = ReturnType<typeof createByteBudget>;

/** Bytes that a node holds. They must be released exactly once. */
export type ByteGrant = { readonly release: () => void };

type Used = { atLarge: number; validator: number };
type Waiter = { readonly node: NodeId; readonly bytes: number; readonly granted: (grant: ByteGrant) => void };

export function createByteBudget(limits: ByteBudgetLimits, stakes: Stakes) {
  const used = new Map<NodeId, Used>();
  const waiters = new Set<Waiter>();
  let { atLarge, validators } = limits;
  let granted = 0;
  /** Whether a node below its limits waits until the shared part has room. */
  let isContended = false;
  const counts = { taken: 0, refused: 0 };

  const stakeShare = (node: NodeId): number => {
    const weight = stakes.of(node);
    return weight === 0n ? 0 : Math.floor((limits.validators * Number(weight)) / Number(stakes.total()));
  };
  const takeParts = (node: NodeId, bytes: number, isInTurn: boolean): ByteGrant | undefined => {
    const before = used.get(node) ?? { atLarge: 0, validator: 0 };
    const fromAtLarge = isInTurn ? Math.min(bytes, limits.nodeAtLarge - before.atLarge, atLarge) : 0;
    const rest = bytes - fromAtLarge;
    const fromShare = rest === 0 ? 0 : Math.min(rest, validators, Math.max(0, stakeShare(node) - before.validator));
    if (fromShare < rest) return undefined;
    atLarge -= fromAtLarge;
    validators -= fromShare;
    used.set(node, { atLarge: before.atLarge + fromAtLarge, validator: before.validator + fromShare });
    granted++;
    let isReleased = false;
    return {
      release: () => {
        if (isReleased) return;
        isReleased = true;
        granted--;
        atLarge += fromAtLarge;
        validators += fromShare;
        const after = used.get(node) as Used;
        after.atLarge -= fromAtLarge;
        after.validator -= fromShare;
        if (after.atLarge === 0 && after.validator === 0) used.delete(node);
        serve();
      },
    };
  };
  /** Whether the bytes are within what the node may have, so that it waits for others. */
  const isWithinLimits = ({ node, bytes }: Waiter): boolean => {
    const { atLarge: ofShared, validator } = used.get(node) ?? { atLarge: 0, validator: 0 };
    return bytes <= limits.nodeAtLarge - ofShared + Math.max(0, stakeShare(node) - validator);
  };
  /** Serves the first waiters. One that waits for others lets validators behind it use only their own share. */
  const serve = (): void => {
    isContended = false;
    for (const waiter of waiters) {
      const grant = takeParts(waiter.node, waiter.bytes, !isContended);
      if (grant === undefined) isContended ||= isWithinLimits(waiter);
      else {
        waiters.delete(waiter);
        waiter.granted(grant);
      }
    }
  };

  return {
    /** Takes bytes for a node, or nothing. Fails while others wait for the shared part; one that waits for its own bytes stops nobody. */
    take: (node: NodeId, bytes: number): ByteGrant | undefined => {
      const grant = takeParts(node, bytes, !isContended);
      counts[grant === undefined ? 'refused' : 'taken']++;
      return grant;
    },
    /** Calls `run` as soon as the bytes are there, in the order of the calls and never during this call. Returns a function that gives up. */
    wait: (node: NodeId, bytes: number, run: (grant: ByteGrant) => void): (() => void) => {
      const waiter = { node, bytes, granted: run };
      waiters.add(waiter);
      isContended ||= isWithinLimits(waiter);
      return () => {
        if (waiters.delete(waiter)) serve();
      };
    },
    remaining: () => ({ atLarge, validators }),
    waiting: (): number => waiters.size,
    /** Grants that are not released. */
    granted: (): number => granted,
    /** Calls of `take` that got bytes, and those that did not. */
    counts: (): { readonly taken: number; readonly refused: number } => counts,
  };
}
