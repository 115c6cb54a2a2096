import { expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import { compare } from '../../base/bytes/octets.ts';
import { createRowSort, inOrder } from './row-order.ts';
import type { SqlValue } from './sql.ts';

type Row = readonly [address: Uint8Array, note: string, seq: number];
const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
const order = createRowSort(['address', 'note', 'seq'], ['address', 'seq']);
const flat = (rows: readonly Row[]): SqlValue[] => rows.flat() as SqlValue[];
const sorted = (rows: readonly Row[]): Row[] => [...rows].sort((a, b) => compare(a[0], b[0]) || a[2] - b[2]);

test('rows in the order of their key need none; equal keys are in order', () => {
  const rows: Row[] = [
    [bytes(1), 'z', 5],
    [bytes(1), 'y', 5],
    [bytes(1), 'x', 6],
    [bytes(2), 'w', 0],
  ];
  expect(order(flat(rows))).toBeUndefined();
  expect([order([]), order(flat(rows.slice(0, 1)))]).toEqual([undefined, undefined]);
  expect(inOrder(flat(rows), undefined, 3)).toEqual(flat(rows));
});

test('two rows in the wrong order change places, by each column of the key', () => {
  const swapped: [Row, Row][] = [
    [
      [bytes(2), 'a', 0],
      [bytes(1), 'b', 9],
    ],
    [
      [bytes(1), 'a', 1],
      [bytes(1), 'b', 0],
    ],
    [
      [bytes(1, 1, 1, 1, 1, 1, 2), 'a', 0],
      [bytes(1, 1, 1, 1, 1, 1, 1), 'b', 9],
    ],
    [
      [bytes(1, 0), 'a', 0],
      [bytes(1), 'b', 9],
    ],
  ];
  for (const rows of swapped) {
    expect([...(order(flat(rows)) ?? [])]).toEqual([1, 0]);
    expect(inOrder(flat(rows), order(flat(rows)), 3)).toEqual(flat([rows[1], rows[0]]));
  }
});

test('random rows, with many of one beginning and few, are in the order of a plain sort', () => {
  const random = createRandom(7);
  for (const [count, beginnings, length] of [
    [2, 1, 7],
    [100, 3, 7],
    [257, 200, 20],
    [1000, 5, 1],
  ] as const) {
    const prefixes = Array.from({ length: beginnings }, () => random.bytes(length));
    const rows: Row[] = Array.from({ length: count }, (_, i) => {
      const address = random.pick(prefixes).slice();
      address[length - 1] = random.below(3);
      return [address, `${i}`, random.below(50)];
    });
    const values = flat(rows);
    const found = inOrder(values, order(values), 3);
    const keys = (list: readonly SqlValue[]) => list.filter((_, i) => i % 3 !== 1);
    expect(keys(found)).toEqual(keys(flat(sorted(rows))));
    expect([...found].filter((_, i) => i % 3 === 1).sort()).toEqual(rows.map(([, note]) => note).sort());
  }
});

test('keys that begin with a number, also a negative one, and with far apart ones', () => {
  const byNumber = createRowSort(['seq', 'id'], ['seq', 'id']);
  const rows = [
    [2 ** 50, bytes(1)],
    [-(2 ** 50), bytes(2)],
    [0, bytes(3)],
    [1, bytes(5)],
    [1, bytes(4)],
    [-1, bytes(6)],
  ] as const;
  const found = inOrder(rows.flat(), byNumber(rows.flat()), 2);
  expect(found.filter((_, i) => i % 2 === 1)).toEqual([bytes(2), bytes(6), bytes(3), bytes(4), bytes(5), bytes(1)]);
});
