/** What @avalanche-sdk/chainkit 0.3.13 makes of answers other than 200. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HTTPClient } from '@avalanche-sdk/chainkit/lib/http.js';
import {
  BadRequestError,
  ForbiddenError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
} from '@avalanche-sdk/chainkit/models/errors';
import { runProgram, startProgram } from '../../program.ts';
import { failure, onX, openChainkit, rawJson, txsOf, walk } from './data-client.ts';
import { bare, makeWorld, type World } from './data-world.ts';
import { local } from './local-network.ts';
import { type Node, startNode } from './node.ts';

const story = (name: string, tell: () => Promise<void>) => test(`chainkit: ${name}`, tell, 30_000);

let node: Node;
let world: World;

beforeAll(async () => {
  node = await startNode();
  world = await makeWorld(node);
});
afterAll(() => node.close());

story('every bad parameter is named at once', async () => {
  const { data, at } = openChainkit(node.url);
  const { transactions, utxos, balances } = data.primaryNetwork;
  const told = async (call: Promise<unknown>) => (await failure(BadRequestError, call)).data$;
  const many = await told(
    transactions.listLatest({ ...onX, addresses: 'X-nonsense', pageSize: 101, startTimestamp: -1, endTimestamp: 1e20 }, at),
  );
  expect(many).toMatchObject({ statusCode: 400, error: 'Bad Request' });
  const named = ['addresses', 'pageSize', 'startTimestamp', 'endTimestamp'];
  expect(many.message).toHaveLength(named.length);
  for (const name of named) expect(many.message).toContainEqual(expect.stringContaining(name));
  expect((await told(utxos.listByAddresses(onX, at))).message).toEqual([expect.stringContaining('addresses')]);
  expect(
    (await told(utxos.listByAddresses({ ...onX, addresses: bare(world.bob), minUtxoAmount: -1, assetId: 'AVAX' }, at))).message,
  ).toHaveLength(2);
  expect((await told(balances.listByAddresses({ ...onX, addresses: `${bare(world.bob)},fuji1qqqq` }, at))).message).toHaveLength(1);
  const tooMany = { addresses: Array.from({ length: 1025 }, () => bare(world.bob)).join(',') };
  const body = utxos.listByAddressesV2({ ...onX, primaryNetworkAddressesBodyDto: tooMany, pageSize: 1025 }, at);
  expect((await told(body)).message).toHaveLength(2);
});

story('page tokens: nonsense and those of another list are refused, forgotten ones begin anew', async () => {
  const { data, at } = openChainkit(node.url);
  const { transactions, blocks } = data.primaryNetwork;
  const asked = { ...onX, addresses: bare(world.frank), pageSize: 2 };
  const first = await transactions.listLatest(asked, at);
  const pageToken = first['~next']!.cursor;
  await failure(BadRequestError, transactions.listLatest({ ...asked, pageToken: 'nonsense' }, at));
  await failure(BadRequestError, transactions.listLatest({ ...asked, addresses: bare(world.bob), pageToken }, at));
  await failure(BadRequestError, blocks.listLatest({ ...onX, pageToken }, at));
  const forgotten = await transactions.listLatest({ ...asked, pageToken: '00000000-0000-4000-8000-000000000000' }, at);
  expect(txsOf(forgotten)).toEqual(txsOf(first));
  // Another size of page may go on where the last one ended.
  const rest = await walk(transactions.listLatest({ ...asked, pageSize: 3, pageToken }, at), txsOf);
  expect([...txsOf(first), ...rest].map(({ txHash }) => txHash)).toEqual(world.coinage.toReversed());
});

story('fuji is called testnet as well, and no other network is here', async () => {
  const { data, at, errors } = openChainkit(node.url, { network: 'testnet' });
  const { result } = await data.primaryNetwork.blocks.listLatest(onX, at);
  expect(result.chainInfo).toEqual({ chainName: 'x-chain', network: 'fuji' });
  await failure(errors.missing, data.primaryNetwork.blocks.listLatest({ ...onX, network: 'mainnet' }, at));
});

story('keys: none, unknown, for other routes, used up, revoked', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'serac-keys-'));
  const plans = path.join(directory, 'plans.json');
  writeFileSync(plans, JSON.stringify({ data: { tiny: { perMinute: 3, perDay: 1000 } } }));
  const create = async (...flags: string[]) => keys('create', '--data-dir', directory, '--rate-limit-plans', plans, ...flags);
  const [whole, tiny, blocksOnly] = [
    await create('--name', 'whole'),
    await create('--name', 'tiny', '--plan', 'tiny'),
    await create('--name', 'blocks', '--routes', 'listLatestPrimaryNetworkBlocks'),
  ];
  const program = await startProgram('--data-dir', directory, '--require-api-key', '--rate-limits=on', '--rate-limit-plans', plans);
  try {
    const open = (apiKey?: string) => {
      const headers: Headers[] = [];
      const httpClient = new HTTPClient().addHook('response', (response) => void headers.push(response.headers));
      const client = openChainkit(program.url, { httpClient, ...(apiKey !== undefined && { apiKey }) });
      return {
        ...client,
        headers,
        asset: () => client.data.primaryNetwork.getAssetDetails({ ...onX, assetId: local.avaxAssetID }, client.at),
      };
    };

    const anonymous = open();
    expect((await failure(UnauthorizedError, anonymous.asset())).data$).toMatchObject({ statusCode: 401, error: 'Unauthorized' });
    expect((await anonymous.data.healthCheck(anonymous.at)).status).toBe('ok');
    expect((await anonymous.metrics.chains.get({ chainId: 'X' }, anonymous.at)).blockchainId).toBe(local.xBlockchainID);
    for (const wrong of ['mine', `serac_${'A'.repeat(43)}`]) await failure(UnauthorizedError, open(wrong).asset());

    const narrow = open(blocksOnly.key);
    expect((await narrow.data.primaryNetwork.blocks.listLatest(onX, narrow.at)).result.blocks).not.toEqual([]);
    expect((await failure(ForbiddenError, narrow.asset())).data$).toMatchObject({ statusCode: 403, error: 'Forbidden' });

    const short = open(tiny.key);
    for (let left = 2; left >= 0; left--) {
      expect((await short.asset()).symbol).toBe('AVAX');
      const told = short.headers.at(-1)!;
      expect(told.get('ratelimit-policy')).toBe('3;w=60, 1000;w=86400');
      expect([told.get('ratelimit-limit'), told.get('ratelimit-remaining')]).toEqual(['3', `${left}`]);
    }
    const over = await failure(TooManyRequestsError, short.asset());
    expect(over.data$).toMatchObject({ statusCode: 429, error: 'Too Many Requests' });
    for (const name of ['ratelimit-reset', 'retry-after']) expect(over.headers.get(name)).toMatch(/^[1-9]\d*$/);
    expect(over.headers.get('ratelimit-remaining')).toBe('0');

    const mine = open(whole.key);
    expect((await mine.asset()).symbol).toBe('AVAX');
    await keys('revoke', whole.id, '--data-dir', directory);
    // For half a second a server may believe what it knew of a key.
    const believedUntil = Date.now() + 5_000;
    let why: unknown;
    do why = await mine.asset().catch((error) => error);
    while (!(why instanceof Error) && Date.now() < believedUntil);
    expect(why).toBeInstanceOf(UnauthorizedError);
  } finally {
    await program.stop();
    rmSync(directory, { recursive: true });
  }
});

story('a server that is going down says so', async () => {
  const program = await startProgram('--http-shutdown-wait=2s');
  const { data, metrics, at } = openChainkit(program.url);
  expect((await data.healthCheck(at)).status).toBe('ok');
  const stopped = program.stop();
  let why: unknown;
  do why = await data.healthCheck(at).catch((error) => error);
  while (!(why instanceof Error));
  if (!(why instanceof ServiceUnavailableError)) throw why;
  expect(why.data$).toMatchObject({ statusCode: 503, error: 'Service Unavailable', message: expect.any(String) });
  expect(JSON.parse(why.body)).toMatchObject({ status: 'shutting_down', details: { database: { status: 'up' }, cache: { status: 'up' } } });
  await failure(ServiceUnavailableError, metrics.healthCheck(at));
  expect(await stopped).toBe(0);
});

story('what is not served is refused in the same words', async () => {
  const { data, at, errors } = openChainkit(node.url);
  await failure(errors.missing, data.evm.blocks.listLatest({ chainId: '43114' }, at));
  await failure(errors.missing, data.operations.getResult({ operationId: 'none' }, at));
  for (const wrong of ['/v1/nothing', '/v2/nothing', '/v1/networks/fuji/blockchains/x-chain/nothing'])
    expect(await rawJson<object>(node.url + wrong)).toEqual({ message: `Cannot GET ${wrong}`, error: 'Not Found', statusCode: 404 });
});

/** `serac keys`, answered as JSON. */
async function keys(...words: string[]): Promise<{ id: string; key: string }> {
  const { code, out, err } = await runProgram('keys', ...words, '--json');
  if (code !== 0) throw new Error(`serac keys: ${err}`);
  return JSON.parse(out);
}
