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
 * The share of a core that the messages of each node took recently. A node above its share has to wait. The clock is an argument of each
 * call, in milliseconds. The time of a message is measured with that clock, which also runs while the machine is busy with other programs; so the
 * shares are scaled down to the CPU time of this process. AvalancheGo: network/throttling/inbound_resource_throttler.go, snow/networking/tracker.
 */
export type CpuShares = {
  /** Adds time that ended at `now`. */
  readonly add: (node: NodeId, milliseconds: number, now: number) => void;
  /** How long a node has to wait until it is below its share; 0 if it is. */
  readonly delay: (node: NodeId, now: number) => number;
  /** The share of the time, before it is scaled. */
  readonly total: (now: number) => number;
  /** The share of a core that this process used recently. */
  readonly cpuUsage: (now: number) => number;
  /** Nodes that are measured. */
  readonly count: () => number;
};

type Meter = { value: number; updated: number };

/** Milliseconds between two readings of the CPU time. */
const samplePeriod = 500;

/** Delays below this are not worth a timer. Milliseconds. */
const shortest = 1;

/** A meter below this share is forgotten. It is far below the share of one message, or a flood of small ones would not count. */
const negligible = 1e-9;

/** `cpuTime`: CPU time of this process in milliseconds. */
export function createCpuShares(limits: CpuLimits, stakes: Stakes, start: number, cpuTime: () => number): CpuShares {
  const decay = limits.halfLife / Math.LN2;
  const meters = new Map<NodeId, Meter>();
  const all: Meter = { value: 0, updated: start };
  const cpu: Meter = { value: 0, updated: start };
  let sample = { at: start, cpuTime: cpuTime() };

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
  const cpuUsage = (now: number): number => {
    if (now - sample.at >= samplePeriod) {
      const last = sample.cpuTime;
      sample = { at: now, cpuTime: cpuTime() };
      addTo(cpu, sample.cpuTime - last, now);
    }
    return read(cpu, now);
  };
  /** What the messages of all nodes used of a core: not more than they took, and not more than this process used. */
  const usedByAll = (now: number): number => Math.min(read(all, now), cpuUsage(now));
  const target = (node: NodeId, used: number): number => {
    const base = Math.min(limits.otherNode, Math.max(0, limits.others - used));
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
      const used = usedByAll(now);
      const [usage, allowed] = [(read(meter, now) * used) / read(all, now), target(node, used)];
      if (usage <= allowed) return 0;
      const delay = Math.min(limits.recheckDelay, decay * Math.log(usage / allowed));
      return delay < shortest ? 0 : delay;
    },
    total: (now) => read(all, now),
    cpuUsage,
    count: () => meters.size,
  };
}
