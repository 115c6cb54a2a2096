import { ApiError, apiError, type ErrorStatus } from '../../api/rest/api-error.ts';
import type { Address } from '../../base/bytes/address.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { AddressTask } from '../../chain/follow/address-task.ts';
import { type BatchSizes, batchedStatement, placeholders, valueTuples } from '../../ledger/index/batched-statement.ts';
import { runOnPostgres } from '../../ledger/index/query-runner.ts';
import type { Sql, WritableSql } from '../../ledger/index/sql.ts';
import { fetchRows } from '../../ledger/store/queries.ts';
import { blocksChannel } from '../chain/postgres-chain.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { Postgres } from '../postgres/postgres.ts';

/**
 * Requests of `serac api` to backfill an address: `serac index`, which follows a node, fetches from that node what blocks do not contain. A
 * request is a notification, so that a role that can only read may make one; each has a random token of 8 bytes. The result is a row that the
 * indexer writes. Notifications are not stored: a request is sent again until there is a result.
 */
const requestChannel = 'serac_backfill';

/** Bytes of a token. */
const tokenSize = 8;

/**
 * Creates the table of results in PostgreSQL. It is not logged: results are read within seconds, and only on the primary. `failure`: why the
 * request failed (a `BackfillFailure` as JSON).
 */
export async function createBackfillQueue(sql: WritableSql): Promise<void> {
  await sql.write((tx) =>
    tx.all(
      'CREATE UNLOGGED TABLE IF NOT EXISTS backfill_result(token bytea PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(), failure text)',
      [],
    ),
  );
}

/** Why a request failed: the status and message of the API response. */
type BackfillFailure = { readonly status: ErrorStatus; readonly message: string };

/** Milliseconds: how often a requester polls for results, after which it sends a request again, and how long it waits. */
const intervals = { poll: 50, sendAgain: 1000, timeout: 10_000 } as const;

/**
 * How many addresses are processed concurrently, how many requests may wait for it (others are dropped, and sent again), how many results are
 * written before old ones are deleted, and requests of one notification, whose payload has at most 8,000 bytes.
 */
const limits = { concurrency: 64, waiting: 50_000, cleanupEvery: 1000, perNotification: 128 } as const;

/** Processes backfill requests until the returned function is called. Requests in progress at that time are left to the next indexer. */
export function processBackfillQueue(
  sql: Sql,
  backfill: AddressTask,
  { listen, logError }: { readonly listen: Postgres['listen']; readonly logError: (error: unknown) => void },
): () => void {
  /** The tokens of requests that wait, by address; and those of requests in progress. */
  const waiting = new Map<Address, Set<string>>();
  const inProgress = new Map<Address, ReadonlySet<string>>();
  let isStopped = false;
  let [waitingCount, written] = [0, 0];

  const writeResults = async (tokens: ReadonlySet<string>, failure: string | null): Promise<void> => {
    const rows = [...tokens].flatMap((token) => [fromHex(token), failure]);
    await sql.all(
      `WITH done AS (INSERT INTO backfill_result(token, failure) VALUES ${valueTuples(tokens.size, 2)} ON CONFLICT DO NOTHING RETURNING 1)
       SELECT pg_notify(?, '') FROM done`,
      [...rows, blocksChannel],
    );
    const before = written;
    written += tokens.size;
    if (Math.floor(written / limits.cleanupEvery) > Math.floor(before / limits.cleanupEvery))
      await sql.all(`DELETE FROM backfill_result WHERE at < now() - interval '1 minute'`, []);
  };

  const processAddress = async (address: Address, tokens: ReadonlySet<string>): Promise<void> => {
    const failure = await backfill([address]).then(() => null, createFailureFormatter(logError));
    if (!isStopped) await writeResults(tokens, failure);
  };

  const startNext = (): void => {
    for (const [address, tokens] of waiting) {
      if (isStopped || inProgress.size >= limits.concurrency) return;
      // A request made while its address is being processed is processed afterwards.
      if (inProgress.has(address)) continue;
      waiting.delete(address);
      waitingCount -= tokens.size;
      inProgress.set(address, tokens);
      processAddress(address, tokens)
        .catch((error: unknown) => {
          if (!isStopped) logError(error);
        })
        .finally(() => {
          inProgress.delete(address);
          startNext();
        });
    }
  };

  const stopListening = listen(requestChannel, {
    onNotify: (payload) => {
      for (const { address, token } of parseRequests(payload)) {
        if (waitingCount >= limits.waiting) break;
        const tokens = waiting.get(address) ?? new Set();
        // The same request is sent again while it waits.
        if (tokens.has(token) || inProgress.get(address)?.has(token) || tokens.size === limits.perNotification) continue;
        waiting.set(address, tokens.add(token));
        waitingCount++;
      }
      startNext();
    },
    onLost: () => {},
  });
  return () => {
    isStopped = true;
    stopListening();
  };
}

