import { expect, spyOn, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { prng } from '../../ledger/state/random-chain.fixture.ts';
import { createStepTable, type Step, type StepName } from './step-table.ts';

/** The same table as plain objects. */
function createPlainTable(maxTxs: number, maxSteps: number) {
  const txs = new Map<Id, Step[]>();
  return {
    add: (txID: Id, step: Step): void => {
      const steps = txs.get(txID) ?? [];
      if (!txs.has(txID) && txs.size >= maxTxs) txs.delete(txs.keys().next().value as Id);
      txs.set(txID, steps);
      if (steps.length >= maxSteps) steps.splice(1, 1);
      steps.push(step);
    },
    stepsOf: (txID: Id) => txs.get(txID),
    clear: () => txs.clear(),
  };
}

const names: readonly StepName[] = ['received', 'verified', 'pooled', 'refused', 'dropped', 'accepted'];

test('keeps the newest transactions and the first and newest steps of each, as a table of plain objects does', () => {
  const random = prng(11);
  const pick = (below: number) => Math.floor(random() * below);
  const [table, plain] = [createStepTable(5, 4), createPlainTable(5, 4)];
  const ids = Array.from({ length: 9 }, (_, i) => `${i}`.repeat(64) as Id);
  for (let i = 0; i < 5000; i++) {
    const id = ids[pick(ids.length)] as Id;
    const detail = pick(3) === 0 ? { height: BigInt(i), id } : undefined;
    const step: Step = { step: names[pick(names.length)] as StepName, time: 1_700_000_000_000_000_000n + BigInt(i), detail };
    for (const one of [table, plain]) one.add(id, step);
    if (pick(500) === 0) for (const one of [table, plain]) one.clear();
    for (const other of ids) expect(table.stepsOf(other)).toEqual(plain.stepsOf(other) as Step[]);
  }
});

test('grows to its limit, then replaces the oldest transactions', () => {
  const [table, plain] = [createStepTable(300, 2), createPlainTable(300, 2)];
  const ids = Array.from({ length: 700 }, (_, i) => i.toString(16).padStart(64, '0') as Id);
  for (const [i, id] of ids.entries())
    for (const one of [table, plain]) {
      one.add(id, { step: 'received', time: BigInt(i), detail: undefined });
      one.add(id, { step: 'accepted', time: BigInt(i + 1), detail: { height: BigInt(i), id } });
    }
  for (const id of ids) expect(table.stepsOf(id)).toEqual(plain.stepsOf(id) as Step[]);
});

test('finds the oldest transaction without reading the keys of a map, which would pass all deleted ones', () => {
  const table = createStepTable(100, 2);
  const keys = spyOn(Map.prototype, 'keys');
  try {
    for (let i = 0; i < 300; i++)
      table.add(i.toString(16).padStart(64, '0') as Id, { step: 'received', time: BigInt(i), detail: undefined });
    expect(keys).not.toHaveBeenCalled();
  } finally {
    keys.mockRestore();
  }
});
