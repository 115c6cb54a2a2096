import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { OpenApiDocument } from '../src/api/rest/openapi.ts';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { idText } from '../src/base/bytes/id.ts';
import { runOnPostgres } from '../src/ledger/index/query-runner.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { createChainOracle, heightOf, randomListing } from './chain-oracle.ts';
import {
  chainRoot,
  type DataRequest,
  dataRequests,
  fetchPages,
  itemsOf,
  type Json,
  sendRequest,
  type TestedChain,
} from './data-requests.ts';
import { type Deployment, startDeployment, tinyPlanPerMinute } from './deployment.ts';
import { recordTime } from './figure.ts';
import type { Client } from './http.ts';
import { checkIndex } from './index-check/check-index.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { expectListingRead, type ListingRead, readListing } from './listing-reader.ts';
import { eventually } from './processes.ts';
import { type Indexer, type Program, runProgram, startProgram } from './program.ts';
import { createRandom } from './random.ts';
import { hasServers, suiteName } from './servers.ts';
import { localChainParams } from './wallet-kit.ts';

/** How often the writer process is killed. */
const takeovers = Number(process.env.SERAC_TAKEOVERS ?? 2);
/** Number of lists that are read while blocks arrive. */
const listings = Number(process.env.SERAC_LISTINGS ?? 15);
const seed = Number(process.env.SERAC_SEED ?? 5);

/** Milliseconds within which a standby process takes over from a killed writer. */
const takeoverLimit = 5_000;

const isWriting = ({ stderrText }: Indexer): boolean => stderrText().includes('indexing http');

/** Height of the last block in the index of a server. */
const indexHeight = async (client: Client): Promise<number> =>
  Number((await sendRequest(client, { path: `${chainRoot}/blocks?pageSize=1` })).json.blocks?.[0]?.blockNumber ?? -1);

/** A cheap request that rate limits count. */
const cheap: DataRequest = { path: '/v1/chains/X' };

/** Waits until all servers have indexed the node's last block. */
async function waitForIndex(node: Client, apis: readonly Program[], timeout = 30_000): Promise<void> {
  const height = await heightOf(node);
  for (const { client } of apis)
    expect(
      await eventually(
        () => indexHeight(client),
        (one) => one >= height,
        timeout,
      ),
    ).toBe(height);
}

/** Issues random transactions of every type, several per block. */
async function grow(issuer: Issuer, rounds: number, { deposits = true } = {}): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    if (deposits) await issuer.deposit();
    await issuer.issue(8);
  }
}

async function chainOf(client: Client, { model, wallet }: Issuer): Promise<TestedChain> {
  return { model, wallet, blocks: itemsOf(await fetchPages([client], { path: `${chainRoot}/blocks?pageSize=100` })) };
}

/**
 * Removes what may differ: the node's URL, the builder of a block and the exports behind imports (both unknown to a follower, which marks them), and
 * page tokens.
 */
function comparable(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (name, value) => {
    if (['proposerDetails', 'rpcUrl', 'isIncomplete', 'mayBeImported'].includes(name)) return undefined;
    if (value?.utxoId !== undefined && value.createdOnChainId !== idText(localChainParams.blockchainID)) return { ...value, utxoBytes: '' };
    return name === 'nextPageToken' ? 'a token' : value;
  });
}

/** Sends the same request to all servers at once and compares. Responses that contain the current time may need a retry. */
async function expectSame(clients: readonly Client[], question: DataRequest): Promise<void> {
  const askAll = async () => {
    const all = await Promise.all(clients.map((client) => sendRequest(client, question)));
    return all.map(({ status, json }) => ({ path: question.path, status, json: comparable(json) }));
  };
  const areEqual = (all: readonly unknown[]) => new Set(all.map((each) => JSON.stringify(each))).size === 1;
  const [first, ...others] = question.dependsOnClock ? await eventually(askAll, areEqual) : await askAll();
  for (const other of others) expect(other).toEqual(first as typeof other);
}

async function expectAllSame(clients: readonly Client[], chain: TestedChain): Promise<void> {
  const open = dataRequests(chain);
  const asker = async () => {
    for (let next = open.pop(); next !== undefined; next = open.pop()) await expectSame(clients, next);
  };
  await Promise.all(Array.from({ length: 8 }, asker));
}

