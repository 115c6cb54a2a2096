import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { heightOf } from './chain-oracle.ts';
import { ask, chainRoot, itemsOf, pagesOf, type Question, questions, type Told } from './data-questions.ts';
import { type Client, createClient } from './http.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { createKey, generous, type Key, writePlans } from './keys.ts';
import { eventually } from './processes.ts';
import { type Indexer, type Program, startIndexer, startProgram } from './program.ts';
import { createRandom } from './random.ts';
import type { PrivateRedis } from './redis.ts';
import { hasPrivateServers, openPrivateServers, type PrivateServers, withServers } from './servers.ts';

/** How often each server goes away. */
const rounds = Number(process.env.SERAC_OUTAGES ?? 1);
const seed = Number(process.env.SERAC_SEED ?? 6);

/** Milliseconds after which all is well again once a server is back. */
const recoveryLimit = 5_000;

/** Bytes by which a process may have grown after all of it. */
const growthLimit = 192 * 1024 * 1024;

const perMinute = 25;

describe.skipIf(!hasPrivateServers)(withServers('outages', hasPrivateServers), () => {
  let { postgres, redis } = {} as PrivateServers;
  let plans: ReturnType<typeof writePlans>;
  let node: Program;
  let indexer: Indexer;
  let apis: Program[];
  let issuer: Issuer;
  let key: Key;
  let before: number[];
  let outages = 0;

  beforeAll(async () => {
    ({ postgres, redis } = await openPrivateServers());
    plans = writePlans({
      data: { anonymous: generous, free: generous, tiny: { perMinute, perDay: 1_000 } },
      metrics: { anonymous: generous },
    });
    const limits = ['--rate-limits=on', plans.flag, '--http-shutdown-wait=300ms'];
    node = await startProgram(`--cache-url=${redis.url}`, ...limits);
    indexer = startIndexer(node.url, `--database-url=${postgres.url}`);
    const api = () => startProgram('api', `--database-url=${postgres.url}`, `--cache-url=${redis.url}`, ...limits);
    apis = await Promise.all([api(), api()]);
    issuer = createIssuer({ seed, client: node.client });
    await issuer.fund();
    for (let i = 0; i < 4; i++) await issuer.issue(8);
    await inStep();
    key = await keyOf('free');
    before = apis.map(({ pid }) => memoryOf(pid));
  }, 60_000);
  afterAll(async () => {
    await Promise.all([node, indexer, ...(apis ?? [])].map((one) => one?.stop()));
    plans?.remove();
    await redis?.kill();
    await postgres?.remove();
  });

  /** Until both serve what the node has. */
  async function inStep(): Promise<void> {
    const height = await heightOf(node.client);
    for (const { client } of apis)
      await eventually(
        async () => (await ask(client, { path: `${chainRoot}/blocks/${height}` })).status,
        (status) => status === 200,
        recoveryLimit,
      );
  }

  const keyOf = async (plan: string): Promise<Key> => (await createKey(`--plan=${plan}`, `--database-url=${postgres.url}`, plans.flag)).key;

  /** Requests without a pause to all that serve, while something happens to what they stand on. */
  async function under(during: () => Promise<void>): Promise<Tally> {
    const blocks = itemsOf(await pagesOf([node.client], { path: `${chainRoot}/blocks?pageSize=100` }));
    // Whether the chain is being indexed, `/v1/chains` says: that changes with an outage, and should.
    const all = questions({ model: issuer.model, wallet: issuer.wallet, blocks }).filter(
      ({ clock, path }) => !clock && !path.startsWith('/v1/chains'),
    );
    const right = new Map<Question, string>();
    for (const question of all.filter((_, i) => i % 4 === outages % 4))
      right.set(question, textOf(await ask((apis[0] as Program).client, question)));
    outages++;
    const load = startLoad(apis, right, key);
    try {
      await during();
    } finally {
      load.stop();
    }
    return load.done;
  }

  /** Both checks of whoever serves, until they say so. */
  async function expectHealth(programs: readonly Program[], down: string | undefined, patience: number): Promise<void> {
    const paths = ['/v1/health-check', '/v1/live-check', '/v2/health-check'];
    await Promise.all(
      programs.flatMap(({ client }) =>
        paths.map(async (path) => {
          const told = await eventually(
            () => ask(client, { path }),
            ({ status }) => status === (down === undefined ? 200 : 503),
            patience,
          );
          // Whether limits are counted together is told beside it; see below.
          const { rateLimits: _, ...details } = told.json.details;
          const { rateLimits: __, ...info } = told.json.info;
          expect({ path, status: told.status, json: { ...told.json, info, details } }).toEqual({ path, ...healthBody(down) });
        }),
      ),
    );
  }

  /** Goes away, is missed, comes back, and all is well in time. */
  async function outage(name: 'database' | 'cache', programs: readonly Program[], end: () => Promise<void>, begin: () => Promise<void>) {
    return under(async () => {
      await Bun.sleep(200);
      await end();
      await expectHealth(programs, name, recoveryLimit);
      await Bun.sleep(500);
      await begin();
      const back = performance.now();
      await expectHealth(programs, undefined, recoveryLimit);
      for (const { client } of apis)
        await eventually(
          () => ask(client, { path: `${chainRoot}/transactions` }, key),
          ({ status }) => status === 200,
          recoveryLimit,
        );
      expect(performance.now() - back).toBeLessThan(recoveryLimit);
      await Bun.sleep(300);
    });
  }

  /** The index goes on by itself, too. */
  async function expectGoingOn(): Promise<void> {
    await issuer.issue(4);
    const since = performance.now();
    await inStep();
    expect(performance.now() - since).toBeLessThan(recoveryLimit);
  }

  const ways = {
    killed: [() => postgres.end('kill'), () => postgres.start()],
    stopped: [() => postgres.end('stop'), () => postgres.start()],
    'held still': [async () => postgres.freeze(), async () => postgres.thaw()],
  } as const;

  for (const [how, [end, begin]] of Object.entries(ways))
    test(
      `PostgreSQL is ${how}: right answers or 503, and well again in time`,
      async () => {
        for (let i = 0; i < rounds; i++) {
          const tally = await outage('database', apis, end, begin);
          expect(tally.wrong).toEqual([]);
          expect(tally.unavailable).toBeGreaterThan(0);
          expect(tally.right).toBeGreaterThan(0);
          await expectGoingOn();
        }
      },
      rounds * 60_000,
    );

  const cacheWays = {
    killed: [() => redis.kill(), () => redis.start()],
    stopped: [() => shutDown(redis), () => redis.start()],
    'held still': [async () => redis.pause(), async () => redis.resume()],
  } as const;

  for (const [how, [end, begin]] of Object.entries(cacheWays))
    test(
      `Redis is ${how}: every answer is right all the time, only health tells`,
      async () => {
        for (let i = 0; i < rounds; i++) {
          const tally = await outage('cache', [node, ...apis], end, begin);
          expect(tally.wrong).toEqual([]);
          expect(tally.unavailable).toBe(0);
          await expectGoingOn();
        }
      },
      rounds * 60_000,
    );

  test('without Redis, and with one that was restarted empty, all processes together admit no more than the limit', async () => {
    const tiny = await keyOf('tiny');
    const [one] = apis as [Program, Program];
    const total = async () => (await Promise.all(apis.map(({ client }) => admittedOf(client, tiny)))).reduce((sum, each) => sum + each, 0);
    let admitted = 0;
    for (let i = 0; i < 10; i++) if ((await ask(one.client, cheap, tiny)).status === 200) admitted++;
    expect(admitted).toBeGreaterThan(0);
    // Processes tell each other what they admitted several times a second.
    await Bun.sleep(500);
    await redis.kill();
    try {
      admitted += await total();
      expect(admitted).toBeLessThanOrEqual(perMinute);
      const { json } = await ask(one.client, { path: '/v1/health-check' });
      expect(json.details.rateLimits).toEqual({ status: 'up', message: expect.stringContaining('each of 3 processes') });
    } finally {
      await redis.start();
    }
    await expectHealth(apis, undefined, recoveryLimit);
    admitted += await total();
    expect(admitted).toBeLessThanOrEqual(perMinute);
    const { status, json } = await ask(one.client, { path: '/v1/health-check' });
    expect([status, json.info.rateLimits.status]).toEqual([200, 'up']);
  }, 30_000);

  test('none of them ever died, and none has grown much', () => {
    const grown = apis.map(({ pid }, i) => memoryOf(pid) - (before[i] as number));
    expect(Math.max(...grown)).toBeLessThan(growthLimit);
  });

  for (const what of ['api', 'node'] as const)
    test(`SIGTERM amid requests: ${what} answers what it has begun, says that it stops, then closes, and ends with 0`, async () => {
      const [program] = what === 'api' ? apis.splice(0, 1) : [node];
      const ending = hammerUntilGone(program as Program);
      await Bun.sleep(200);
      process.kill((program as Program).pid, 'SIGTERM');
      expect(await (program as Program).exited).toBe(0);
      const { whole, stopping, broken } = await ending;
      expect(broken).toEqual([]);
      expect(whole).toBeGreaterThan(0);
      expect(stopping).toBeGreaterThan(0);
    }, 30_000);

  test('SIGTERM ends the one that indexes with 0', async () => {
    expect(await indexer.stop()).toBe(0);
  });
});

