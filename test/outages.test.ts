import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { testTimeout } from '../tools/test-stories.ts';
import { createKey, type KeyHeader, unlimited, writePlans } from './api-keys.ts';
import { heightOf } from './chain-oracle.ts';
import { chainRoot, type DataRequest, type DataResponse, dataRequests, fetchPages, itemsOf, sendRequest } from './data-requests.ts';
import { recordFigure, recordTime } from './figure.ts';
import { type Client, createClient } from './http.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { eventually } from './processes.ts';
import { type Indexer, type Program, startIndexer, startProgram } from './program.ts';
import { createRandom } from './random.ts';
import type { PrivateRedis } from './redis.ts';
import { hasPrivateServers, openPrivateServers, type PrivateServers, suiteName } from './servers.ts';

/** Number of outages of each server and type. */
const rounds = Number(process.env.SERAC_OUTAGES ?? 1);
const seed = Number(process.env.SERAC_SEED ?? 6);

/** Milliseconds within which everything must work again after a server is back. */
const recoveryLimit = 5_000;
/** Milliseconds that a test waits. */
const patience = 40_000;

/** Bytes by which the memory of a process may grow during all outages. */
const growthLimit = 192 * 1024 * 1024;

const perMinute = 25;

/**
 * Milliseconds for which a stopping server still answers. The tests read its health in that time, and on a busy machine a request takes hundreds of
 * milliseconds.
 */
const shutdownWait = 3_000;

/** Milliseconds between two requests of a client of the load. */
const pause = 20;

