import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eventually } from '../../../test/processes.ts';
import { apiError } from '../../api/rest/api-error.ts';
import type { Address } from '../../base/bytes/address.ts';
import { openPostgres, type Postgres } from '../platform/postgres-bun.ts';
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
    beforeEach(() => sql.all('TRUNCATE backfill_request', []));
    afterAll(async () => {
      await sql?.close();
      await admin?.all(`DROP DATABASE ${database} WITH (FORCE)`, []);
      await admin?.close();
    });

    const createRequester = (now = () => 0) => createBackfillRequester(sql, { timers, now });
    const rows = () =>
      sql.all<{ processed: number; requested: number; failure: string | null }>(
        'SELECT processed, requested, failure FROM backfill_request',
        [],
      );
    const outcomeOf = (request: Promise<void>) =>
      request.then(
        () => 'done',
        (error) => `${error.fault.status} ${error.message}`,
      );

    test('from several processes, some repeated, are processed by the indexer', async () => {
      const processed: Address[] = [];
      const stop = processBackfillQueue(sql, async (some) => void processed.push(...some), { timers, report: unexpected });
      const [one, other] = [createRequester(), createRequester()];
      const requests = [...many.map(one), ...many.toReversed().map(other), ...many.slice(0, 10).map(one)];
      expect(await Promise.all(requests.map(outcomeOf))).toEqual(requests.map(() => 'done'));
      expect([...new Set(processed)].sort()).toEqual(many);
      await one(address(1));
      expect(await rows()).toHaveLength(many.length);
      expect((await rows()).every(({ processed, requested }) => processed === requested)).toBe(true);
      stop();
    });

    test('are deleted from the queue some time after they were processed', async () => {
      const stop = processBackfillQueue(sql, async () => {}, { timers, report: unexpected });
      const request = createRequester();
      await Promise.all(many.map(request));
      await sql.all(`SELECT setval('backfill_request_number', last_value + 20000) FROM backfill_request_number`, []);
      await Promise.all(many.map((_, i) => request(address(10_000 + i))));
      expect(await eventually(rows, (left) => left.length === many.length)).toHaveLength(many.length);
      stop();
    });

    test('made while the same address is being processed are processed afterwards', async () => {
      const started: PromiseWithResolvers<void>[] = [];
      const backfill = () => {
        const work = Promise.withResolvers<void>();
        started.push(work);
        return work.promise;
      };
      const stop = processBackfillQueue(sql, backfill, { timers, report: unexpected });
      const request = createRequester();
      const ended: string[] = [];
      void request(address(1)).then(() => ended.push('first'));
      await eventually(
        () => started.length,
        (count) => count === 1,
      );
      const before = (await rows())[0]?.requested as number;
      void request(address(1)).then(() => ended.push('second'));
      await eventually(
        async () => (await rows())[0]?.requested as number,
        (requested) => requested > before,
      );
      started[0]?.resolve();
      await eventually(
        () => started.length,
        (count) => count === 2,
      );
      await eventually(
        () => ended.length,
        (count) => count === 1,
      );
      expect(ended).toEqual(['first']);
      started[1]?.resolve();
      await eventually(
        () => ended.length,
        (count) => count === 2,
      );
      expect(ended).toEqual(['first', 'second']);
      stop();
    });

    test('that fail are rejected with the reason, and can succeed the next time', async () => {
      const reported: unknown[] = [];
      let isNodeUp = false;
      const backfill = async ([one]: readonly Address[]) => {
        if (isNodeUp) return;
        throw one === address(1) ? apiError(502, 'The node answers nonsense') : new TypeError('a bug');
      };
      const stop = processBackfillQueue(sql, backfill, { timers, report: (error) => reported.push(error) });
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

    test('time out if no indexer processes them, and are deleted from the queue', async () => {
      let now = 0;
      const request = createRequester(() => (now += 1000));
      expect(await Promise.all(many.slice(0, 20).map((one) => outcomeOf(request(one))))).toEqual(
        Array(20).fill(expect.stringContaining('503 The indexer (serac index) has not answered')),
      );
      await eventually(rows, (left) => left.length === 0);
      expect(await rows()).toEqual([]);
    });

    test('in progress when the indexer stops are processed by the next one', async () => {
      const work = Promise.withResolvers<void>();
      let hasStarted = false;
      const backfill = () => {
        hasStarted = true;
        return work.promise;
      };
      const stop = processBackfillQueue(sql, backfill, { timers, report: unexpected });
      const outcome = outcomeOf(createRequester()(address(1)));
      await eventually(
        () => hasStarted,
        (isStarted) => isStarted,
      );
      stop();
      work.reject(apiError(503, 'It has been stopped'));
      const stopNext = processBackfillQueue(sql, async () => {}, { timers, report: unexpected });
      expect(await outcome).toBe('done');
      stopNext();
    });
  },
);
