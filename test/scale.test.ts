import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Document } from '../src/api/openapi.ts';
import { runSteps } from '../src/index/steps.ts';
import { checkIndex } from '../src/index-check/check-index.ts';
import { openPostgres } from '../src/platform/postgres-bun.ts';
import { type Arrangement, arrange, tinyMinute } from './arrangement.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { createChainOracle, heightOf, someListing } from './chain-oracle.ts';
import { type AskedChain, ask, chainRoot, itemsOf, type Json, pagesOf, type Question, questions } from './data-questions.ts';
import type { Client } from './http.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { expectRead, type Read, readListing } from './listing-reader.ts';
import { eventually } from './processes.ts';
import { type Indexer, type Program, runProgram, startProgram } from './program.ts';
import { createRandom } from './random.ts';
import { hasServers, withServers } from './servers.ts';
import { localTerms } from './wallet-kit.ts';

/** How often the process that writes is killed. */
const takeovers = Number(process.env.SERAC_TAKEOVERS ?? 2);
/** Lists that are read while blocks arrive. */
const listings = Number(process.env.SERAC_LISTINGS ?? 15);
const seed = Number(process.env.SERAC_SEED ?? 5);

/** Milliseconds within which a waiting process has taken over from one that died. */
const takeoverLimit = 5_000;

const isWriting = ({ said }: Indexer): boolean => said().includes('indexing http');

/** Of the last block in the index that a server answers from. */
const indexHeight = async (client: Client): Promise<number> =>
  Number((await ask(client, { path: `${chainRoot}/blocks?pageSize=1` })).json.blocks?.[0]?.blockNumber ?? -1);

/** Any request that counts. */
const cheap: Question = { path: '/v1/chains/X' };

/** Until whoever serves the index is where the node is. */
async function inStep(node: Client, apis: readonly Program[], patience = 30_000): Promise<void> {
  const height = await heightOf(node);
  for (const { client } of apis)
    expect(
      await eventually(
        () => indexHeight(client),
        (one) => one >= height,
        patience,
      ),
    ).toBe(height);
}

/** Random transactions of every kind, several to a block. */
async function grow(issuer: Issuer, rounds: number, { deposits = true } = {}): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    if (deposits) await issuer.deposit();
    await issuer.issue(8);
  }
}

async function chainOf(client: Client, { model, wallet }: Issuer): Promise<AskedChain> {
  return { model, wallet, blocks: itemsOf(await pagesOf([client], { path: `${chainRoot}/blocks?pageSize=100` })) };
}

/** What may differ: where the node answers, who built a block (a follower does not know), and what a page token looks like. */
function comparable(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (name, value) => {
    if (name === 'proposerDetails' || name === 'rpcUrl') return undefined;
    return name === 'nextPageToken' ? 'a token' : value;
  });
}

/** The same question to all of them at once. Where the clock is in the answer, they may have looked at it in different seconds. */
async function expectSame(clients: readonly Client[], question: Question): Promise<void> {
  const told = async () => {
    const all = await Promise.all(clients.map((client) => ask(client, question)));
    return all.map(({ status, json }) => ({ path: question.path, status, json: comparable(json) }));
  };
  const isOne = (all: readonly unknown[]) => new Set(all.map((each) => JSON.stringify(each))).size === 1;
  const [first, ...others] = question.clock ? await eventually(told, isOne) : await told();
  for (const other of others) expect(other).toEqual(first as typeof other);
}

async function expectAllSame(clients: readonly Client[], chain: AskedChain): Promise<void> {
  const open = questions(chain);
  const asker = async () => {
    for (let next = open.pop(); next !== undefined; next = open.pop()) await expectSame(clients, next);
  };
  await Promise.all(Array.from({ length: 8 }, asker));
}

async function expectSoundIndex(database: string): Promise<void> {
  const sql = openPostgres({ url: database, statementMilliseconds: 30_000 });
  const { blockchainID: id, feeAsset } = localTerms;
  expect(await runSteps(sql, checkIndex([{ number: 1, id, feeAsset, completeFrom: 0 }], 'postgres'))).toEqual([]);
  await sql.close();
}