describe.skipIf(!hasPrivateServers)(suiteName('outages', hasPrivateServers), () => {
  let { postgres, redis } = {} as PrivateServers;
  let plans: ReturnType<typeof writePlans>;
  let node: Program;
  let indexer: Indexer;
  let apis: Program[];
  let issuer: Issuer;
  let key: KeyHeader;
  let before: number[];
  let outages = 0;

  beforeAll(async () => {
    ({ postgres, redis } = await openPrivateServers());
    plans = writePlans({
      data: { anonymous: unlimited, free: unlimited, tiny: { perMinute, perDay: 1_000 } },
      metrics: { anonymous: unlimited },
    });
    const limits = ['--rate-limits=on', plans.flag, `--http-shutdown-wait=${shutdownWait}ms`];
    node = await startProgram(`--cache-url=${redis.url}`, ...limits);
    indexer = startIndexer(node.url, `--database-url=${postgres.url}`);
    const api = () => startProgram('api', `--database-url=${postgres.url}`, `--cache-url=${redis.url}`, ...limits);
    apis = await Promise.all([api(), api()]);
    issuer = createIssuer({ seed, client: node.client });
    await issuer.fund();
    for (let i = 0; i < 4; i++) await issuer.issue(8);
    await waitUntilIndexed();
    key = await createPlanKey('free');
    before = apis.map(({ pid }) => residentBytes(pid));
  });
  afterAll(async () => {
    await Promise.all([node, indexer, ...(apis ?? [])].map((one) => one?.stop('SIGKILL')));
    plans?.remove();
    await redis?.kill();
    await postgres?.remove();
  });

  /** Waits until both API servers serve the node's last block. */
  async function waitUntilIndexed(): Promise<void> {
    const height = await heightOf(node.client);
    for (const { client } of apis)
      await eventually(
        async () => (await sendRequest(client, { path: `${chainRoot}/blocks/${height}` })).status,
        (status) => status === 200,
        patience,
      );
  }

  const createPlanKey = async (plan: string): Promise<KeyHeader> =>
    (await createKey(`--plan=${plan}`, `--database-url=${postgres.url}`, plans.flag)).header;

  /** Sends requests to the API servers while `during` runs. */
  async function runUnderLoad(during: () => Promise<void>): Promise<LoadResult> {
    const blocks = itemsOf(await fetchPages([node.client], { path: `${chainRoot}/blocks?pageSize=100` }));
    // `/v1/chains` is left out: it reports whether the chain is being indexed, which changes during an outage.
    const all = dataRequests({ model: issuer.model, wallet: issuer.wallet, blocks }).filter(
      ({ dependsOnClock, path }) => !dependsOnClock && !path.startsWith('/v1/chains'),
    );
    const expected = new Map<DataRequest, string>();
    for (const request of all.filter((_, i) => i % 4 === outages % 4))
      expected.set(request, responseText(await sendRequest((apis[0] as Program).client, request)));
    outages++;
    const load = startLoad(apis, expected, key);
    try {
      await during();
    } finally {
      load.stop();
    }
    return load.done;
  }

  /** Waits until the health checks of all programs report that `down`, or nothing, is down. */
  async function expectHealth(programs: readonly Program[], down: string | undefined, timeout: number): Promise<void> {
    const paths = ['/v1/health-check', '/v1/live-check', '/v2/health-check'];
    await Promise.all(
      programs.flatMap(({ client }) =>
        paths.map(async (path) => {
          // On a busy machine an answer of the other server may come too late once.
          const response = await eventually(
            () => sendRequest(client, { path }),
            ({ status, json }) =>
              status === (down === undefined ? 200 : 503) &&
              Object.entries(json.details as Record<string, { status: string }>).every(
                ([name, { status: part }]) => name === down || name === 'rateLimits' || name === 'index' || part === 'up',
              ),
            timeout,
          );
          // `rateLimits` reports whether limits are counted in Redis, and `index` whether it is written; tests below cover them.
          const { rateLimits: _, index: _index, ...details } = response.json.details;
          const { rateLimits: __, index: __index, ...info } = response.json.info;
          expect({ path, status: response.status, json: { ...response.json, info, details } }).toEqual({ path, ...healthBody(down) });
        }),
      ),
    );
  }

  /** Ends a server, waits until the health checks fail, starts it again, and expects that everything works again in time. */
  async function outage(name: 'database' | 'cache', programs: readonly Program[], end: () => Promise<void>, begin: () => Promise<void>) {
    return runUnderLoad(async () => {
      await Bun.sleep(200);
      await end();
      try {
        await expectHealth(programs, name, patience);
        await Bun.sleep(500);
      } finally {
        await begin();
      }
      const back = performance.now();
      await expectHealth(programs, undefined, patience);
      for (const { client } of apis)
        await eventually(
          () => sendRequest(client, { path: `${chainRoot}/transactions` }, key),
          ({ status }) => status === 200,
          patience,
        );
      recordTime(`all works after an outage of the ${name}`, back, recoveryLimit);
      await Bun.sleep(300);
    });
  }

  /** Expects that indexing continues by itself. */
  async function expectIndexingContinues(): Promise<void> {
    await issuer.issue(4);
    const since = performance.now();
    await waitUntilIndexed();
    recordTime('indexing continues after an outage', since, recoveryLimit);
  }

  const postgresOutages = {
    killed: [() => postgres.end('kill'), () => postgres.start()],
    stopped: [() => postgres.end('stop'), () => postgres.start()],
    frozen: [async () => postgres.freeze(), async () => postgres.thaw()],
  } as const;

  for (const [how, [end, begin]] of Object.entries(postgresOutages))
    test(
      `PostgreSQL is ${how}: correct responses or 503, and recovery in time`,
      async () => {
        for (let i = 0; i < rounds; i++) {
          const result = await outage('database', apis, end, begin);
          expect(result.wrong).toEqual([]);
          expect(result.unavailable).toBeGreaterThan(0);
          expect(result.correct).toBeGreaterThan(0);
          await expectIndexingContinues();
        }
      },
      testTimeout + rounds * 60_000,
    );

  const redisOutages = {
    killed: [() => redis.kill(), () => redis.start()],
    stopped: [() => shutDown(redis), () => redis.start()],
    frozen: [async () => redis.pause(), async () => redis.resume()],
  } as const;

  for (const [how, [end, begin]] of Object.entries(redisOutages))
    test(
      `Redis is ${how}: all responses are correct all the time, only the health checks fail`,
      async () => {
        for (let i = 0; i < rounds; i++) {
          const result = await outage('cache', [node, ...apis], end, begin);
          expect(result.wrong).toEqual([]);
          expect(result.unavailable).toBe(0);
          await expectIndexingContinues();
        }
      },
      testTimeout + rounds * 60_000,
    );

  test('without Redis, and with one that was restarted empty, all processes together admit no more than the limit', async () => {
    const tiny = await createPlanKey('tiny');
    const [one] = apis as [Program, Program];
    const total = async () =>
      (await Promise.all(apis.map(({ client }) => countAdmitted(client, tiny)))).reduce((sum, each) => sum + each, 0);
    let admitted = 0;
    for (let i = 0; i < 10; i++) if ((await sendRequest(one.client, cheapRequest, tiny)).status === 200) admitted++;
    expect(admitted).toBeGreaterThan(0);
    // Processes share the number of admitted requests several times a second.
    await Bun.sleep(500);
    await redis.kill();
    try {
      admitted += await total();
      expect(admitted).toBeLessThanOrEqual(perMinute);
      const { json } = await sendRequest(one.client, { path: '/v1/health-check' });
      expect(json.details.rateLimits).toEqual({ status: 'up', message: expect.stringContaining('each of 3 processes') });
    } finally {
      await redis.start();
    }
    await expectHealth(apis, undefined, patience);
    admitted += await total();
    expect(admitted).toBeLessThanOrEqual(perMinute);
    const { status, json } = await sendRequest(one.client, { path: '/v1/health-check' });
    expect([status, json.info.rateLimits.status]).toEqual([200, 'up']);
  });

  test('no API server has exited', () => {
    const grown = apis.map(({ pid }, i) => residentBytes(pid) - (before[i] as number));
    recordFigure({ name: 'growth of serac api during outages', unit: 'MB', value: Math.max(...grown) / 1e6, limit: growthLimit / 1e6 });
  });

  for (const what of ['api', 'node'] as const)
    test(`SIGTERM during requests: ${what} completes started requests, reports that it is shutting down, then closes and exits with 0`, async () => {
      const [program] = what === 'api' ? apis.splice(0, 1) : [node];
      const ending = requestUntilClosed(program as Program);
      await ending.eachCompleted;
      process.kill((program as Program).pid, 'SIGTERM');
      expect(await (program as Program).exited).toBe(0);
      const { complete, stopping, broken } = await ending.closed;
      expect(broken).toEqual([]);
      expect(complete).toBeGreaterThan(0);
      expect(stopping).toBeGreaterThan(0);
    });

  test('SIGTERM: the indexer exits with 0, and the API server says that nobody writes the index', async () => {
    expect(await indexer.stop()).toBe(0);
    const { status, json } = await eventually(
      () => sendRequest((apis[0] as Program).client, { path: '/v1/health-check' }),
      (answer) => answer.json.details.index?.message.includes('no serac index') === true,
      60_000,
    );
    // It answers what it has, and says how old that is.
    expect([status, json.details.index]).toEqual([
      503,
      { status: 'down', message: expect.stringMatching(/^no serac index has written for \d+ s; answers are as of then$/) },
    ]);
  });
});

