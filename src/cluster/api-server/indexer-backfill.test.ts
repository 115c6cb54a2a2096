import { expect, test } from 'bun:test';
import { readBackfilled } from '../../api/data/backfilled-read.ts';
import { ApiError } from '../../api/rest/api-error.ts';
import type { Address } from '../../base/bytes/address.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { idOf } from '../../base/bytes/id.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import { createIndexerBackfill } from './indexer-backfill.ts';

const address = (n: number) => n.toString(16).padStart(40, '0') as Address;
const [recorded, unrecorded, exporter] = [address(1), address(2), address(3)];
const pChain = idOf(Buffer.from('P'));

/** `serac api` of a network with outputs from before linearization, on a virtual clock; the test says whether the indexer answers. */
function open() {
  const { timing, until, pass } = createVirtualTiming();
  const indexer = { answers: true, isAway: false, findsImport: false };
  const database = { hasPrimary: true, isReached: true, reachTime: 0, lookupTime: 0 };
  const checkPrimary = (isThere: boolean): void => {
    if (!isThere) throw new PostgresError('no primary', { code: 'DATABASE_DOWN', reason: 'test' });
  };
  let tokens: Uint8Array[] = [];
  const requested: string[] = [];
  /** The primary: a request is a notification, and its result a row. */
  const primary = {
    dialect: 'postgres',
    all: async (text: string, values: readonly unknown[]) => {
      checkPrimary(database.hasPrimary);
      if (!text.includes('pg_notify')) return tokens.map((token) => ({ token, failure: null }));
      const payload = String(values[1]);
      requested.push(...payload.split(' ').map((one) => one.slice(16)));
      if (indexer.findsImport) exports.count--;
      if (indexer.answers) tokens = payload.split(' ').map((one) => fromHex(one.slice(0, 16)));
      return [];
    },
  } as unknown as Sql;
  /** The host that is read: only `exporter` has exports. Their number and sum change when one is imported. */
  const exports = { address: fromHex(exporter), destination: fromHex(pChain), count: 2, sum: '-7' };
  const sql = {
    dialect: 'postgres',
    all: async (_: string, [addresses]: readonly [string]) => (addresses.includes(exporter) ? [{ ...exports }] : []),
  } as unknown as Sql;
  let counter = 0;
  const env = {
    clock: { monotonic: timing.now },
    timers: timing,
    random: (size: number) => Buffer.alloc(size, ++counter),
  } as unknown as ClusterEnv;
  const { backfillAddresses, backfills } = createIndexerBackfill(env, {
    primary,
    version: {
      reachPrimary: async () => {
        checkPrimary(database.isReached);
        await sleep(timing, database.reachTime);
      },
      writer: () => 1,
    },
    isAway: () => indexer.isAway,
    sql,
    chain: { number: 1, id: idOf(Buffer.from('X')) },
    completeFrom: async () => 1,
    findUnrecorded: async (addresses) => {
      await sleep(timing, database.lookupTime);
      return addresses.filter((one) => one === unrecorded);
    },
    counterparts: [pChain],
  });
  const measure = async (addresses: readonly Address[]): Promise<readonly [string, number]> => {
    const began = timing.now();
    let outcome: string | undefined;
    void backfillAddresses?.(addresses).then(
      (found) => {
        outcome = found;
      },
      (error: unknown) => {
        outcome = error instanceof ApiError ? `${error.fault.status} ${error.message}` : String(error);
      },
    );
    await until(() => outcome !== undefined);
    return [outcome as string, timing.now() - began];
  };
  /** How often an answer about an address is read. */
  const countReads = async (owner: Address): Promise<number> => {
    let [reads, isRead] = [0, false];
    const read = async () => void reads++;
    void readBackfilled({ backfillAddresses, backfills }, [owner], read).then(() => {
      isRead = true;
    });
    await until(() => isRead);
    return reads;
  };
  return { indexer, database, requested, measure, countReads, pass };
}