const cheap: Question = { path: '/v1/chains/X' };

type Tally = { readonly right: number; readonly unavailable: number; readonly wrong: readonly string[] };

/** What an answer says, page tokens aside. */
const textOf = ({ status, json }: Told): string =>
  `${status} ${JSON.stringify(json, (name, value) => (name === 'nextPageToken' ? '' : value))}`;

/** Some callers who ask one thing after the other, half of them with a key. */
function startLoad(programs: readonly Program[], right: ReadonlyMap<Question, string>, key: Key) {
  const asked = [...right.keys()];
  const tally = { right: 0, unavailable: 0, wrong: [] as string[] };
  let stopped = false;
  const caller = async (number: number): Promise<void> => {
    const random = createRandom(seed + number);
    while (!stopped) {
      const question = random.pick(asked);
      const { client } = random.pick(programs);
      const told = await ask(client, question, number % 2 === 0 ? key : {}).catch((error: unknown) => `${error}`);
      if (typeof told === 'string') tally.wrong.push(`${question.path}: ${told}`);
      else if (textOf(told) === right.get(question)) tally.right++;
      else if (isUnavailable(told)) tally.unavailable++;
      else tally.wrong.push(`${question.path}: ${textOf(told)}`.slice(0, 500));
    }
  };
  const callers = Array.from({ length: 8 }, (_, i) => caller(i));
  return {
    stop: () => {
      stopped = true;
    },
    done: Promise.all(callers).then((): Tally => ({ ...tally, wrong: tally.wrong.slice(0, 5) })),
  };
}