/** Every role of the database can send a notification: what is not a request is left out. */
const parseRequests = (payload: string): { readonly token: string; readonly address: Address }[] =>
  payload
    .split(' ')
    .filter((text) => requestPattern.test(text))
    .map((text) => ({ token: text.slice(0, 2 * tokenSize), address: text.slice(2 * tokenSize) as Address }));

const requestPattern = new RegExp(`^[0-9a-f]{${2 * tokenSize + 40}}$`);

/** Formats an error for the column `failure`, and reports it if it is unexpected. */
const createFailureFormatter =
  (logError: (error: unknown) => void) =>
  (error: unknown): string => {
    if (!(error instanceof ApiError)) logError(error);
    const failure: BackfillFailure =
      error instanceof ApiError
        ? { status: error.fault.status, message: error.message }
        : { status: 503, message: 'The indexer (serac index) could not fetch from the followed node what blocks do not contain' };
    return JSON.stringify(failure);
  };

/**
 * Returns a function that asks the indexer to backfill an address and waits for it. It rejects with an `ApiError` if the indexer fails or
 * does not answer in time. `primary`: only the primary takes notifications and has the results.
 */
export function createBackfillRequester(
  primary: Sql,
  {
    timers,
    now,
    random,
  }: {
    readonly timers: Pick<ClusterEnv['timers'], 'after'>;
    /** Milliseconds of a clock that never goes back. */
    readonly now: () => number;
    readonly random: (count: number) => Uint8Array;
  },
): (address: Address) => Promise<void> {
  const select = batchedStatement(sizes, 1, (n) => `SELECT token, failure FROM backfill_result WHERE token IN (${placeholders(n)})`);
  const pending = new Map<string, BackfillRequest>();
  let isPolling = false;

  const sendRequests = async (): Promise<void> => {
    const due = [...pending].filter(([, { sendAt }]) => sendAt <= now());
    for (let at = 0; at < due.length; at += limits.perNotification) {
      const part = due.slice(at, at + limits.perNotification);
      const payload = part.map(([token, { address }]) => `${token}${address}`).join(' ');
      await primary.all('SELECT pg_notify(?, ?)', [requestChannel, payload]);
      for (const [, request] of part) request.sendAt = now() + intervals.sendAgain;
    }
  };

  const settleProcessed = async (): Promise<void> => {
    const rows = await runOnPostgres(primary, fetchRows<ResultRow>(select([...pending.keys()].map(fromHex))));
    for (const { token, failure } of rows) settle(toHex(token), failure === null ? undefined : (JSON.parse(failure) as BackfillFailure));
    for (const [token, { deadline }] of pending) if (now() > deadline) settle(token, noIndexer);
  };

  const settle = (token: string, failure: BackfillFailure | undefined): void => {
    const request = pending.get(token);
    pending.delete(token);
    if (failure === undefined) request?.resolve();
    else request?.reject(apiError(failure.status, failure.message));
  };

  const pollResults = async (): Promise<void> => {
    while (pending.size > 0)
      try {
        await sendRequests();
        await sleep(timers, intervals.poll);
        await settleProcessed();
      } catch (error) {
        for (const request of pending.values()) request.reject(error);
        pending.clear();
      }
    isPolling = false;
  };

  return (address) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const token = toHex(random(tokenSize));
    pending.set(token, { address, deadline: now() + intervals.timeout, resolve, reject, sendAt: Number.NEGATIVE_INFINITY });
    if (!isPolling) {
      isPolling = true;
      void pollResults();
    }
    return promise;
  };
}

const sizes: BatchSizes = [512, 64, 8, 1];

type BackfillRequest = {
  readonly address: Address;
  readonly deadline: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** When it is to be sent, or sent again. */
  sendAt: number;
};

type ResultRow = { readonly token: Uint8Array; readonly failure: string | null };

const noIndexer: BackfillFailure = {
  status: 503,
  message: 'The indexer (serac index) has not answered for 10 seconds; it fetches from the followed node what blocks do not contain',
};