async function expectValidIndex(database: string): Promise<void> {
  const sql = openPostgres({ url: database, statementMilliseconds: 30_000 });
  const { blockchainID: id, feeAsset } = localChainParams;
  expect(await runOnPostgres(sql, checkIndex([{ number: 1, id, feeAsset, completeFrom: 0 }], 'postgres'))).toEqual([]);
  await sql.close();
}

describe.skipIf(!hasServers)(suiteName('at scale', hasServers), () => {
  let node: Program;
  let issuer: Issuer;
  let all: Deployment;
  const clients = () => all.apis.map(({ client }) => client);

  beforeAll(async () => {
    node = await startProgram();
    issuer = createIssuer({ seed, client: node.client });
    all = await startDeployment('serac_scale', node.url);
    await issuer.fund();
    await grow(issuer, 8);
  });
  afterAll(async () => {
    const codes = await all?.close();
    await node?.stop();
    expect(codes).toEqual([0, 0, 0, 0]);
  });

  test('one of the two indexers writes, the other waits', async () => {
    await waitForIndex(node.client, all.apis);
    expect(all.indexers.map(isWriting).sort()).toEqual([false, true]);
    expect(all.indexers.find((one) => !isWriting(one))?.stderrText()).toContain('waiting to take over');
  });

  test('every request has the same response on both servers and on the node itself', async () => {
    await waitForIndex(node.client, all.apis);
    await expectAllSame([node.client, ...clients()], await chainOf(node.client, issuer));
  });

  test("responses contain the node's URL, but not its user name and password", async () => {
    for (const client of clients()) expect((await sendRequest(client, cheap)).json.rpcUrl).toBe(`${node.url}/ext/bc/X`);
    expect(all.indexers.map(({ stderrText }) => stderrText()).join()).not.toContain('secret');
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
    expect((await sendRequest(api.client, cheap)).status).toBe(200);
    await api.stop();
    await sql.close();
  });

  test('a server with another --data-network-name does not share cached responses with the others', async () => {
    const fuji = await all.startApi('--data-network-name=fuji');
    const question = { path: `${chainRoot}/blocks?pageSize=1` };
    // All with the same Host header, as behind a load balancer.
    const nameOn = async (client: Client) => (await sendRequest(client, question, { host: 'localhost' })).json.chainInfo.network;
    const [one, other] = clients() as [Client, Client];
    expect([await nameOn(one), await nameOn(fuji.client), await nameOn(other)]).toEqual(['local', 'fuji', 'local']);
    await fuji.stop();
  });

  test('the compared requests cover every route except health, explorer, webhooks, blocks by node and the event stream', async () => {
    const { paths } = (await sendRequest(node.client, { path: '/api-json' })).json as OpenApiDocument;
    const comparedRequests = dataRequests(await chainOf(node.client, issuer)).map(
      ({ path, body }) => [path, body === undefined ? 'get' : 'post'] as const,
    );
    const missing = Object.entries(paths).flatMap(([path, methods]) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);
      const rows = Object.entries(methods).filter(([, { tags }]) => !/Health|Not served|Explorer|Webhook/i.test(tags.join()));
      const open = rows.filter(([method]) => !comparedRequests.some(([target, used]) => used === method && pattern.test(target)));
      return open.map(([, { operationId }]) => operationId);
    });
    expect(missing).toEqual(['listPrimaryNetworkBlocksByNodeId', 'subscribeToEvents', 'getEventPosition']);
  });

  test(
    'lists read page by page from both servers while blocks arrive have each item of their height once, in order',
    async () => {
      const chain = createChainOracle(node.client);
      await waitForIndex(node.client, all.apis);
      const assets = [...issuer.model.assets.keys()];
      let reading = true;
      const growing = (async () => {
        while (reading) {
          await issuer.issue(2);
          await Bun.sleep(50);
        }
      })();
      const random = createRandom(seed);
      const reads: ListingRead[] = [];
      const reader = async (): Promise<void> => {
        while (reads.length < listings) {
          const [first, ...others] = random.pick([clients(), clients().reverse()]) as [Client, ...Client[]];
          const source = { height: () => indexHeight(first), node: node.client };
          reads.push(await readListing([first, ...others], randomListing(random, issuer.wallet, assets), 20 + random.below(30), source));
        }
      };
      try {
        await Promise.all([reader(), reader(), reader()]);
      } finally {
        reading = false;
        await growing;
      }
      await chain.readNewBlocks(issuer.deposited);
      for (const read of reads) expectListingRead(chain, read);
      expect(reads.some(({ items }) => items.length > 50)).toBe(true);
    },
    60_000 + listings * 2_000,
  );

  describe('keys and rate limits', () => {
    test('both servers count together, exactly', async () => {
      const { header } = await all.createKey('--plan=tiny');
      const responses = await Promise.all(
        Array.from({ length: 3 * tinyPlanPerMinute }, (_, i) => sendRequest(clients()[i % 2] as Client, cheap, header)),
      );
      const admitted = responses.filter(({ status }) => status === 200);
      expect(responses.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
      const left = admitted.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => b - a);
      expect(left).toEqual(Array.from({ length: tinyPlanPerMinute }, (_, i) => tinyPlanPerMinute - 1 - i));
    });

    test('windows use the clock of Redis, which is the same for all processes', async () => {
      const { header, id } = await all.createKey('--plan=tiny');
      await sendRequest(clients()[0] as Client, cheap, header);
      const redis = new Bun.RedisClient(all.cache);
      const [[seconds], at] = await Promise.all([
        redis.send('TIME', []) as Promise<[string, string]>,
        redis.send('HGET', [`serac:limit:data:key:${id}`, 'at']) as Promise<string>,
      ]);
      redis.close();
      expect(Math.abs(Number(seconds) - Number(at) / 1000)).toBeLessThan(60);
    });

    test('a new key works at once; a revoked key is rejected soon, on both servers', async () => {
      const { header, id } = await all.createKey();
      for (const client of clients()) expect((await sendRequest(client, cheap, header)).status).toBe(200);
      await runProgram('keys', 'revoke', id, `--database-url=${all.database}`);
      const revoked = performance.now();
      for (const client of clients())
        await eventually(
          () => sendRequest(client, cheap, header),
          ({ status }) => status === 401,
        );
      recordTime('a revoked key is rejected by all servers', revoked, 1000);
    });
  });

  test(`the writer is killed ${takeovers} times under load: the other takes over, and no row is lost or duplicated`, async () => {
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
          60_000,
        );
        recordTime('another indexer takes over', killed, takeoverLimit);
        all.indexers[writer] = all.startIndexer();
      }
    } finally {
      working = false;
      await load;
    }
    await waitForIndex(node.client, all.apis);
    await expectValidIndex(all.database);
    const lists = ['blocks?pageSize=100', 'transactions?pageSize=100'].map((list) => ({ path: `${chainRoot}/${list}` }));
    for (const list of lists) {
      const [ours, theirs] = await Promise.all([clients()[1] as Client, node.client].map((client) => fetchPages([client], list)));
      expect(comparable(itemsOf(ours as Json[]))).toEqual(comparable(itemsOf(theirs as Json[])));
    }
  });
});

const avalancheGoBinary = process.env.AVALANCHEGO;

describe.skipIf(avalancheGoBinary === undefined || !hasServers)(
  avalancheGoBinary === undefined
    ? 'at scale, over AvalancheGo (skipped: AVALANCHEGO does not name a binary)'
    : suiteName('at scale, over AvalancheGo', hasServers),
  () => {
    test('every request has the same response on both servers and on a single following node', async () => {
      const node = await startAvalancheGo(avalancheGoBinary as string);
      const follower = await startProgram('follow', node.url, '--workers=0');
      const all = await startDeployment('serac_scale_peer', node.url);
      try {
        const issuer = createIssuer({ seed, client: node.client });
        await issuer.fund();
        await grow(issuer, 8, { deposits: false });
        await waitForIndex(node.client, [follower, ...all.apis]);
        await expectAllSame(
          [follower, ...all.apis].map(({ client }) => client),
          await chainOf(follower.client, issuer),
        );
        await expectValidIndex(all.database);
      } finally {
        await all.close();
        await follower.stop();
        await node.stop();
      }
    });
  },
);
