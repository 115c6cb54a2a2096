import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { sha256 } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createChainOutputReads } from '../index-read/read-chain-outputs.ts';
import { ownPart } from '../state/balance.ts';
import { tablesOf } from '../state/schema.ts';
import type { Queries, Query } from '../store/queries.ts';
import { changedBalances } from './balance-rows.ts';
import type { BlockFacts, BlockToIndex } from './block-facts.ts';
import { readPreviousRows } from './previous-rows.ts';
import { createWriterCache } from './writer-cache.ts';
import { writerQueries } from './writer-queries.ts';

/* The indexer looks up the rows of thousands of keys before each commit, in the order of the index: neighbours are found on the same pages. */

const hashes = Array.from({ length: 3000 }, (_, i) => toHex(sha256(Buffer.from(`key ${i}`))) as Id);
const addresses = hashes.map((hash) => hash.slice(0, 40) as Address);
const q = writerQueries('postgres', 1);

/** The keys that the first queries of some work look up, in their order. */
const keysOf = (work: Queries<unknown>, array: number): string[] =>
  (work.next().value as readonly Query[]).flatMap(({ values }) => String(values[array]).match(/[0-9a-f]{40,}/g) ?? []);

test('transactions are looked up in the order of their IDs', () => {
  const reads = createChainOutputReads('postgres', tablesOf(1));
  const keys = keysOf(reads.byRefs(hashes.map((txID) => ({ txID, outputIndex: 0 }))), 0);
  expect(keys).toEqual(hashes.toSorted());
});

test('holders are looked up in the order of their addresses', () => {
  const facts = { height: 5, time: 9, txs: [], senders: new Set(), involved: new Set(addresses), burned: 0n, supplyChanges: new Map() };
  const keys = keysOf(readPreviousRows(q, createWriterCache(), hashes[0] as Id, [facts as BlockFacts]), 0);
  expect(keys).toEqual(addresses.toSorted());
});

test('balances are looked up in the order of their keys, and each row is taken for its key', () => {
  const deltas = addresses.map((address) => ({ address, assetID: hashes[0] as Id, part: ownPart, amount: 1n, count: 1, nfts: 0 }));
  const block = { block: { height: 5n, time: 9n }, deltas } as unknown as BlockToIndex;
  const holders = new Map(addresses.map((address) => [address, { first: 1, seen: 1, sent: 0 }]));
  const work = changedBalances(q, createWriterCache(), [block], { holders });
  const queries = work.next().value as readonly Query[];
  const keys = queries.flatMap(({ values }) => String(values[1]).match(/[0-9a-f]{40}/g) ?? []);
  expect(keys).toEqual(addresses.toSorted());
  // The balance of the n-th key is n.
  const amount = (n: number) => Buffer.from(n.toString(16).padStart(16, '0'), 'hex');
  const rows = queries.map(({ values }) =>
    String(values[0])
      .slice(1, -1)
      .split(',')
      .map(Number)
      .map((n) => ({ n, height: 4, amount: amount(n), count: 1, nfts: 0 })),
  );
  const { value } = work.next(rows);
  const { changes } = value as { changes: readonly { address: Address; before: { amount: bigint } }[] };
  const expected = new Map(addresses.toSorted().map((address, n) => [address, BigInt(n)]));
  expect(changes.map(({ address, before }) => before.amount === expected.get(address))).toEqual(addresses.map(() => true));
});
