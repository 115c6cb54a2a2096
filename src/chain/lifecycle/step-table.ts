import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';

/** One step in the life of a transaction. `time`: Unix nanoseconds of the real clock. `detail`: why it was refused or dropped, or its block. */
export type Step = { readonly step: StepName; readonly time: bigint; readonly detail: AnyFault | AcceptedIn | undefined };

/** `refused`: not admitted when it was issued. `dropped`: it left the mempool other than with an accepted block. */
const stepNames = ['received', 'verified', 'pooled', 'refused', 'dropped', 'accepted'] as const;
export type StepName = (typeof stepNames)[number];

type AcceptedIn = { readonly height: bigint; readonly id: Id };

/** The steps of the newest transactions. */
type StepTable = {
  readonly add: (txID: Id, step: Step) => void;
  /** undefined if the transaction is not among the newest. */
  readonly stepsOf: (txID: Id) => Step[] | undefined;
  /** When a transaction had a step the last time, in Unix nanoseconds. */
  readonly timeOf: (txID: Id, step: StepName) => bigint | undefined;
  readonly clear: () => void;
};

const firstCapacity = 128;

/**
 * Creates a table for `maxTxs` transactions with `maxSteps` steps each. Times and names are in typed arrays: with an object and a bigint per
 * step, the garbage collector had to visit a dozen objects per transaction in every full collection.
 */
export function createStepTable(maxTxs: number, maxSteps: number): StepTable {
  /** Transactions in the order of their first step, with the number of their row. Rows are reused in that order. */
  const rows = new Map<Id, number>();
  /** The transaction of each row. The first key of a map would tell the oldest too, but passes all deleted ones: 9 µs with 10,000 rows. */
  const ids: Id[] = [];
  /** The rows that the arrays have room for. It grows with the transactions: a full table takes more than a megabyte. */
  let capacity = Math.min(firstCapacity, maxTxs);
  let lengths = new Uint8Array(capacity);
  let names = new Uint8Array(capacity * maxSteps);
  let times = new BigInt64Array(capacity * maxSteps);
  /** By the position in `names` and `times`. */
  const details = new Map<number, NonNullable<Step['detail']>>();
  let nextRow = 0;

  const setDetail = (at: number, detail: Step['detail']): void => {
    if (detail === undefined) details.delete(at);
    else details.set(at, detail);
  };

  const grow = (): void => {
    capacity = Math.min(capacity * 2, maxTxs);
    const [oldLengths, oldNames, oldTimes] = [lengths, names, times];
    lengths = new Uint8Array(capacity);
    names = new Uint8Array(capacity * maxSteps);
    times = new BigInt64Array(capacity * maxSteps);
    lengths.set(oldLengths);
    names.set(oldNames);
    times.set(oldTimes);
  };

  const addRow = (txID: Id): number => {
    if (rows.size === capacity && capacity < maxTxs) grow();
    const row = nextRow;
    if (rows.size >= maxTxs) rows.delete(ids[row] as Id);
    nextRow = (nextRow + 1) % maxTxs;
    lengths[row] = 0;
    ids[row] = txID;
    rows.set(txID, row);
    return row;
  };

  /** Removes the second step. The first one stays, so that the time of arrival is known. */
  const removeSecond = (from: number): void => {
    names.copyWithin(from + 1, from + 2, from + maxSteps);
    times.copyWithin(from + 1, from + 2, from + maxSteps);
    for (let at = from + 1; at < from + maxSteps - 1; at++) setDetail(at, details.get(at + 1));
  };

  return {
    add: (txID, { step, time, detail }) => {
      const row = rows.get(txID) ?? addRow(txID);
      const from = row * maxSteps;
      if (lengths[row] === maxSteps) {
        removeSecond(from);
        lengths[row] = maxSteps - 1;
      }
      const at = from + (lengths[row] as number);
      names[at] = stepNames.indexOf(step);
      times[at] = time;
      setDetail(at, detail);
      lengths[row] = at - from + 1;
    },
    stepsOf: (txID) => {
      const row = rows.get(txID);
      if (row === undefined) return undefined;
      return Array.from({ length: lengths[row] as number }, (_, i): Step => {
        const at = row * maxSteps + i;
        return { step: stepNames[names[at] as number] as StepName, time: times[at] as bigint, detail: details.get(at) };
      });
    },
    timeOf: (txID, step) => {
      const row = rows.get(txID);
      if (row === undefined) return undefined;
      const from = row * maxSteps;
      const at = names.subarray(from, from + (lengths[row] as number)).lastIndexOf(stepNames.indexOf(step));
      return at < 0 ? undefined : times[from + at];
    },
    clear: () => {
      rows.clear();
      details.clear();
      nextRow = 0;
    },
  };
}