const cheapRequest: DataRequest = { path: '/v1/chains/X' };

type LoadResult = { readonly correct: number; readonly unavailable: number; readonly wrong: readonly string[] };

/** A response as text, without page tokens, and without the mark of outputs about which nobody could be asked meanwhile. */
const responseText = ({ status, json }: DataResponse): string =>
  `${status} ${JSON.stringify(json, (name, value) => (name === 'nextPageToken' ? '' : name === 'mayBeImported' ? undefined : value))}`;

/**
 * Starts clients that send one request after the other, half of them with an API key: some hundred per second. Without pauses they would take all
 * processors while a server is away.
 */
function startLoad(programs: readonly Program[], expected: ReadonlyMap<DataRequest, string>, key: KeyHeader) {
  const requests = [...expected.keys()];
  const result = { correct: 0, unavailable: 0, wrong: [] as string[] };
  let stopped = false;
  const caller = async (number: number): Promise<void> => {
    const random = createRandom(seed + number);
    while (!stopped) {
      const request = random.pick(requests);
      const { client } = random.pick(programs);
      const response = await sendRequest(client, request, number % 2 === 0 ? key : {}).catch((error: unknown) => `${error}`);
      if (typeof response === 'string') result.wrong.push(`${request.path}: ${response}`);
      else if (responseText(response) === expected.get(request)) result.correct++;
      else if (isUnavailable(response)) result.unavailable++;
      else result.wrong.push(`${request.path}: ${responseText(response)}`.slice(0, 500));
      await Bun.sleep(pause);
    }
  };
  const callers = Array.from({ length: 8 }, (_, i) => caller(i));
  return {
    stop: () => {
      stopped = true;
    },
    done: Promise.all(callers).then((): LoadResult => ({ ...result, wrong: result.wrong.slice(0, 5) })),
  };
}

