import { type Id, idText } from '../bytes/id.ts';
import { rfc3339 } from '../bytes/rfc3339.ts';
import type { EventBus } from '../chain/events.ts';
import type { AnyFault } from '../fault.ts';
import { type Json, quoteBigints } from '../rpc/write-json.ts';
import { createStepTable, type Step, type StepName } from './step-table.ts';

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
  const table = createStepTable(maxTxs, maxSteps);
  const add = (txID: Id, step: StepName, detail?: Step['detail']): void => table.add(txID, { step, time: now(), detail });

  events.subscribe('pooled', (event) => {
    if (event.chainID === chainID) add(event.tx.id, 'pooled');
  });
  events.subscribe('dropped', (event) => {
    if (event.chainID === chainID) add(event.tx.id, 'dropped', event.reason);
  });
  events.subscribe('accepted', (event) => {
    if (event.chainID !== chainID) return;
    const { height, id, txs } = event.stored.block;
    const step: Step = { step: 'accepted', time: now(), detail: { height, id } };
    for (const tx of txs) table.add(tx.id, step);
  });
  events.subscribe('reverted', (event) => {
    if (event.chainID === chainID) table.clear();
  });

  return {
    record: (txID, step) => add(txID, step),
    recordRefused: (txID, reason) => add(txID, 'refused', reason),
    stepsOf: (txID) => table.stepsOf(txID)?.map(formatStep),
  };
}

function formatStep({ step, time, detail }: Step): Json {
  const shown = { step, time: rfc3339(time) };
  if (detail === undefined) return shown;
  if ('height' in detail) return { ...shown, height: String(detail.height), blockID: idText(detail.id) };
  return { ...shown, reason: detail.message, data: quoteBigints(detail.fault as Json) };
}
