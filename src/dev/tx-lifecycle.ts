import { type Id, idText } from '../bytes/id.ts';
import { rfc3339 } from '../bytes/rfc3339.ts';
import type { EventBus } from '../chain/events.ts';
import type { AnyFault } from '../fault.ts';
import { type Json, quoteBigints } from '../rpc/write-json.ts';

/** One step in the life of a transaction. `time`: Unix nanoseconds of the real clock. */
type Step = { readonly step: StepName; readonly time: bigint } & ({ readonly reason?: AnyFault } | { readonly block: AcceptedIn });

/** `refused`: not admitted when it was issued. `dropped`: it left the mempool other than with an accepted block. */
type StepName = 'received' | 'verified' | 'pooled' | 'refused' | 'dropped' | 'accepted';

type AcceptedIn = { readonly height: bigint; readonly id: Id };

/** The steps of the newest transactions of a chain. */
export type TxLifecycle = {
  readonly record: (txID: Id, step: 'received' | 'verified') => void;
  readonly recordRefused: (txID: Id, reason: AnyFault) => void;
  /** undefined if the transaction is not among the newest. */
  readonly stepsOf: (txID: Id) => Json[] | undefined;
};

/** The number of transactions kept, and the number of steps kept of each; a transaction may be issued again and again. */
export const maxTxs = 10_000;
const maxSteps = 16;

/** Creates the record and fills it from the event bus. `now`: Unix nanoseconds. A revert clears it, since it undoes what it tells. */
export function createTxLifecycle(chainID: Id, events: Pick<EventBus, 'subscribe'>, now: () => bigint): TxLifecycle {
  const txs = new Map<Id, Step[]>();

  const add = (txID: Id, step: Step): void => {
    let steps = txs.get(txID);
    if (steps === undefined) {
      steps = [];
      if (txs.size >= maxTxs) txs.delete(txs.keys().next().value as Id);
      txs.set(txID, steps);
    }
    // The first step stays, so that the time of arrival is known.
    if (steps.length >= maxSteps) steps.splice(1, 1);
    steps.push(step);
  };

  events.subscribe('pooled', (event) => {
    if (event.chainID === chainID) add(event.tx.id, { step: 'pooled', time: now() });
  });
  events.subscribe('dropped', (event) => {
    if (event.chainID === chainID) add(event.tx.id, { step: 'dropped', time: now(), reason: event.reason });
  });
  events.subscribe('accepted', (event) => {
    if (event.chainID !== chainID) return;
    const { height, id, txs: accepted } = event.stored.block;
    const time = now();
    for (const tx of accepted) add(tx.id, { step: 'accepted', time, block: { height, id } });
  });
  events.subscribe('reverted', (event) => {
    if (event.chainID === chainID) txs.clear();
  });

  return {
    record: (txID, step) => add(txID, { step, time: now() }),
    recordRefused: (txID, reason) => add(txID, { step: 'refused', time: now(), reason }),
    stepsOf: (txID) => txs.get(txID)?.map(formatStep),
  };
}

function formatStep(one: Step): Json {
  const shown = { step: one.step, time: rfc3339(one.time) };
  if ('block' in one) return { ...shown, height: String(one.block.height), blockID: idText(one.block.id) };
  if (one.reason === undefined) return shown;
  return { ...shown, reason: one.reason.message, data: quoteBigints(one.reason.fault as Json) };
}
