/** How @avalanche-sdk/chainkit 0.3.13 handles error responses. */
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
import { expectError, onX, openChainkit, rawJson, readAllPages, txsOf } from './data-client.ts';
import { local } from './local-network.ts';
import { type Node, startNode } from './node.ts';
import { createSampleChain, fujiAddress, type SampleChain } from './sample-chain.ts';

const story = (name: string, run: () => Promise<void>) => test(`chainkit: ${name}`, run, 30_000);

let node: Node;
let sample: SampleChain;

beforeAll(async () => {
  node = await startNode();
  sample = await createSampleChain(node);
});
afterAll(() => node.close());

story('an error names all invalid parameters', async () => {
  const { data, at } = openChainkit(node.url);
  const { transactions, utxos, balances } = data.primaryNetwork;
  const bodyOf = async (call: Promise<unknown>) => (await expectError(BadRequestError, call)).data$;
  const many = await bodyOf(
    transactions.listLatest({ ...onX, addresses: 'X-nonsense', pageSize: 101, startTimestamp: -1, endTimestamp: 1e20 }, at),
  );
  expect(many).toMatchObject({ statusCode: 400, error: 'Bad Request' });
  const named = ['addresses', 'pageSize', 'startTimestamp', 'endTimestamp'];
  expect(many.message).toHaveLength(named.length);
  for (const name of named) expect(many.message).toContainEqual(expect.stringContaining(name));
  expect((await bodyOf(utxos.listByAddresses(onX, at))).message).toEqual([expect.stringContaining('addresses')]);
  expect(
    (await bodyOf(utxos.listByAddresses({ ...onX, addresses: fujiAddress(sample.bob), minUtxoAmount: -1, assetId: 'AVAX' }, at))).message,
  ).toHaveLength(2);
  expect((await bodyOf(balances.listByAddresses({ ...onX, addresses: `${fujiAddress(sample.bob)},fuji1qqqq` }, at))).message).toHaveLength(
    1,
  );
  const tooMany = { addresses: Array.from({ length: 1025 }, () => fujiAddress(sample.bob)).join(',') };
  const body = utxos.listByAddressesV2({ ...onX, primaryNetworkAddressesBodyDto: tooMany, pageSize: 1025 }, at);
  expect((await bodyOf(body)).message).toHaveLength(2);
});

story('page tokens: invalid ones and those of another list are rejected, unknown ones start from the first page', async () => {
  const { data, at } = openChainkit(node.url);
  const { transactions, blocks } = data.primaryNetwork;
  const request = { ...onX, addresses: fujiAddress(sample.frank), pageSize: 2 };
  const first = await transactions.listLatest(request, at);
  const pageToken = first['~next']!.cursor;
  await expectError(BadRequestError, transactions.listLatest({ ...request, pageToken: 'nonsense' }, at));
  await expectError(BadRequestError, transactions.listLatest({ ...request, addresses: fujiAddress(sample.bob), pageToken }, at));
  await expectError(BadRequestError, blocks.listLatest({ ...onX, pageToken }, at));
  const unknown = await transactions.listLatest({ ...request, pageToken: '00000000-0000-4000-8000-000000000000' }, at);
  expect(txsOf(unknown)).toEqual(txsOf(first));
  // A token can be used with another page size.
  const rest = await readAllPages(transactions.listLatest({ ...request, pageSize: 3, pageToken }, at), txsOf);
  expect([...txsOf(first), ...rest].map(({ txHash }) => txHash)).toEqual(sample.smallPayments.toReversed());
});

story('fuji is also called testnet; other networks are unknown', async () => {
  const { data, at, errors } = openChainkit(node.url, { network: 'testnet' });
  const { result } = await data.primaryNetwork.blocks.listLatest(onX, at);
  expect(result.chainInfo).toEqual({ chainName: 'x-chain', network: 'fuji' });
  await expectError(errors.missing, data.primaryNetwork.blocks.listLatest({ ...onX, network: 'mainnet' }, at));
});

story('keys: none, unknown, for other routes, over the limit, revoked', async () => {
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
    expect((await expectError(UnauthorizedError, anonymous.asset())).data$).toMatchObject({ statusCode: 401, error: 'Unauthorized' });
    expect((await anonymous.data.healthCheck(anonymous.at)).status).toBe('ok');
    expect((await anonymous.metrics.chains.get({ chainId: 'X' }, anonymous.at)).blockchainId).toBe(local.xBlockchainID);
    for (const wrong of ['mine', `serac_${'A'.repeat(43)}`]) await expectError(UnauthorizedError, open(wrong).asset());

    const narrow = open(blocksOnly.key);
    expect((await narrow.data.primaryNetwork.blocks.listLatest(onX, narrow.at)).result.blocks).not.toEqual([]);
    expect((await expectError(ForbiddenError, narrow.asset())).data$).toMatchObject({ statusCode: 403, error: 'Forbidden' });

    const short = open(tiny.key);
    for (let left = 2; left >= 0; left--) {
      expect((await short.asset()).symbol).toBe('AVAX');
      const headers = short.headers.at(-1)!;
      expect(headers.get('ratelimit-policy')).toBe('3;w=60, 1000;w=86400');
      expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['3', `${left}`]);
    }
    const over = await expectError(TooManyRequestsError, short.asset());
    expect(over.data$).toMatchObject({ statusCode: 429, error: 'Too Many Requests' });
    for (const name of ['ratelimit-reset', 'retry-after']) expect(over.headers.get(name)).toMatch(/^[1-9]\d*$/);
    expect(over.headers.get('ratelimit-remaining')).toBe('0');

    const mine = open(whole.key);
    expect((await mine.asset()).symbol).toBe('AVAX');
    await keys('revoke', whole.id, '--data-dir', directory);
    // A server caches keys for half a second.
    const deadline = Date.now() + 5_000;
    let why: unknown;
    do why = await mine.asset().catch((error) => error);
    while (!(why instanceof Error) && Date.now() < deadline);
    expect(why).toBeInstanceOf(UnauthorizedError);
  } finally {
    await program.stop();
    rmSync(directory, { recursive: true });
  }
});

story('a server that is shutting down reports it', async () => {
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
  await expectError(ServiceUnavailableError, metrics.healthCheck(at));
  expect(await stopped).toBe(0);
});

story('unknown routes have the same error body', async () => {
  const { data, at, errors } = openChainkit(node.url);
  await expectError(errors.missing, data.evm.blocks.listLatest({ chainId: '43114' }, at));
  await expectError(errors.missing, data.operations.getResult({ operationId: 'none' }, at));
  for (const wrong of ['/v1/nothing', '/v2/nothing', '/v1/networks/fuji/blockchains/x-chain/nothing'])
    expect(await rawJson<object>(node.url + wrong)).toEqual({ message: `Cannot GET ${wrong}`, error: 'Not Found', statusCode: 404 });
});

/** Runs `serac keys` and returns its JSON output. */
async function keys(...args: string[]): Promise<{ id: string; key: string }> {
  const { code, out, err } = await runProgram('keys', ...args, '--json');
  if (code !== 0) throw new Error(`serac keys: ${err}`);
  return JSON.parse(out);
}
