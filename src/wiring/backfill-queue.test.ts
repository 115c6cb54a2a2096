import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eventually } from '../../test/processes.ts';
import { refuse } from '../api/refusal.ts';
import type { Address } from '../bytes/address.ts';
import { openPostgres, type Postgres } from '../platform/postgres-bun.ts';
import { createWishes, makeWanted, seeToWanted } from './backfill-queue.ts';

const server = process.env.SERAC_TEST_POSTGRES;

const address = (n: number) => n.toString(16).padStart(40, '0') as Address;
const many = Array.from({ length: 700 }, (_, i) => address(i));

const unexpected = (error: unknown) => expect.unreachable(String(error));

/** Time that goes as fast as the database. */
const timers = {
  after: (_: number, run: () => void) =>
    (
      (timer) => () =>
        clearTimeout(timer)
    )(setTimeout(run, 1)),
};

describe.skipIf(server === undefined)(server === undefined ? 'wishes (left out: SERAC_TEST_POSTGRES names no server)' : 'wishes', () => {
  const admin = server === undefined ? undefined : openPostgres({ url: server, max: 1, statementMilliseconds: 30_000 });
  const database = `serac_wanted_${process.pid}`;
  let sql: Postgres;

  beforeAll(async () => {
    await admin?.all(`CREATE DATABASE ${database}`, []);
    const url = new URL(server as string);
    url.pathname = `/${database}`;
    sql = openPostgres({ url: url.href, statementMilliseconds: 30_000 });
    await makeWanted(sql);
    await makeWanted(sql);
  });
  beforeEach(() => sql.all('TRUNCATE wanted', []));
  afterAll(async () => {
    await sql?.close();
    await admin?.all(`DROP DATABASE ${database} WITH (FORCE)`, []);
    await admin?.close();
  });

  const wishes = (now = () => 0) => createWishes(sql, { timers, now });
  const rows = () => sql.all<{ done: number; asked: number; trouble: string | null }>('SELECT done, asked, trouble FROM wanted', []);
  const outcomeOf = (wish: Promise<void>) =>
    wish.then(
      () => 'done',
      (error) => `${error.fault.status} ${error.message}`,
    );

  test('of several processes, each more than once, are seen to by the one that writes', async () => {
    const seen: Address[] = [];
    const stop = seeToWanted(sql, async (some) => void seen.push(...some), { timers, report: unexpected });
    const [one, other] = [wishes(), wishes()];
    const asked = [...many.map(one), ...many.toReversed().map(other), ...many.slice(0, 10).map(one)];
    expect(await Promise.all(asked.map(outcomeOf))).toEqual(asked.map(() => 'done'));
    expect([...new Set(seen)].sort()).toEqual(many);
    await one(address(1));
    expect(await rows()).toHaveLength(many.length);
    expect((await rows()).every(({ done, asked }) => done === asked)).toBe(true);
    stop();
  });

  test('leave answers behind for a while only', async () => {
    const stop = seeToWanted(sql, async () => {}, { timers, report: unexpected });
    const wish = wishes();
    await Promise.all(many.map(wish));
    await sql.all(`SELECT setval('wish', last_value + 20000) FROM wish`, []);
    await Promise.all(many.map((_, i) => wish(address(10_000 + i))));
    expect(await eventually(rows, (left) => left.length === many.length)).toHaveLength(many.length);
    stop();
  });

  test('one that comes while the same is being seen to is seen to after it', async () => {
    const begun: PromiseWithResolvers<void>[] = [];
    const complete = () => {
      const work = Promise.withResolvers<void>();
      begun.push(work);
      return work.promise;
    };
    const stop = seeToWanted(sql, complete, { timers, report: unexpected });
    const wish = wishes();
    const ended: string[] = [];
    void wish(address(1)).then(() => ended.push('first'));
    await eventually(
      () => begun.length,
      (count) => count === 1,
    );
    const before = (await rows())[0]?.asked as number;
    void wish(address(1)).then(() => ended.push('second'));
    await eventually(
      async () => (await rows())[0]?.asked as number,
      (asked) => asked > before,
    );
    begun[0]?.resolve();
    await eventually(
      () => begun.length,
      (count) => count === 2,
    );
    await eventually(
      () => ended.length,
      (count) => count === 1,
    );
    expect(ended).toEqual(['first']);
    begun[1]?.resolve();
    await eventually(
      () => ended.length,
      (count) => count === 2,
    );
    expect(ended).toEqual(['first', 'second']);
    stop();
  });

  test('that cannot be fulfilled come back with the reason, and may be fulfilled the next time', async () => {
    const reported: unknown[] = [];
    let isWell = false;
    const complete = async ([one]: readonly Address[]) => {
      if (isWell) return;
      throw one === address(1) ? refuse(502, 'The node answers nonsense') : new TypeError('a bug');
    };
    const stop = seeToWanted(sql, complete, { timers, report: (error) => reported.push(error) });
    const wish = wishes();
    expect(await Promise.all([outcomeOf(wish(address(1))), outcomeOf(wish(address(2)))])).toEqual([
      '502 The node answers nonsense',
      expect.stringContaining('503 The process that indexes could not'),
    ]);
    expect(reported.map(String)).toEqual(['TypeError: a bug']);
    isWell = true;
    expect(await Promise.all([outcomeOf(wish(address(1))), outcomeOf(wish(address(2)))])).toEqual(['done', 'done']);
    stop();
  });

  test('are given up if nobody sees to them, and leave nothing behind', async () => {
    let now = 0;
    const wish = wishes(() => (now += 1000));
    expect(await Promise.all(many.slice(0, 20).map((one) => outcomeOf(wish(one))))).toEqual(
      Array(20).fill(expect.stringContaining('503 The process that indexes is needed')),
    );
    await eventually(rows, (left) => left.length === 0);
    expect(await rows()).toEqual([]);
  });

  test('that were not fulfilled when their process ended are left to the next one', async () => {
    const work = Promise.withResolvers<void>();
    let hasBegun = false;
    const complete = () => {
      hasBegun = true;
      return work.promise;
    };
    const stop = seeToWanted(sql, complete, { timers, report: unexpected });
    const wish = outcomeOf(wishes()(address(1)));
    await eventually(
      () => hasBegun,
      (begun) => begun,
    );
    stop();
    work.reject(refuse(503, 'It has been stopped'));
    const stopNext = seeToWanted(sql, async () => {}, { timers, report: unexpected });
    expect(await wish).toBe('done');
    stopNext();
  });
});
