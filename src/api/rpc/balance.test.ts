import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import type { AnyFault } from '../../base/fault.ts';
import { ownPart, sharedPart } from '../../ledger/state/balance.ts';
import { type AvmBalanceReads, createBalanceJsonReader, readAllBalances } from './balance.ts';

const address = 'a'.repeat(40) as Address;
const [avax, gold] = ['1'.repeat(64), '2'.repeat(64)] as [Id, Id];
const outputOf = (assetID: Id, amount: bigint, outputIndex = 0) => ({ txID: avax, outputIndex, assetID, amount });

/** Reads of one address. `queries`: keys of the long queries that ran, each to its end. */
function open(given: Partial<Record<keyof AvmBalanceReads, unknown>>) {
  const state = { revision: 'r1', passed: 0n, epoch: 0, transfers: 0 };
  const queries: string[] = [];
  const reads = {
    fewBalances: () => undefined,
    latestPassedLocktime: () => state.passed,
    balanceRevision: () => state.revision,
    height: () => 7n,
    epoch: () => state.epoch,
    ...given,
    *transfers(query: { assetID?: Id }) {
      state.transfers++;
      return ((given.transfers ?? []) as ReturnType<typeof outputOf>[]).filter(({ assetID }) => (query.assetID ?? assetID) === assetID);
    },
  } as AvmBalanceReads;
  const runLongQuery = async <T>(key: string, work: Generator<void, T>): Promise<T> => {
    queries.push(key);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
    }
  };
  return { reads, state, queries, runLongQuery };
}

test('a balance has what the address owns alone and can spend now; with partial ones also what is locked or shared', async () => {
  const rows = [
    { assetID: avax, part: ownPart, amount: 10n },
    { assetID: avax, part: sharedPart, amount: 3n },
    { assetID: avax, part: 100n, amount: 4n },
    { assetID: gold, part: ownPart, amount: 5n },
    { assetID: gold, part: 200n, amount: 5n },
  ];
  const { reads, queries, runLongQuery } = open({ fewBalances: () => rows });
  const balances = async (now: bigint, includePartial = false) =>
    Object.fromEntries(await readAllBalances(reads, { address, includePartial, now }, runLongQuery));
  expect(await balances(99n)).toEqual({ [avax]: 6n });
  expect(await balances(100n)).toEqual({ [avax]: 10n });
  expect(await balances(200n)).toEqual({ [avax]: 10n, [gold]: 5n });
  expect(await balances(99n, true)).toEqual({ [avax]: 13n, [gold]: 5n });
  expect(queries).toEqual([]);
});

test('a sum above the uint64 maximum is that maximum in the list of all assets, and an error of one asset', async () => {
  const rows = [{ assetID: avax, part: ownPart, amount: maxU64 + 1n }];
  const transfers = [outputOf(avax, maxU64), outputOf(avax, 1n)];
  const { reads, runLongQuery } = open({ fewBalances: () => rows, transfers });
  expect([...(await readAllBalances(reads, { address, includePartial: false, now: 1n }, runLongQuery))]).toEqual([[avax, maxU64]]);
  const read = createBalanceJsonReader(reads, runLongQuery);
  const fault = await read({ address, assetID: avax, includePartial: false, now: 1n }).catch((error: AnyFault) => error.fault);
  expect(fault).toEqual({ code: 'AVM_BALANCE_OVERFLOW', assetID: idText(avax) } as never);
});

test('the balances of an address with very many rows are summed from its outputs, by asset, as a long query', async () => {
  const transfers = [outputOf(gold, 2n), ...Array.from({ length: 9000 }, () => outputOf(avax, 1n)), outputOf(gold, 0n)];
  const { reads, queries, runLongQuery } = open({ transfers });
  const found = await readAllBalances(reads, { address, includePartial: true, now: 5n }, runLongQuery);
  expect([...found]).toEqual([
    [avax, 9000n],
    [gold, 2n],
  ]);
  expect(queries).toEqual([`${address}true7 5`]);
});

test('the balance of an asset names all its outputs, however many, and is kept until one changes, a lock time passes or the chain is reverted', async () => {
  for (const count of [0, 1, 4096, 4097, 9000]) {
    const { reads, state, queries, runLongQuery } = open({ transfers: Array.from({ length: count }, (_, i) => outputOf(avax, 2n, i)) });
    const read = createBalanceJsonReader(reads, runLongQuery);
    const readNow = async (includePartial = false) =>
      JSON.parse(Buffer.from(await read({ address, assetID: avax, includePartial, now: 5n })).toString());
    const expected = {
      balance: `${2 * count}`,
      utxoIDs: Array.from({ length: count }, (_, outputIndex) => ({ txID: idText(avax), outputIndex })),
    };
    expect([await readNow(), await readNow()]).toEqual([expected, expected]);
    expect([state.transfers, queries.length]).toEqual([1, count > 4096 ? 1 : 0]);
    await readNow(true);
    state.passed = 4n;
    await readNow(true);
    expect(state.transfers).toBe(2);
    await readNow();
    expect(state.transfers).toBe(3);
    state.revision = 'r2';
    await readNow();
    state.epoch = 1;
    await readNow();
    expect(state.transfers).toBe(5);
  }
});
