import { ApiError, apiError, type ErrorStatus } from '../../api/rest/api-error.ts';
import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { AddressTask } from '../../chain/follow/address-task.ts';
import { type BatchSizes, batchedStatement, placeholders, valueTuples } from '../../ledger/index/batched-statement.ts';
import type { Sql, WritableSql } from '../../ledger/index/sql.ts';
import { fetchRows, runSteps } from '../../ledger/index/steps.ts';
import { blocksChannel } from '../../ledger/index-postgres/postgres-chain.ts';
import type { Env } from '../setup/env.ts';

/**
 * Creates the tables of the address backfill queue in PostgreSQL. `serac api` adds addresses to it and waits; `serac index`, which follows a
 * node, fetches from that node what blocks do not contain about these addresses.
 * Columns: `requested` is the number of the newest request for the address, `processed` the number of the newest processed one, `failure` why
 * that one failed (a `BackfillFailure` as JSON).
 */
export async function createBackfillQueue(sql: WritableSql): Promise<void> {
  await sql.write(async (tx) => {
    // The names of these tables in databases of earlier versions. They held requests in progress only.
    await tx.all('DROP TABLE IF EXISTS wanted', []);
    await tx.all('DROP SEQUENCE IF EXISTS wish', []);
    await tx.all('CREATE SEQUENCE IF NOT EXISTS backfill_request_number', []);
    await tx.all(
      `CREATE TABLE IF NOT EXISTS backfill_request(address bytea PRIMARY KEY, requested bigint NOT NULL DEFAULT nextval('backfill_request_number'),
       processed bigint NOT NULL DEFAULT 0, failure text)`,
      [],
    );
    await tx.all('CREATE INDEX IF NOT EXISTS backfill_request_open ON backfill_request(requested) WHERE processed < requested', []);
  });
}

/** Why a request failed: the status and message of the API response. */
type BackfillFailure = { readonly status: ErrorStatus; readonly message: string };

/** Milliseconds: how often the indexer polls the queue, how often a requester polls for results, and how long a requester waits. */
const intervals = { process: 200, poll: 50, timeout: 10_000 } as const;

/**
 * How many addresses are processed concurrently, how many of the newest requests keep their rows for the requesters that wait, and after how
 * many processed requests older rows are deleted.
 */
const limits = { concurrency: 64, keptRequests: 10_000, cleanupEvery: 1000 } as const;

/** Processes backfill requests until the returned function is called. Requests in progress at that time are left to the next indexer. */
export function processBackfillQueue(sql: Sql, backfill: AddressTask, { timers, report }: BackfillProcessorDeps): () => void {
  const inProgress = new Set<string>();
  let cancel = () => {};
  let isStopped = false;
  let processed = 0;

  const reportUnlessStopped = (error: unknown): void => {
    if (!isStopped) report(error);
  };

  const processRequest = async (address: Uint8Array, requested: number): Promise<void> => {
    const failure = await backfill([toHex(address) as Address]).then(() => null, createFailureFormatter(report));
    if (isStopped) return;
    await sql.all(
      `WITH done AS (UPDATE backfill_request SET processed = ?, failure = ? WHERE address = ? AND processed < ? RETURNING 1)
       SELECT pg_notify(?, '') FROM done`,
      [requested, failure, address, requested, blocksChannel],
    );
    if (++processed % limits.cleanupEvery === 0)
      await sql.all(
        'DELETE FROM backfill_request WHERE processed >= requested AND requested < (SELECT last_value FROM backfill_request_number) - ?',
        [limits.keptRequests],
      );
  };

  const startNextRequests = async (): Promise<void> => {
    const rows = await sql.all<{ address: Uint8Array; requested: number }>(
      'SELECT address, requested FROM backfill_request WHERE processed < requested ORDER BY requested LIMIT ? + 0',
      [limits.concurrency],
    );
    for (const { address, requested } of rows) {
      const name = toHex(address);
      if (inProgress.has(name)) continue;
      inProgress.add(name);
      processRequest(address, requested)
        .catch(reportUnlessStopped)
        .finally(() => inProgress.delete(name));
    }
  };

  const pollQueue = async (): Promise<void> => {
    await startNextRequests().catch(reportUnlessStopped);
    if (!isStopped) cancel = timers.after(intervals.process, () => void pollQueue());
  };
  void pollQueue();
  return () => {
    isStopped = true;
    cancel();
  };
}

type BackfillProcessorDeps = { readonly timers: Pick<Env['timers'], 'after'>; readonly report: (error: unknown) => void };

