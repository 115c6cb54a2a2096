import type { LatencySummary } from './latencies.ts';

/** What happened in one minute to transactions that were issued to this node. */
export type IssueMinute = {
  /** Unix seconds of its start. */
  readonly start: number;
  readonly refused: number;
  readonly dropped: number;
  /** Time from issue to acceptance of those accepted in this minute; percentiles are at most 5 % off. Undefined if none was. */
  readonly latency: LatencySummary | undefined;
};

type IssueMinutes = {
  readonly addDrop: (nanoseconds: bigint, stage: 'refused' | 'dropped') => void;
  readonly addLatency: (nanoseconds: bigint, milliseconds: number) => void;
  /** Minutes of the last hour in which something happened, oldest first. */
  readonly list: (nanoseconds: bigint) => readonly IssueMinute[];
  readonly clearLatencies: () => void;
};

/** Minutes that are kept. */
const issueMinuteCount = 60;

type Slot = { minute: number; refused: number; dropped: number; accepted: number; max: number; buckets: Uint32Array | undefined };

const emptySlot = (minute: number): Slot => ({ minute, refused: 0, dropped: 0, accepted: 0, max: 0, buckets: undefined });

/** Creates counters for each minute of the last hour. They take at most 40 kB, however many transactions there are. */
export function createIssueMinutes(): IssueMinutes {
  const slots = Array.from({ length: issueMinuteCount }, () => emptySlot(-1));
  const slotAt = (nanoseconds: bigint): Slot => {
    const minute = minuteOf(nanoseconds);
    const at = minute % issueMinuteCount;
    const slot = slots[at] as Slot;
    if (slot.minute === minute) return slot;
    const next = emptySlot(minute);
    slots[at] = next;
    return next;
  };
  return {
    addDrop: (nanoseconds, stage) => {
      slotAt(nanoseconds)[stage]++;
    },
    addLatency: (nanoseconds, milliseconds) => {
      const slot = slotAt(nanoseconds);
      slot.buckets ??= new Uint32Array(bucketCount);
      const bucket = bucketOf(milliseconds);
      slot.buckets[bucket] = (slot.buckets[bucket] ?? 0) + 1;
      slot.accepted++;
      slot.max = Math.max(slot.max, milliseconds);
    },
    list: (nanoseconds) => {
      const now = minuteOf(nanoseconds);
      return slots
        .filter(({ minute, refused, dropped, accepted }) => {
          const isRecent = minute > now - issueMinuteCount && minute <= now;
          return isRecent && refused + dropped + accepted > 0;
        })
        .toSorted((a, b) => a.minute - b.minute)
        .map((slot) => ({ start: slot.minute * 60, refused: slot.refused, dropped: slot.dropped, latency: summaryOf(slot) }));
    },
    clearLatencies: () => {
      for (const slot of slots) Object.assign(slot, { accepted: 0, max: 0, buckets: undefined });
    },
  };
}

const minuteOf = (nanoseconds: bigint): number => Math.floor(Number(nanoseconds / 1_000_000_000n) / 60);

/** Buckets are 2^(1/8) wide, from 0.05 ms to 52 s; the first and the last one also hold what is outside. */
const [lowest, perDoubling, bucketCount] = [0.05, 8, 160];

const bucketOf = (milliseconds: number): number =>
  Math.min(bucketCount - 1, Math.max(0, Math.floor(Math.log2(milliseconds / lowest) * perDoubling)));

/** The middle of a bucket, by ratio. */
const middleOf = (bucket: number): number => lowest * 2 ** ((bucket + 0.5) / perDoubling);

function summaryOf({ accepted, max, buckets }: Slot): LatencySummary | undefined {
  if (buckets === undefined || accepted === 0) return undefined;
  const at = (share: number): number => {
    let rest = Math.min(accepted - 1, Math.floor(share * accepted));
    const bucket = buckets.findIndex((count) => {
      rest -= count;
      return rest < 0;
    });
    return bucket === bucketCount - 1 ? max : Math.min(max, middleOf(bucket));
  };
  return { count: accepted, p50: at(0.5), p90: at(0.9), p99: at(0.99), max };
}
