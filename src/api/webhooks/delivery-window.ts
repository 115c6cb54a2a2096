import type { Address } from '../../base/bytes/address.ts';

/** A delivery that is not finished. `subjects`: the addresses that it is about; undefined: it must be alone, as a revert must. */
export type Pending<T> = { readonly value: T; readonly eventID: string; readonly subjects: ReadonlySet<Address> | undefined };

export type DeliveryWindow<T> = ReturnType<typeof createDeliveryWindow<T>>;

type Entry<T> = {
  readonly pending: Pending<T>;
  isRunning: boolean;
  isFinished: boolean;
  /** The position when this one is finished. */
  upTo: string;
};

/**
 * The unfinished deliveries of a webhook, in the order of their events. Deliveries about different addresses may run at the same time; one
 * starts only when all earlier ones that share an address with it are finished. So those of an address are in order.
 */
export function createDeliveryWindow<T>(startPosition: string) {
  let entries: Entry<T>[] = [];
  let position = startPosition;
  let last = startPosition;

  const entryOf = (pending: Pending<T>): Entry<T> | undefined => entries.find((entry) => entry.pending === pending);
  const trim = (): void => {
    let count = 0;
    while (entries[count]?.isFinished) position = (entries[count++] as Entry<T>).upTo;
    if (count > 0) entries = entries.slice(count);
  };

  return {
    /** ID of the event up to which all are finished. */
    position: (): string => position,
    /** ID of the last event that was added or passed. */
    last: (): string => last,
    size: (): number => entries.length,
    add: (pending: Pending<T>): void => {
      last = pending.eventID;
      entries.push({ pending, isRunning: false, isFinished: false, upTo: pending.eventID });
    },
    /** Notes that the events up to this ID concern the webhook no further. */
    pass: (eventID: string): void => {
      last = eventID;
      const newest = entries.at(-1);
      if (newest === undefined) position = eventID;
      else newest.upTo = eventID;
    },
    /** Marks and returns deliveries that may start now, while at most `maxRunning` run. */
    start: (maxRunning: number): readonly Pending<T>[] => {
      const started: Pending<T>[] = [];
      const busy = new Set<Address>();
      let running = entries.filter(({ isRunning }) => isRunning).length;
      let isFirst = true;
      for (const entry of entries) {
        if (running >= maxRunning) break;
        if (entry.isFinished) continue;
        const { subjects } = entry.pending;
        const mayStart = subjects === undefined ? isFirst : !intersects(subjects, busy);
        if (!entry.isRunning && mayStart) {
          entry.isRunning = true;
          running++;
          started.push(entry.pending);
        }
        if (subjects === undefined) break;
        for (const subject of subjects) busy.add(subject);
        isFirst = false;
      }
      return started;
    },
    finish: (pending: Pending<T>): void => {
      const entry = entryOf(pending);
      if (entry === undefined) return;
      entry.isRunning = false;
      entry.isFinished = true;
      trim();
    },
    /** Notes that a delivery has failed: it may start again. */
    fail: (pending: Pending<T>): void => {
      const entry = entryOf(pending);
      if (entry !== undefined) entry.isRunning = false;
    },
  };
}

function intersects(some: ReadonlySet<Address>, others: ReadonlySet<Address>): boolean {
  for (const one of some) if (others.has(one)) return true;
  return false;
}
