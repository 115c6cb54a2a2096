/*
 * Nearly all transactions are transfers (BaseTx) that name the fee asset. Their numbers in `tx` are consecutive, so the transfers of the whole
 * chain and those of the fee asset have no row each in `history`. Only the boundaries of runs of consecutive transfers are stored, as rows of
 * the kind `transferRunKind`: where a run starts, and the first transaction after its end. A run without an end goes on to the last block.
 */

/** Number in the column `kind` of `history`, beside those of `txKinds`. */
export const transferRunKind = 5;

/** Values of the column `tx` for boundaries. Both kinds of boundaries are in one order, so that one range of rows has the runs of a range. */
const startBoundary = (seq: number): number => 2 * seq;
const endBoundary = (seq: number): number => 2 * seq + 1;

const isStart = (boundary: number): boolean => boundary % 2 === 0;
const seqOf = (boundary: number): number => Math.floor(boundary / 2);

/** The state of a list of runs after its last stored boundary; undefined means that it has no boundary. */
export const isRunOpen = (lastBoundary: number | undefined): boolean => lastBoundary !== undefined && isStart(lastBoundary);

/** The boundaries that a transaction adds: at most one. `wasOpen`: whether the transaction before it is in a run. */
export function boundaryAt(seq: number, wasOpen: boolean, isInRun: boolean): number | undefined {
  if (wasOpen === isInRun) return undefined;
  return isInRun ? startBoundary(seq) : endBoundary(seq);
}

/** Consecutive transactions, both ends included. */
export type TransferRun = { readonly first: number; readonly last: number };

type BoundaryOrder = 'asc' | 'desc';

/** Boundaries that must be read so that they have at least `count` transactions, if there are so many. */
const boundariesFor = (count: number): number => 2 * count + 1;

/** SQL for the transactions after `low` and before `high`. */
export type RunBounds = { readonly low: string; readonly high: string };

/** The bounds are values. */
export const plainBounds: RunBounds = { low: '?', high: '?' };

/**
 * Creates the reads of runs from a `history` table. All of them are about the transactions after `low` and before `high`; the last of them must exist.
 * An ascending read begins with the last boundary that is not after its first transaction: it tells whether that one is in a run.
 */
export function createRunReads(history: string, { low: after, high: before }: RunBounds = plainBounds) {
  const boundaries = `SELECT tx AS boundary FROM ${history} WHERE subject = ? AND kind = ${transferRunKind}`;
  const lastUpTo = `SELECT max(b.tx) FROM ${history} b WHERE b.subject = ? AND b.kind = ${transferRunKind} AND b.tx <= 2 * CAST(${after} AS bigint) + 3`;
  const texts = {
    asc: `${boundaries} AND tx >= coalesce((${lastUpTo}), 0) AND tx < 2 * CAST(${before} AS bigint) ORDER BY tx LIMIT ? + 0`,
    desc: `${boundaries} AND tx < 2 * CAST(${before} AS bigint) ORDER BY tx DESC LIMIT ? + 0`,
  };
  return {
    /** The query for the runs that hold the first `count` transactions in an order. `low`, `high`: the values of the SQL for the bounds. */
    query: (subject: Uint8Array, low: readonly number[], high: readonly number[], order: BoundaryOrder, count: number) => {
      const end = [...high, boundariesFor(count)];
      return { text: texts[order], values: order === 'asc' ? [subject, subject, ...low, ...end] : [subject, ...end] };
    },
    /** The runs that its rows tell of, in the same order. `isComplete`: there are no others. */
    runsOf: (
      rows: readonly { readonly boundary: number }[],
      low: number,
      high: number,
      order: BoundaryOrder,
      count: number,
    ): { readonly runs: TransferRun[]; readonly isComplete: boolean } => {
      const isComplete = rows.length < boundariesFor(count);
      const ascending = rows.map(({ boundary }) => boundary);
      if (order === 'desc') ascending.reverse();
      const runs: TransferRun[] = [];
      for (const [i, boundary] of ascending.entries()) {
        if (!isStart(boundary)) continue;
        const end = ascending[i + 1];
        // The end of the last run was not read: it may be before `high`.
        if (end === undefined && order === 'asc' && !isComplete) continue;
        const run = { first: Math.max(seqOf(boundary), low + 1), last: (end === undefined ? high : Math.min(seqOf(end), high)) - 1 };
        if (run.first <= run.last) runs.push(run);
      }
      return { runs: order === 'asc' ? runs : runs.reverse(), isComplete };
    },
  };
}

/** The first `count` transactions of runs, in the order of the runs. */
export function seqsInRuns(runs: readonly TransferRun[], order: BoundaryOrder, count: number): number[] {
  const seqs: number[] = [];
  for (const { first, last } of runs)
    for (let i = 0; first + i <= last; i++) {
      if (seqs.length === count) return seqs;
      seqs.push(order === 'asc' ? first + i : last - i);
    }
  return seqs;
}
