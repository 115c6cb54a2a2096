import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eventually } from '../../../test/processes.ts';
import { apiError } from '../../api/rest/api-error.ts';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { createBackfillQueue, createBackfillRequester, processBackfillQueue } from './backfill-queue.ts';

const server = process.env.SERAC_TEST_POSTGRES;

const address = (n: number) => n.toString(16).padStart(40, '0') as Address;
const many = Array.from({ length: 700 }, (_, i) => address(i));

const unexpected = (error: unknown) => expect.unreachable(String(error));

/** Timers that fire after 1 ms whatever they are set to. */
const timers = {
  after: (_: number, run: () => void) =>
    (
      (timer) => () =>
        clearTimeout(timer)
    )(setTimeout(run, 1)),
};

describe.skipIf(server === undefined)(
  server === undefined ? 'backfill requests (skipped: SERAC_TEST_POSTGRES is not set)' : 'backfill requests',
  () => {
    const admin = server === undefined ? undefined : openPostgres({ url: server, max: 1, statementMilliseconds: 30_000 });
    const database = `serac_backfill_${process.pid}`;
    let sql: Postgres;

    beforeAll(async () => {
      await admin?.all(`CREATE DATABASE ${database}`, []);
      const url = new URL(server as string);
      url.pathname = `/${database}`;
      sql = openPostgres({ url: url.href, statementMilliseconds: 30_000 });
      await createBackfillQueue(sql);
      await createBackfillQueue(sql);
    });
    beforeEach(() => sql.all('TRUNCATE backfill_result', []));
    afterAll(async () => {
      await sql?.close();
      await admin?.all(`DROP DATABASE ${database} WITH (FORCE)`, []);
      await admin?.close();
    });

    const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
    const createRequester = (now = () => performance.now()) => createBackfillRequester(sql, { timers, now, random });
    const results = () => sql.all<{ failure: string | null }>('SELECT failure FROM backfill_result', []);
    const outcomeOf = (request: Promise<void>) =>
      request.then(
        () => 'done',
        (error) => `${error.fault.status} ${error.message}`,
      );

    test('from several processes, some repeated, are processed by the indexer', async () => {
      const processed: Address[] = [];
      const stop = processBackfillQueue(sql, async (some) => void processed.push(...some), { listen: sql.listen, logError: unexpected });
      const [one, other] = [createRequester(), createRequester()];
      const requests = [...many.map(one), ...many.toReversed().map(other), ...many.slice(0, 10).map(one)];
      expect(await Promise.all(requests.map(outcomeOf))).toEqual(requests.map(() => 'done'));
      expect([...new Set(processed)].sort()).toEqual(many);
      await one(address(1));
      expect(await results()).toEqual(Array(requests.length + 1).fill({ failure: null }));
      stop();
    });

    test('leave results that are deleted after a minute', async () => {
      const stop = processBackfillQueue(sql, async () => {}, { listen: sql.listen, logError: unexpected });
      const request = createRequester();
      await Promise.all(many.map(request));
      await sql.all(`UPDATE backfill_result SET at = at - interval '2 minutes'`, []);
      await Promise.all(many.map((_, i) => request(address(10_000 + i))));
      expect(await eventually(results, (left) => left.length === many.length)).toHaveLength(many.length);
      stop();
    });

    test('can be made by a role that can only read', async () => {
      const stop = processBackfillQueue(sql, async () => {}, { listen: sql.listen, logError: unexpected });
      const reader = `serac_backfill_reader_${process.pid}`;
      await sql.all(`CREATE ROLE ${reader} LOGIN`, []);
      await sql.all(`GRANT SELECT ON backfill_result TO ${reader}`, []);
      await sql.all(`ALTER ROLE ${reader} SET default_transaction_read_only = on`, []);
      const url = new URL(server as string);
      url.pathname = `/${database}`;
      url.username = reader;
      const readOnly = openPostgres({ url: url.href, statementMilliseconds: 30_000 });
      const request = createBackfillRequester(readOnly, { timers, now: () => performance.now(), random });
      expect(await outcomeOf(request(address(1)))).toBe('done');
      await readOnly.close();
      stop();
      await sql.all(`DROP OWNED BY ${reader}`, []);
      await sql.all(`DROP ROLE ${reader}`, []);
    });

    test('that no requester made are left out', async () => {
      const processed: Address[] = [];
      const stop = processBackfillQueue(sql, async (some) => void processed.push(...some), { listen: sql.listen, logError: unexpected });
      await createRequester()(address(1));
      for (const payload of ['', 'x', `${'0'.repeat(16)}${'g'.repeat(40)}`, `${'0'.repeat(57)}`])
        await sql.all('SELECT pg_notify(?, ?)', ['serac_backfill', payload]);
      await createRequester()(address(2));
      expect(processed).toEqual([address(1), address(2)]);
      stop();
    });

    test('made while the same address is being processed are processed afterwards', async () => {
      const started: PromiseWithResolvers<void>[] = [];
      const backfill = () => {
        const work = Promise.withResolvers<void>();
        started.push(work);
        return work.promise;
      };
      const stop = processBackfillQueue(sql, backfill, { listen: sql.listen, logError: unexpected });
      const request = createRequester();
      const ended: string[] = [];
      void request(address(1)).then(() => ended.push('first'));
      await eventually(
        () => started.length,
        (count) => count === 1,
      );
      void request(address(1)).then(() => ended.push('second'));
      // A request of another address is sent after it.
      const other = request(address(2));
      await eventually(
        () => started.length,
        (count) => count === 2,
      );
      started[0]?.resolve();
      await eventually(
        () => started.length,
        (count) => count === 3,
      );
      await eventually(
        () => ended.length,
        (count) => count === 1,
      );
      expect(ended).toEqual(['first']);
      started[1]?.resolve();
      started[2]?.resolve();
      await eventually(
        () => ended.length,
        (count) => count === 2,
      );
      expect(ended).toEqual(['first', 'second']);
      await other;
      stop();
    });

    test('that fail are rejected with the reason, and can succeed the next time', async () => {
      const reported: unknown[] = [];
      let isNodeUp = false;
      const backfill = async ([one]: readonly Address[]) => {
        if (isNodeUp) return;
        throw one === address(1) ? apiError(502, 'The node answers nonsense') : new TypeError('a bug');
      };
      const stop = processBackfillQueue(sql, backfill, { listen: sql.listen, logError: (error) => reported.push(error) });
      const request = createRequester();
      expect(await Promise.all([outcomeOf(request(address(1))), outcomeOf(request(address(2)))])).toEqual([
        '502 The node answers nonsense',
        expect.stringContaining('503 The indexer (serac index) could not'),
      ]);
      expect(reported.map(String)).toEqual(['TypeError: a bug']);
      isNodeUp = true;
      expect(await Promise.all([outcomeOf(request(address(1))), outcomeOf(request(address(2)))])).toEqual(['done', 'done']);
      stop();
    });

    test('time out if no indexer processes them', async () => {
      let now = 0;
      const request = createRequester(() => (now += 1000));
      expect(await Promise.all(many.slice(0, 20).map((one) => outcomeOf(request(one))))).toEqual(
        Array(20).fill(expect.stringContaining('503 The indexer (serac index) has not answered')),
      );
    });

    test('in progress when the indexer stops are processed by the next one', async () => {
      const work = Promise.withResolvers<void>();
      let hasStarted = false;
      const backfill = () => {
        hasStarted = true;
        return work.promise;
      };
      const stop = processBackfillQueue(sql, backfill, { listen: sql.listen, logError: unexpected });
      const outcome = outcomeOf(createRequester()(address(1)));
      await eventually(
        () => hasStarted,
        (isStarted) => isStarted,
      );
      stop();
      work.reject(apiError(503, 'It has been stopped'));
      const stopNext = processBackfillQueue(sql, async () => {}, { listen: sql.listen, logError: unexpected });
      expect(await outcome).toBe('done');
      stopNext();
    });
  },
);

