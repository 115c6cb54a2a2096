import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Stakes } from '../protocol/bench-list.ts';

/** Shares of one core. */
type CpuLimits = {
  /** Divided among validators by stake, beside what every node may use. */
  readonly validators: number;
  /** When all nodes together use this much, a node without stake has to wait. */
  readonly others: number;
  /** The most for a node without stake. */
  readonly otherNode: number;
  readonly halfLife: number;
  /** The longest delay, in milliseconds. */
  readonly recheckDelay: number;
};

/**
 * The share of the time that the messages of each node took recently. A node above its share has to wait. The clock is an argument of each
 * call, in milliseconds. AvalancheGo: network/throttling/inbound_resource_throttler.go, snow/networking/tracker.
 */
export type CpuShares = {
  /** Adds time that ended at `now`. */
  readonly add: (node: NodeId, milliseconds: number, now: number) => void;
  /** How long a node has to wait until it is below its share; 0 if it is. */
  readonly delay: (node: NodeId, now: number) => number;
  readonly total: (now: number) => number;
  /** Nodes that are measured. */
  readonly count: () => number;
};

type Meter = { value: number; updated: number };

/** Delays below this are not worth a timer. Milliseconds. */
const shortest = 1;

/** A meter below this share is forgotten. It is far below the share of one message, or a flood of small ones would not count. */
const negligible = 1e-9;

export function createCpuShares(limits: CpuLimits, stakes: Stakes, start: number): CpuShares {
  const decay = limits.halfLife / Math.LN2;
  const meters = new Map<NodeId, Meter>();
  const all: Meter = { value: 0, updated: start };

  const read = (meter: Meter, now: number): number => {
    if (now > meter.updated) {
      meter.value *= Math.exp((meter.updated - now) / decay);
      meter.updated = now;
    }
    return meter.value;
  };
  const addTo = (meter: Meter, milliseconds: number, now: number): void => {
    meter.value = read(meter, now) + milliseconds / decay;
  };
  const target = (node: NodeId, now: number): number => {
    const base = Math.min(limits.otherNode, Math.max(0, limits.others - read(all, now)));
    const weight = stakes.of(node);
    return weight === 0n ? base : base + (limits.validators * Number(weight)) / Number(stakes.total());
  };
  /** Meters are ordered by their last use: old ones come first. */
  const prune = (now: number): void => {
    for (const [node, meter] of meters) {
      if (read(meter, now) > negligible) return;
      meters.delete(node);
    }
  };

  return {
    add: (node, milliseconds, now) => {
      const meter = meters.get(node) ?? { value: 0, updated: now };
      meters.delete(node);
      meters.set(node, meter);
      addTo(meter, milliseconds, now);
      addTo(all, milliseconds, now);
      prune(now);
    },
    delay: (node, now) => {
      const meter = meters.get(node);
      if (meter === undefined) return 0;
      const [usage, allowed] = [read(meter, now), target(node, now)];
      if (usage <= allowed) return 0;
      const delay = Math.min(limits.recheckDelay, decay * Math.log(usage / allowed));
      return delay < shortest ? 0 : delay;
    },
    total: (now) => read(all, now),
    count: () => meters.size,
  };
}