/** Formats an error for the column `failure`, and reports it if it is unexpected. */
const createFailureFormatter =
  (report: (error: unknown) => void) =>
  (error: unknown): string => {
    if (!(error instanceof ApiError)) report(error);
    const failure: BackfillFailure =
      error instanceof ApiError
        ? { status: error.fault.status, message: error.message }
        : { status: 503, message: 'The indexer (serac index) could not fetch from the followed node what blocks do not contain' };
    return JSON.stringify(failure);
  };

/**
 * Returns a function that asks the indexer to backfill an address and waits for it. It rejects with an `ApiError` if the indexer fails or
 * does not answer in time.
 */
export function createBackfillRequester(sql: Sql, { timers, now }: BackfillRequesterDeps): (address: Address) => Promise<void> {
  const insert = batchedStatement(
    sizes,
    1,
    (n) => `INSERT INTO backfill_request(address) VALUES ${valueTuples(n, 1)} ${requestAgain} RETURNING address, requested`,
  );
  const select = batchedStatement(
    sizes,
    1,
    (n) => `SELECT address, processed, failure FROM backfill_request WHERE address IN (${placeholders(n)})`,
  );
  const pending = new Set<BackfillRequest>();
  let isPolling = false;

  const insertRequests = async (added: readonly BackfillRequest[]): Promise<void> => {
    // Sorted, so that two processes that insert the same addresses do not deadlock.
    const addresses = [...new Set(added.map(({ address }) => address))].sort();
    const rows = await runSteps(sql, fetchRows<{ address: Uint8Array; requested: number }>(insert(addresses.map(addressToBytes))));
    const requested = new Map(rows.map((row) => [toHex(row.address), row.requested]));
    for (const request of added) request.requested = requested.get(request.address);
  };

  const settleProcessed = async (): Promise<void> => {
    // Requests made since the last insert are inserted in the next round.
    const requests = [...pending].filter(isInserted);
    const addresses = [...new Set(requests.map(({ address }) => address))];
    const rows = await runSteps(sql, fetchRows<QueueRow>(select(addresses.map(addressToBytes))));
    const found = new Map(rows.map((row) => [toHex(row.address), row]));
    for (const request of requests) {
      const row = found.get(request.address);
      // Rows of processed requests are deleted after many newer requests.
      if (row === undefined || row.processed >= request.requested)
        settle(request, row?.failure ? (JSON.parse(row.failure) as BackfillFailure) : undefined);
    }
    const late = requests.filter((request) => pending.has(request) && now() > request.deadline);
    for (const request of late) settle(request, noIndexer);
    // Earlier requests for the same address have timed out as well.
    const remove = 'DELETE FROM backfill_request WHERE address = ? AND requested = ? AND processed < requested';
    await Promise.all(late.map(({ address, requested }) => sql.all(remove, [addressToBytes(address), requested])));
  };

  const settle = (request: BackfillRequest, failure: BackfillFailure | undefined): void => {
    pending.delete(request);
    if (failure === undefined) request.resolve();
    else request.reject(apiError(failure.status, failure.message));
  };

  const pollResults = async (): Promise<void> => {
    while (pending.size > 0)
      try {
        const added = [...pending].filter((request) => !isInserted(request));
        if (added.length > 0) await insertRequests(added);
        await sleep(timers, intervals.poll);
        await settleProcessed();
      } catch (error) {
        for (const request of pending) request.reject(error);
        pending.clear();
      }
    isPolling = false;
  };

  return (address) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    pending.add({ address, deadline: now() + intervals.timeout, resolve, reject, requested: undefined });
    if (!isPolling) {
      isPolling = true;
      void pollResults();
    }
    return promise;
  };
}

const sizes: BatchSizes = [512, 64, 8, 1];

const requestAgain = `ON CONFLICT (address) DO UPDATE SET requested = nextval('backfill_request_number')`;

type BackfillRequesterDeps = {
  readonly timers: Pick<Env['timers'], 'after'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
};

type BackfillRequest = {
  readonly address: Address;
  readonly deadline: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** The number of the request; undefined until it is in the queue. */
  requested: number | undefined;
};

const isInserted = (request: BackfillRequest): request is BackfillRequest & { requested: number } => request.requested !== undefined;

type QueueRow = { readonly address: Uint8Array; readonly processed: number; readonly failure: string | null };

const noIndexer: BackfillFailure = {
  status: 503,
  message: 'The indexer (serac index) has not answered for 10 seconds; it fetches from the followed node what blocks do not contain',
};