/** As every error is written. */
const isUnavailable = ({ status, json }: Told): boolean =>
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

/** Many at once; how many were let in. */
async function admittedOf(client: Client, key: Key): Promise<number> {
  const told = await Promise.all(Array.from({ length: 3 * perMinute }, () => ask(client, cheap, key)));
  expect(told.filter(({ status }) => status !== 200 && status !== 429).map(textOf)).toEqual([]);
  return told.filter(({ status }) => status === 200).length;
}

/** Connections of their own, used until they are closed. `broken`: what was neither an answer nor an end. */
async function hammerUntilGone({ port }: Program): Promise<{ whole: number; stopping: number; broken: string[] }> {
  let [whole, stopping] = [0, 0];
  const broken: string[] = [];
  const caller = async (path: string): Promise<void> => {
    const client = createClient(port);
    try {
      for (;;) {
        const told = await ask(client, { path });
        if (told.status === 200) whole++;
        else if (told.status === 503 && told.json.status === 'shutting_down') stopping++;
        else broken.push(textOf(told));
      }
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      if (!['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code)) broken.push(`${path}: ${code} ${message}`);
    } finally {
      client.close();
    }
  };
  const paths = ['/v1/health-check', `${chainRoot}/transactions?pageSize=50`, `${chainRoot}/blocks`, '/v2/chains'];
  await Promise.all([...paths, ...paths].map(caller));
  return { whole, stopping, broken };
}

/** It says goodbye to its clients first. */
async function shutDown(redis: PrivateRedis): Promise<void> {
  const client = new Bun.RedisClient(redis.url, { autoReconnect: false });
  await client.send('SHUTDOWN', ['NOSAVE']).catch(() => {});
  client.close();
  await redis.kill();
}

/** Bytes that a process holds in memory. */
const memoryOf = (pid: number): number => 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
