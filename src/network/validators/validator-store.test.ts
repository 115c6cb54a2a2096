import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { openChain } from '../../ledger/state/open-chain.fixture.ts';
import { openValidatorStore } from './validator-store.ts';

const node = (first: number) => first.toString(16).padStart(2, '0').repeat(20) as NodeId;

test('sets are read back with their weights and keys; the newest are kept, and a damaged one is left out', () => {
  const { store, close } = openChain(openDatabase);
  const sets = openValidatorStore(store);
  const setOf = (weight: bigint) => ({
    weights: new Map([
      [node(1), weight],
      [node(2), 2n ** 63n],
    ]),
    keys: new Map([[node(2), new Uint8Array(48).fill(7)]]),
  });
  for (let height = 1n; height <= 20n; height++) sets.save(height, setOf(height));
  const listed = openValidatorStore(store).list();
  expect(listed.map(({ height }) => height)).toEqual(Array.from({ length: 16 }, (_, i) => BigInt(i + 5)));
  expect(listed.at(-1)?.set).toEqual(setOf(20n));
  store.write(() => store.db.exec('UPDATE validator_set SET bytes = zeroblob(length(bytes)) WHERE height = 20'));
  expect(sets.list().at(-1)?.height).toBe(19n);
  close();
});
