import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Stakes } from '../protocol/validators.ts';
import { createTokenBucket } from './timing.ts';

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

type Meter = { value: number; updated: number };

/** Milliseconds between two readings of the CPU time. */
const samplePeriod = 500;

/** Delays below this are not worth a timer. Milliseconds. */
const shortest = 1;

/** A meter below this share is forgotten. It is far below the share of one message, or a flood of small ones would not count. */
const negligible = 1e-9;

/**
 * The share of a core that the messages of each node took recently. A node above its share has to wait. The clock is an argument of each
 * call, in milliseconds. The time of a message is measured with that clock, which also runs while the machine is busy with other programs; so the
 * shares are scaled down to the CPU time of this process. AvalancheGo: network/throttling/inbound_resource_throttler.go, snow/networking/tracker.
 * `cpuTime`: CPU time of this process in milliseconds.
 */
export function createCpuShares(limits: CpuLimits, stakes: Stakes, start: number, cpuTime: () => number) {
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
  /** The share of a core that this process used recently. */
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
    /** Adds time that ended at `now`. */
    add: (node: NodeId, milliseconds: number, now: number): void => {
      const meter = meters.get(node) ?? { value: 0, updated: now };
      meters.delete(node);
      meters.set(node, meter);
      addTo(meter, milliseconds, now);
      addTo(all, milliseconds, now);
      prune(now);
    },
    /** How long a node has to wait until it is below its share; 0 if it is. */
    delay: (node: NodeId, now: number): number => {
      const meter = meters.get(node);
      if (meter === undefined) return 0;
      const used = usedByAll(now);
      const [usage, allowed] = [(read(meter, now) * used) / read(all, now), target(node, used)];
      if (usage <= allowed) return 0;
      const delay = Math.min(limits.recheckDelay, decay * Math.log(usage / allowed));
      return delay < shortest ? 0 : delay;
    },
    /** The share of the time, before it is scaled. */
    total: (now: number): number => read(all, now),
    cpuUsage,
    /** Nodes that are measured. */
    count: (): number => meters.size,
  };
}

/** Milliseconds that the messages of one peer are handled before other events run. */
export const sliceMilliseconds = 4;

/** Milliseconds of each second that the messages of all peers without stake are handled, and how many at once. */
const withoutStake = { perSecond: 500, burst: 16 } as const;

/**
 * When the messages of a peer are handled: those of peers with stake as they come, those of all others in slices one after the other, with
 * pauses. However many of these send at once, a message of a peer with stake waits for a few slices only. Times are in milliseconds.
 */
export function createHandlingSlices(stakes: Pick<Stakes, 'of'>, start: number) {
  const bucket = createTokenBucket(withoutStake.perSecond, withoutStake.burst, start);
  const hasStake = (node: NodeId): boolean => stakes.of(node) > 0n;
  return {
    /** Takes a slice for a peer. Returns after how long it begins; 0: now. */
    begin: (node: NodeId, now: number): number => (hasStake(node) ? 0 : bucket.reserve(sliceMilliseconds, now)),
    /** Gives back what was not used of a slice that has begun, or all of one that has not. */
    end: (node: NodeId, used: number, now: number): void => void (hasStake(node) || bucket.reserve(used - sliceMilliseconds, now)),
  };
}
