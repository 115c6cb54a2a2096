import { expect, test } from 'bun:test';
import { createSecondCounts } from './second-counts.ts';

const none = { BaseTx: 0, CreateAssetTx: 0, OperationTx: 0, ImportTx: 0, ExportTx: 0 };

test('transactions are counted by second and type; those of blocks that the page has counted are not counted again', () => {
  const { counts, restart, add } = createSecondCounts();
  expect(counts().size).toBe(0);
  restart({ seconds: [[100, { ...none, BaseTx: 3 }]], countedTo: 7 });
  add('BaseTx', { height: 7, time: 100 });
  add('BaseTx', { height: 8, time: 100 });
  add('ImportTx', { height: 8, time: 101 });
  expect([...counts()]).toEqual([
    [100, { ...none, BaseTx: 4 }],
    [101, { ...none, ImportTx: 1 }],
  ]);
  restart(undefined);
  add('ExportTx', { height: 1, time: 5 });
  expect([...counts()]).toEqual([[5, { ...none, ExportTx: 1 }]]);
});

test('the counts of the page are not changed by those that are added', () => {
  const { restart, add } = createSecondCounts();
  const page = { seconds: [[100, { ...none }]] as const, countedTo: 0 };
  restart(page);
  add('BaseTx', { height: 1, time: 100 });
  expect(page.seconds[0][1]).toEqual(none);
});

test('blocks above the height of a revert are counted when they are built again', () => {
  const { counts, restart, add, revert } = createSecondCounts();
  restart({ seconds: [], countedTo: 7 });
  revert(9);
  add('BaseTx', { height: 7, time: 100 });
  expect(counts().size).toBe(0);
  revert(5);
  add('BaseTx', { height: 5, time: 100 });
  add('BaseTx', { height: 6, time: 100 });
  expect([...counts()]).toEqual([[100, { ...none, BaseTx: 1 }]]);
});

test('two minutes are kept', () => {
  const { counts, add, forget } = createSecondCounts();
  for (const time of [880, 881, 1000]) add('BaseTx', { height: 1, time });
  forget(1000);
  expect([...counts().keys()]).toEqual([881, 1000]);
});