test('a request that is sent again while its address is processed is processed once', async () => {
  const rows: unknown[][] = [];
  const all = async (_: string, values: readonly unknown[]) => {
    rows.push([...values]);
    return [];
  };
  let notify = (_: string): void => {};
  const listen = ((_: string, { onNotify }: { onNotify: (payload: string) => void }) => {
    notify = onNotify;
    return () => {};
  }) as unknown as Postgres['listen'];
  const works: PromiseWithResolvers<void>[] = [];
  const backfill = () => {
    const work = Promise.withResolvers<void>();
    works.push(work);
    return work.promise;
  };
  const stop = processBackfillQueue({ dialect: 'postgres', all: all as Postgres['all'] }, backfill, { listen, logError: unexpected });
  const request = (token: number, n: number) => token.toString(16).padStart(16, '0') + address(n);
  notify(request(1, 7));
  notify(`${request(1, 7)} ${request(2, 7)} ${request(2, 7)} nonsense`);
  expect(works).toHaveLength(1);
  works[0]?.resolve();
  await eventually(
    () => works.length,
    (count) => count === 2,
  );
  works[1]?.resolve();
  await eventually(
    () => rows.length,
    (count) => count === 2,
  );
  // Each token is answered once.
  expect(rows.map(([token, failure, ...rest]) => [Buffer.from(token as Uint8Array).readUInt8(7), failure, rest.length])).toEqual([
    [1, null, 1],
    [2, null, 1],
  ]);
  stop();
});

test('what was processed takes no room from what comes later', async () => {
  let notify = (_: string): void => {};
  const listen = ((_: string, { onNotify }: { onNotify: (payload: string) => void }) => {
    notify = onNotify;
    return () => {};
  }) as unknown as Postgres['listen'];
  let processed = 0;
  const backfill = async (some: readonly Address[]) => {
    processed += some.length;
  };
  const sql = { dialect: 'postgres', all: async () => [] } as const;
  const stop = processBackfillQueue(sql, backfill, { listen, logError: unexpected });
  // Up to 50,000 may wait.
  const rounds = 3;
  const inRound = 20_000;
  for (let round = 0; round < rounds; round++) {
    for (let n = round * inRound; n < (round + 1) * inRound; n++) notify(n.toString(16).padStart(16, '0') + address(n));
    await eventually(
      () => processed,
      (count) => count === (round + 1) * inRound,
    );
  }
  stop();
});