test('only what is not recorded, and exports, are asked for', async () => {
  const { measure, requested } = open();
  expect(await measure([recorded])).toEqual(['complete', 0]);
  expect(requested).toEqual([]);
  expect((await measure([recorded, unrecorded, exporter]))[0]).toBe('complete');
  expect(requested.sort()).toEqual([unrecorded, exporter]);
});

test('without an indexer, an address whose outputs are stored is answered, another gets 503 within a second, and only the first waits', async () => {
  const { indexer, measure } = open();
  indexer.answers = false;
  const missing = '503 Outputs from before linearization of these addresses are not stored yet: no answer for a second; try again';
  expect(await measure([unrecorded])).toEqual([missing, 1000]);
  expect(await measure([unrecorded, recorded])).toEqual([missing, 0]);
  expect(await measure([recorded])).toEqual(['complete', 0]);
  expect(await measure([recorded, exporter])).toEqual(['imports-unknown', 0]);
});

test('while nobody writes the index, nobody waits and nothing is requested', async () => {
  const { indexer, measure, requested } = open();
  indexer.isAway = true;
  expect(await measure([exporter])).toEqual(['imports-unknown', 0]);
  expect((await measure([unrecorded]))[0]).toStartWith('503');
  expect(requested).toEqual([]);
});

test('without a primary, outputs that are stored are answered with the mark, also if it fails after the indexer has answered', async () => {
  const { database, measure, pass } = open();
  database.isReached = false;
  expect(await measure([exporter])).toEqual(['imports-unknown', 50]);
  database.isReached = true;
  // Nobody waits for the attempt that finds out that the primary answers again.
  expect(await measure([exporter])).toEqual(['imports-unknown', 0]);
  await pass(500);
  expect(await measure([exporter])).toEqual(['complete', 0]);
  const without = open();
  without.database.hasPrimary = false;
  expect(await without.measure([exporter])).toEqual(['imports-unknown', 0]);
  expect((await without.measure([unrecorded]))[0]).toStartWith(
    '503 Outputs from before linearization of these addresses are not stored yet: the primary',
  );
});

test('an answer is read a second time only if the indexer stored something that it shows', async () => {
  const { indexer, requested, countReads } = open();
  // The node was asked, and no other chain has imported the exports.
  expect(await countReads(exporter)).toBe(1);
  expect(requested).toEqual([exporter]);
  const another = open();
  another.indexer.findsImport = true;
  expect(await another.countReads(exporter)).toBe(2);
  // Outputs from before linearization are not seen in the exports.
  expect(await countReads(unrecorded)).toBe(2);
  // Both are known now: nothing is asked for.
  indexer.findsImport = true;
  expect([await countReads(unrecorded), await countReads(exporter)]).toEqual([1, 1]);
});

test('an address is not answered before the host that is read has what was fetched, also if the caller who asked for it has left', async () => {
  const { indexer, database, measure, pass } = open();
  indexer.answers = false;
  expect((await measure([unrecorded]))[0]).toStartWith('503');
  indexer.answers = true;
  database.reachTime = 5000;
  // The request is sent again, and answered.
  await pass(1500);
  expect((await measure([unrecorded]))[0]).toStartWith('503');
  await pass(5000);
  expect(await measure([unrecorded])).toEqual(['complete', 0]);
});

test('an address is fetched again if the host that is read cannot get what was fetched', async () => {
  const { database, measure, requested, pass } = open();
  database.isReached = false;
  expect((await measure([unrecorded]))[0]).toStartWith('503');
  expect((await measure([unrecorded]))[0]).toStartWith('503');
  database.isReached = true;
  await pass(1000);
  await measure([unrecorded]);
  await pass(1000);
  expect(await measure([unrecorded])).toEqual(['complete', 0]);
  expect(requested.length).toBeGreaterThan(1);
});

test('what was fetched for another caller while the addresses were looked up is read', async () => {
  const { database, countReads, pass } = open();
  const first = countReads(unrecorded);
  await pass(10);
  database.lookupTime = 100;
  expect(await countReads(unrecorded)).toBe(2);
  expect(await first).toBe(2);
});
