import { expect, test } from 'bun:test';
import { sha256 } from '../../base/bytes/hash.ts';
import { AddressTexts } from './address-texts.ts';

const addressOf = (seed: number): Uint8Array => sha256(Buffer.from(`${seed}`)).slice(0, 20);

const textAt = (table: AddressTexts, entry: number): string =>
  Buffer.from(table.texts.buffer, table.texts.byteOffset + table.offset(entry), table.size(entry)).toString('latin1');

test('an entry has the text of its address, found at any offset', () => {
  const table = new AddressTexts();
  const other = new Uint8Array([9, ...addressOf(1), 9]);
  expect(table.find(other, 1)).toBe(-1);
  table.add(addressOf(1), 0, 'local1abc');
  expect(textAt(table, table.find(other, 1))).toBe('local1abc');
  expect(table.find(other, 0)).toBe(-1);
});

test('the older of two addresses in a bucket is replaced', () => {
  const table = new AddressTexts();
  const inBucket = (last: number): Uint8Array => {
    const address = addressOf(1);
    address[19] = last;
    return address;
  };
  for (const last of [1, 2, 3]) table.add(inBucket(last), 0, `text ${last}`);
  expect(table.find(inBucket(1), 0)).toBe(-1);
  for (const last of [2, 3]) expect(textAt(table, table.find(inBucket(last), 0))).toBe(`text ${last}`);
});

test('a changed array does not change an entry, and a long text is not cached', () => {
  const table = new AddressTexts();
  const key = addressOf(1);
  table.add(key, 0, 'one');
  key.fill(0);
  expect(textAt(table, table.find(addressOf(1), 0))).toBe('one');
  table.add(addressOf(2), 0, 'x'.repeat(49));
  expect(table.find(addressOf(2), 0)).toBe(-1);
});

test('among thousands of addresses every text found is the right one', () => {
  const table = new AddressTexts();
  for (let i = 0; i < 20_000; i++) table.add(addressOf(i), 0, `text ${i}`);
  let found = 0;
  for (let i = 0; i < 20_000; i++) {
    const entry = table.find(addressOf(i), 0);
    if (entry < 0) continue;
    found++;
    expect(textAt(table, entry)).toBe(`text ${i}`);
  }
  expect(found).toBeGreaterThan(5_000);
});
