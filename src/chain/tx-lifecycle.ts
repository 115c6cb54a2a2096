import type { Id } from '../bytes/id.ts';
import type { AnyFault } from '../fault.ts';
import type { Tx } from '../tx/tx.ts';
import { createDropLog, type DropLog } from './drop-log.ts';
import type { EventBus } from './events.ts';
import { createLatencies, type LatencySummary } from './latencies.ts';

/** One step in the life of a transaction. `time`: Unix nanoseconds of the real clock. */
export type LifecycleStep = { readonly step: StepName; readonly time: bigint } & (
  | { readonly reason?: AnyFault }
  | { readonly block: AcceptedIn }
);

/** `refused`: not admitted when it was issued. `dropped`: it left the mempool other than with an accepted block. */
export type StepName = 'received' | 'verified' | 'pooled' | 'refused' | 'dropped' | 'accepted';

type AcceptedIn = { readonly height: bigint; readonly id: Id };

/** The steps of the newest transactions of a chain, the transactions that were not accepted, and how long acceptance took. */
export type TxLifecycle = {
  readonly record: (txID: Id, step: 'received' | 'verified') => void;
  readonly recordRefused: (tx: Tx, reason: AnyFault) => void;
  /** undefined if the transaction is not among the newest. */
  readonly stepsOf: (txID: Id) => readonly LifecycleStep[] | undefined;
  /** When a transaction entered the mempool, in Unix nanoseconds; undefined if that was before the start or a revert. */
  readonly pooledAt: (tx: Tx) => bigint | undefined;
  readonly drops: Pick<DropLog, 'list' | 'find'>;
  /** Time from issue to acceptance of the newest transactions that were issued to this node. */
  readonly latency: () => LatencySummary;
};

/** The number of transactions kept, and the number of steps kept of each; a transaction may be issued again and again. */
export const maxTxs = 10_000;
const maxSteps = 16;

/**
 * Creates the record and fills it from the event bus. `now`: Unix nanoseconds. A revert clears the steps and the latencies, since it undoes what
 * they tell; the drops stay, since they happened.
 */
export function createTxLifecycle(chainID: Id, events: Pick<EventBus, 'subscribe'>, now: () => bigint): TxLifecycle {
  const txs = new Map<Id, LifecycleStep[]>();
  const drops = createDropLog();
  const latencies = createLatencies();
  /** By object: the mempool keeps the transaction, and with it the entry, as long as it waits. */
  let pooledAt = new WeakMap<Tx, bigint>();

  const add = (txID: Id, step: LifecycleStep): readonly LifecycleStep[] => {
    let steps = txs.get(txID);
    if (steps === undefined) {
      steps = [];
      if (txs.size >= maxTxs) txs.delete(txs.keys().next().value as Id);
      txs.set(txID, steps);
    }
    // The first step stays, so that the time of arrival is known.
    if (steps.length >= maxSteps) steps.splice(1, 1);
    steps.push(step);
    return steps;
  };

  events.subscribe('pooled', ({ chainID: of, tx }) => {
    if (of !== chainID) return;
    const time = now();
    pooledAt.set(tx, time);
    add(tx.id, { step: 'pooled', time });
  });
  events.subscribe('dropped', ({ chainID: of, tx, reason }) => {
    if (of !== chainID) return;
    const time = now();
    add(tx.id, { step: 'dropped', time, reason });
    drops.add({ tx, time, reason, stage: 'dropped' });
  });
  events.subscribe('accepted', (event) => {
    if (event.chainID !== chainID) return;
    const { height, id, txs: accepted } = event.stored.block;
    const time = now();
    const block = { height, id };
    for (const tx of accepted) {
      const steps = add(tx.id, { step: 'accepted', time, block });
      const received = steps.findLast(({ step }) => step === 'received');
      if (received !== undefined) latencies.add(Number(time - received.time) / 1e6);
    }
  });
  events.subscribe('reverted', (event) => {
    if (event.chainID !== chainID) return;
    txs.clear();
    latencies.clear();
    pooledAt = new WeakMap();
  });

  return {
    record: (txID, step) => void add(txID, { step, time: now() }),
    recordRefused: (tx, reason) => {
      const time = now();
      add(tx.id, { step: 'refused', time, reason });
      drops.add({ tx, time, reason, stage: 'refused' });
    },
    stepsOf: (txID) => txs.get(txID),
    pooledAt: (tx) => pooledAt.get(tx),
    drops,
    latency: latencies.summary,
  };
}
