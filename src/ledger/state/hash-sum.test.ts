import { expect, test } from 'bun:test';
import { sha256 } from '../../base/bytes/hash.ts';
import { createEntryWriter, createHashSum } from './hash-sum.ts';
import {
  abovePreLinearization,
  indexOfOutput,
  isMovedOutput,
  isPreLinearizationOutput,
  outputNumber,
  outputsPerTx,
  txOfOutput,
} from './output-number.ts';

const entries = Array.from({ length: 50 }, (_, i) => new Uint8Array([i, 255 - i]));
const sumOf = (list: readonly Uint8Array[]) => {
  const sum = createHashSum();
  for (const entry of list) sum.add(entry);
  return sum;
};
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('a sum is that of the hashes modulo 2^256, in any order', () => {
  const total = entries.reduce((sum, entry) => (sum + BigInt(`0x${hex(sha256(entry))}`)) % 2n ** 256n, 0n);
  expect(hex(sumOf(entries).bytes())).toBe(total.toString(16).padStart(64, '0'));
  expect(sumOf(entries).equals(sumOf(entries.toReversed()))).toBe(true);
  expect(hex(createHashSum().bytes())).toBe('00'.repeat(32));
});

test('a missing, further or other entry gives another sum', () => {
  const [first, ...rest] = entries as [Uint8Array, ...Uint8Array[]];
  for (const other of [rest, [...entries, first], [new Uint8Array([1, 1]), ...rest]])
    expect(sumOf(other).equals(sumOf(entries))).toBe(false);
});

test('an entry has its numbers and bytes after each other, however long', () => {
  const entryOf = createEntryWriter();
  const numbers = Buffer.alloc(16);
  numbers.writeDoubleBE(7, 0);
  numbers.writeDoubleBE(-1.5, 8);
  expect(hex(entryOf([7, -1.5], new Uint8Array([1]), new Uint8Array([2, 3])))).toBe(`${hex(numbers)}010203`);
  for (const size of [1023, 1024, 1025, 5000]) expect(entryOf([], new Uint8Array(size).fill(9))).toEqual(Buffer.alloc(size, 9));
  expect(entryOf([])).toHaveLength(0);
});

test('numbers of outputs: of this chain, moved between chains, from before linearization', () => {
  expect([outputNumber(0, 0), outputNumber(3, 5)]).toEqual([0, 3 * 2 ** 20 + 5]);
  for (const [tx, index] of [
    [0, 0],
    [3, 5],
    [1, outputsPerTx - 1],
  ] as const)
    expect([txOfOutput(outputNumber(tx, index)), indexOfOutput(outputNumber(tx, index))]).toEqual([tx, index]);
  const kinds = (seq: number) => [isMovedOutput(seq), isPreLinearizationOutput(seq)];
  expect([0, -1, abovePreLinearization, abovePreLinearization - 1].map(kinds)).toEqual([
    [false, false],
    [true, false],
    [true, false],
    [false, true],
  ]);
});
