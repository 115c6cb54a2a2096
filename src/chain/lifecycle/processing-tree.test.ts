import { expect, test } from 'bun:test';
import type { Effects } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import { refId, type Utxo, utxoId } from '../../avm/tx/utxo.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { createDiff } from '../../ledger/state/diff.ts';
import type { Ledger } from './ledger.ts';
import { createProcessingTree, type Undecided } from './processing-tree.ts';

const idAt = (n: number): Id => n.toString(16).padStart(64, '0') as Id;
const refAt = (n: number): UtxoRef => ({ txID: idAt(n), outputIndex: 0 });
const utxoAt = (n: number): Utxo => ({ ...refAt(n), id: utxoId(idAt(n), 0) }) as Utxo;

test('an output that no processing block changes is read from the accepted state, past all their diffs', () => {
  const accepted = new Map([utxoAt(1), utxoAt(2), utxoAt(3)].map((utxo) => [utxo.id, utxo]));
  const ledger = {
    utxo: (ref: UtxoRef) => accepted.get(refId(ref)),
    lastAccepted: () => ({ id: zeroId, height: 0n, time: 0n }),
  } as unknown as Ledger;
  const tree = createProcessingTree(ledger);
  let diffReads = 0;
  /** A block that spends an output and creates another. */
  const addBlock = (parentID: Id, id: Id, spent: number, created: number): void => {
    const diff = createDiff(tree.parentAt(parentID)?.view as Ledger);
    diff.apply({ id } as never, { spent: [refAt(spent)], created: [utxoAt(created)] } as unknown as Effects);
    const counted = {
      ...diff,
      utxo: (ref: UtxoRef) => {
        diffReads++;
        return diff.utxo(ref);
      },
    };
    tree.add({
      block: { id, parentID, height: 1n, time: 1n, txs: [] },
      diff: counted,
      imported: new Set(),
      displaced: [],
    } as never as Undecided);
  };
  const readAfter = (id: Id, output: number) => tree.parentAt(id)?.view.utxo(refAt(output));

  addBlock(zeroId, idAt(101), 1, 11);
  addBlock(idAt(101), idAt(102), 2, 12);
  // A sibling: what it changes is not seen in the other branch.
  addBlock(idAt(101), idAt(103), 3, 13);
  diffReads = 0;
  expect(readAfter(idAt(102), 5)).toBeUndefined();
  expect(diffReads).toBe(0);
  expect([1, 2, 3, 11, 12, 13].map((output) => readAfter(idAt(102), output) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
    false,
  ]);
  expect([1, 2, 3, 11, 12, 13].map((output) => readAfter(idAt(103), output) !== undefined)).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
  ]);

  tree.remove(idAt(103));
  diffReads = 0;
  expect(readAfter(idAt(102), 3)).toEqual(utxoAt(3));
  expect(diffReads).toBe(0);
});

test('the outputs of a block that is accepted before anything is read on top of it are not counted', () => {
  const tree = createProcessingTree({
    lastAccepted: () => ({ id: zeroId, height: 0n, time: 0n }),
    utxo: () => undefined,
  } as unknown as Ledger);
  let counted = 0;
  const applied = [
    {
      get effects() {
        counted++;
        return { spent: [refAt(1)], created: [utxoAt(2)] };
      },
    },
  ];
  const block = { id: idAt(101), parentID: zeroId, height: 1n, time: 1n, txs: [] };
  const undecided = { block, displaced: [], diff: { applied, utxo: () => utxoAt(2) } };
  tree.add(undecided as never as Undecided);
  tree.remove(idAt(101));
  expect(counted).toBe(0);

  tree.add(undecided as never as Undecided);
  expect(tree.parentAt(idAt(101))?.view.utxo(refAt(2))).toBeDefined();
  tree.remove(idAt(101));
  expect(counted).toBe(2);
});

test('a transaction is held as long as one of the blocks with it is processing, or one that displaced it', () => {
  const tree = createProcessingTree({} as unknown as Ledger);
  const addBlock = (id: Id, txs: readonly number[], displaced: readonly number[]): void =>
    tree.add({
      block: { id, parentID: zeroId, height: 1n, time: 1n, txs: txs.map((tx) => ({ id: idAt(tx) })) },
      diff: { applied: [] },
      displaced: displaced.map((tx) => ({ tx: { id: idAt(tx) } })),
    } as never as Undecided);
  const held = () => [1, 2, 3].map((tx) => tree.holdsTx(idAt(tx)));
  addBlock(idAt(101), [1, 2], []);
  expect(held()).toEqual([true, true, false]);
  addBlock(idAt(102), [1], [3]);
  expect(held()).toEqual([true, true, true]);
  tree.remove(idAt(101));
  expect(held()).toEqual([true, false, true]);
  tree.remove(idAt(102));
  expect(held()).toEqual([false, false, false]);
});