describe.skipIf(!hasServers)(withServers('at scale', hasServers), () => {
  let node: Program;
  let issuer: Issuer;
  let all: Arrangement;
  const clients = () => all.apis.map(({ client }) => client);

  beforeAll(async () => {
    node = await startProgram();
    issuer = createIssuer({ seed, client: node.client });
    all = await arrange('serac_scale', node.url);
    await issuer.fund();
    await grow(issuer, 8);
  }, 60_000);
  afterAll(async () => {
    const codes = await all?.close();
    await node?.stop();
    expect(codes).toEqual([0, 0, 0, 0]);
  });

  test('one of the two writes, the other waits', async () => {
    await inStep(node.client, all.apis);
    expect(all.indexers.map(isWriting).sort()).toEqual([false, true]);
    expect(all.indexers.find((one) => !isWriting(one))?.said()).toContain('waiting to take over');
  });

  test('every question has the same answer on both servers and on the node itself', async () => {
    await inStep(node.client, all.apis);
    await expectAllSame([node.client, ...clients()], await chainOf(node.client, issuer));
  }, 60_000);

  test('where the node answers is told, but not with which name and password', async () => {
    for (const client of clients()) expect((await ask(client, cheap)).json.rpcUrl).toBe(`${node.url}/ext/bc/X`);
    expect(all.indexers.map(({ said }) => said()).join()).not.toContain('secret');
  });

  test('a server of this version waits until an older index is migrated', async () => {
    const sql = openPostgres({ url: all.database });
    const version = async (change: number) =>
      void (await sql.all(`UPDATE meta SET value = value + ? WHERE name = 'index of chain 1'`, [change]));
    await version(-1);
    let isReady = false;
    const starting = all.startApi().finally(() => {
      isReady = true;
    });
    await Bun.sleep(2_000);
    expect(isReady).toBe(false);
    await version(1);
    const api = await starting;
    expect((await ask(api.client, cheap)).status).toBe(200);
    await api.stop();
    await sql.close();
  }, 30_000);

  test('a server that calls the network by another name does not mix up answers with the others', async () => {
    const fuji = await all.startApi('--data-network-name=fuji');
    const question = { path: `${chainRoot}/blocks?pageSize=1` };
    // As if all of them stood behind one host.
    const nameOn = async (client: Client) => (await ask(client, question, { host: 'localhost' })).json.chainInfo.network;
    const [one, other] = clients() as [Client, Client];
    expect([await nameOn(one), await nameOn(fuji.client), await nameOn(other)]).toEqual(['local', 'fuji', 'local']);
    await fuji.stop();
  });

  test('the questions are about every route there is, but for health and who built a block', async () => {
    const { paths } = (await ask(node.client, { path: '/api-json' })).json as Document;
    const asked = questions(await chainOf(node.client, issuer)).map(
      ({ path, body }) => [path, body === undefined ? 'get' : 'post'] as const,
    );
    const missing = Object.entries(paths).flatMap(([path, methods]) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);
      const rows = Object.entries(methods).filter(([, { tags }]) => !/Health|Not served/.test(tags.join()));
      const open = rows.filter(([method]) => !asked.some(([target, used]) => used === method && pattern.test(target)));
      return open.map(([, { operationId }]) => operationId);
    });
    expect(missing).toEqual(['listPrimaryNetworkBlocksByNodeId']);
  });

  test(
    'lists are read page by page from both in turn while blocks arrive: each item of their height once, in order',
    async () => {
      const chain = createChainOracle(node.client);
      await inStep(node.client, all.apis);
      const assets = [...issuer.model.assets.keys()];
      let reading = true;
      const growing = (async () => {
        while (reading) {
          await issuer.issue(2);
          await Bun.sleep(50);
        }
      })();
      const random = createRandom(seed);
      const reads: Read[] = [];
      const reader = async (): Promise<void> => {
        while (reads.length < listings) {
          const [first, ...others] = random.pick([clients(), clients().reverse()]) as [Client, ...Client[]];
          const place = { height: () => indexHeight(first), node: node.client };
          reads.push(await readListing([first, ...others], someListing(random, issuer.wallet, assets), 20 + random.below(30), place));
        }
      };
      try {
        await Promise.all([reader(), reader(), reader()]);
      } finally {
        reading = false;
        await growing;
      }
      await chain.readOn(issuer.deposited);
      for (const read of reads) expectRead(chain, read);
      expect(reads.some(({ items }) => items.length > 50)).toBe(true);
    },
    60_000 + listings * 2_000,
  );

  describe('keys and rate limits', () => {
    test('a limit is counted by both together, to the last request', async () => {
      const { key } = await all.createKey('--plan=tiny');
      const told = await Promise.all(Array.from({ length: 3 * tinyMinute }, (_, i) => ask(clients()[i % 2] as Client, cheap, key)));
      const admitted = told.filter(({ status }) => status === 200);
      expect(told.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
      const left = admitted.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => b - a);
      expect(left).toEqual(Array.from({ length: tinyMinute }, (_, i) => tinyMinute - 1 - i));
    });

    test('counts go by the clock of Redis, which is the same for all: also for a process that has just begun', async () => {
      const { key, id } = await all.createKey('--plan=tiny');
      await ask(clients()[0] as Client, cheap, key);
      const redis = new Bun.RedisClient(all.cache);
      const [[seconds], at] = await Promise.all([
        redis.send('TIME', []) as Promise<[string, string]>,
        redis.send('HGET', [`serac:limit:data:key:${id}`, 'at']) as Promise<string>,
      ]);
      redis.close();
      expect(Math.abs(Number(seconds) - Number(at) / 1000)).toBeLessThan(60);
    });

    test('a new key works at once; a revoked one stops within a second, on both', async () => {
      const { key, id } = await all.createKey();
      for (const client of clients()) expect((await ask(client, cheap, key)).status).toBe(200);
      await runProgram('keys', 'revoke', id, `--database-url=${all.database}`);
      await Bun.sleep(1_000);
      for (const client of clients()) expect((await ask(client, cheap, key)).status).toBe(401);
    });
  });

  test(`the one that writes is killed ${takeovers} times under load: the other takes over, nothing is lost and nothing doubled`, async () => {
    let working = true;
    const load = (async () => {
      while (working) await issuer.issue(6);
    })();
    try {
      for (let i = 0; i < takeovers; i++) {
        await Bun.sleep(issuer.random.below(600));
        const writer = all.indexers.findIndex(isWriting);
        expect(writer).toBeGreaterThanOrEqual(0);
        await all.indexers[writer]?.stop('SIGKILL');
        const killed = performance.now();
        const height = await indexHeight(clients()[0] as Client);
        await eventually(
          () => indexHeight(clients()[0] as Client),
          (one) => one > height,
          2 * takeoverLimit,
        );
        expect(performance.now() - killed).toBeLessThan(takeoverLimit);
        all.indexers[writer] = all.startIndex();
      }
    } finally {
      working = false;
      await load;
    }
    await inStep(node.client, all.apis);
    await expectSoundIndex(all.database);
    const lists = ['blocks?pageSize=100', 'transactions?pageSize=100'].map((list) => ({ path: `${chainRoot}/${list}` }));
    for (const list of lists) {
      const [ours, theirs] = await Promise.all([clients()[1] as Client, node.client].map((client) => pagesOf([client], list)));
      expect(comparable(itemsOf(ours as Json[]))).toEqual(comparable(itemsOf(theirs as Json[])));
    }
  }, 60_000);
});

const peer = process.env.AVALANCHEGO;

describe.skipIf(peer === undefined || !hasServers)(
  peer === undefined
    ? 'at scale, over AvalancheGo (left out: AVALANCHEGO names no binary)'
    : withServers('at scale, over AvalancheGo', hasServers),
  () => {
    test('every question has the same answer on both servers and on a node that follows by itself', async () => {
      const node = await startAvalancheGo(peer as string);
      const alone = await startProgram('follow', node.url, '--workers=0');
      const all = await arrange('serac_scale_peer', node.url);
      try {
        const issuer = createIssuer({ seed, client: node.client });
        await issuer.fund();
        await grow(issuer, 8, { deposits: false });
        await inStep(node.client, [alone, ...all.apis]);
        await expectAllSame(
          [alone, ...all.apis].map(({ client }) => client),
          await chainOf(alone.client, issuer),
        );
        await expectSoundIndex(all.database);
      } finally {
        await all.close();
        await alone.stop();
        await node.stop();
      }
    }, 180_000);
  },
);
