import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createObjectSlot } from '../../base/cache/object-slot.ts';
import type { AnyFault } from '../../base/fault.ts';
import { createDropLog, type DropLog } from './drop-log.ts';
import type { EventBus } from './events.ts';
import { createIssueMinutes, type IssueMinute } from './issue-minutes.ts';
import { createLatencies, type LatencySummary } from './latencies.ts';
import { createStepTable, type Step } from './step-table.ts';

/** The steps of the newest transactions of a chain, the transactions that were not accepted, and how long acceptance took. */
export type TxLifecycle = {
  readonly record: (txID: Id, step: 'received' | 'verified') => void;
  readonly recordRefused: (tx: Tx, reason: AnyFault) => void;
  /** undefined if the transaction is not among the newest. */
  readonly stepsOf: (txID: Id) => readonly Step[] | undefined;
  /** When a transaction entered the mempool, in Unix nanoseconds; undefined if that was before the start or a revert. */
  readonly pooledAt: (tx: Tx) => bigint | undefined;
  readonly drops: Pick<DropLog, 'list' | 'find'>;
  /** Time from issue to acceptance of the newest transactions that were issued to this node. */
  readonly latency: () => LatencySummary;
  /** Refused, dropped and accepted transactions by minute of the last hour, oldest first. `now`: Unix nanoseconds. */
  readonly minutes: () => { readonly now: bigint; readonly minutes: readonly IssueMinute[] };
  readonly totals: () => IssueTotals;
};

/** Transactions issued to this node since its start. Counted once for each time they are issued. */
export type IssueTotals = {
  readonly issued: number;
  readonly refused: number;
  readonly dropped: number;
  /** Accepted, and the milliseconds from issue to acceptance of all of them. */
  readonly accepted: number;
  readonly latency: number;
};

/** The number of transactions kept, and the number of steps kept of each; a transaction may be issued again and again. */
export const maxTxs = 10_000;
const maxSteps = 16;

/**
 * Creates the record and fills it from the event bus. `now`: Unix nanoseconds. A revert clears the steps and the latencies, since it undoes what
 * they tell; the drops stay, since they happened.
 */
export function createTxLifecycle(chainID: Id, events: Pick<EventBus, 'subscribe'>, now: () => bigint): TxLifecycle {
  const table = createStepTable(maxTxs, maxSteps);
  const drops = createDropLog();
  const latencies = createLatencies();
  const minutes = createIssueMinutes();
  const totals = { issued: 0, refused: 0, dropped: 0, accepted: 0, latency: 0 };
  /** By object: the mempool keeps the transaction, and with it the entry, as long as it waits. */
  let pooledAt = createObjectSlot<Tx, bigint>();

  const add = (txID: Id, step: Step['step'], time: bigint, detail?: Step['detail']): void => table.add(txID, { step, time, detail });

  events.subscribe('pooled', ({ chainID: of, tx }) => {
    if (of !== chainID) return;
    const time = now();
    pooledAt.set(tx, time);
    add(tx.id, 'pooled', time);
  });
  events.subscribe('dropped', ({ chainID: of, tx, reason }) => {
    if (of !== chainID) return;
    const time = now();
    add(tx.id, 'dropped', time, reason);
    drops.add({ tx, time, reason, stage: 'dropped' });
    minutes.addDrop(time, 'dropped');
    totals.dropped++;
  });
  events.subscribe('accepted', (event) => {
    if (event.chainID !== chainID) return;
    const { height, id, txs: accepted } = event.stored.block;
    const time = now();
    const block = { height, id };
    for (const tx of accepted) {
      add(tx.id, 'accepted', time, block);
      const received = table.timeOf(tx.id, 'received');
      if (received === undefined) continue;
      const milliseconds = Number(time - received) / 1e6;
      latencies.add(milliseconds);
      minutes.addLatency(time, milliseconds);
      totals.accepted++;
      totals.latency += milliseconds;
    }
  });
  events.subscribe('reverted', (event) => {
    if (event.chainID !== chainID) return;
    table.clear();
    latencies.clear();
    minutes.clearLatencies();
    pooledAt = createObjectSlot();
  });

  return {
    record: (txID, step) => {
      if (step === 'received') totals.issued++;
      add(txID, step, now());
    },
    recordRefused: (tx, reason) => {
      const time = now();
      add(tx.id, 'refused', time, reason);
      drops.add({ tx, time, reason, stage: 'refused' });
      minutes.addDrop(time, 'refused');
      totals.refused++;
    },
    stepsOf: table.stepsOf,
    pooledAt: (tx) => pooledAt.get(tx),
    drops,
    latency: latencies.summary,
    minutes: () => {
      const time = now();
      return { now: time, minutes: minutes.list(time) };
    },
    totals: () => totals,
  };
}