/** Whether a response is a 503 error in the API's error format. */
const isUnavailable = ({ status, json }: DataResponse): boolean =>
  status === 503 &&
  Object.keys(json).sort().join() === 'error,message,statusCode' &&
  json.statusCode === 503 &&
  json.error === 'Service Unavailable' &&
  typeof json.message === 'string' &&
  json.message !== '';

function healthBody(down: string | undefined) {
  const up = { status: 'up' };
  if (down === undefined)
    return { status: 200, json: { status: 'ok', info: { database: up, cache: up }, error: {}, details: { database: up, cache: up } } };
  const others = Object.fromEntries(['database', 'cache'].filter((name) => name !== down).map((name) => [name, up]));
  return {
    status: 503,
    json: {
      statusCode: 503,
      message: expect.stringContaining(down),
      error: 'Service Unavailable',
      status: 'error',
      info: others,
      details: { ...others, [down]: { status: 'down', message: expect.stringContaining(down) } },
    },
  };
}

/** Sends many requests at once; returns how many were admitted. */
async function countAdmitted(client: Client, key: KeyHeader): Promise<number> {
  const response = await Promise.all(Array.from({ length: 3 * perMinute }, () => sendRequest(client, cheapRequest, key)));
  expect(response.filter(({ status }) => status !== 200 && status !== 429).map(responseText)).toEqual([]);
  return response.filter(({ status }) => status === 200).length;
}

/**
 * Sends requests on connections of their own until these are closed. `eachCompleted` resolves when every client has had a response. `broken`: unexpected
 * responses and errors.
 */
function requestUntilClosed({ port }: Program) {
  const counts = { complete: 0, stopping: 0, broken: [] as string[] };
  const caller = (path: string) => {
    const first = Promise.withResolvers<void>();
    const run = async (): Promise<void> => {
      const client = createClient(port);
      try {
        for (;;) {
          const response = await sendRequest(client, { path });
          first.resolve();
          if (response.status === 200) counts.complete++;
          else if (response.status === 503 && response.json.status === 'shutting_down') counts.stopping++;
          else counts.broken.push(responseText(response));
          await Bun.sleep(pause);
        }
      } catch (error) {
        const { code = '', message } = error as { code?: string; message: string };
        if (!['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code)) counts.broken.push(`${path}: ${code} ${message}`);
      } finally {
        first.resolve();
        client.close();
      }
    };
    return { first: first.promise, ended: run() };
  };
  const paths = ['/v1/health-check', `${chainRoot}/transactions?pageSize=50`, `${chainRoot}/blocks`, '/v2/chains'];
  const callers = [...paths, ...paths].map(caller);
  return {
    eachCompleted: Promise.all(callers.map(({ first }) => first)),
    closed: Promise.all(callers.map(({ ended }) => ended)).then(() => counts),
  };
}

/** Shuts Redis down with its SHUTDOWN command, which closes client connections first. */
async function shutDown(redis: PrivateRedis): Promise<void> {
  const client = new Bun.RedisClient(redis.url, { autoReconnect: false });
  await client.send('SHUTDOWN', ['NOSAVE']).catch(() => {});
  client.close();
  await redis.kill();
}

/** Resident memory of a process in bytes. */
const residentBytes = (pid: number): number => 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
