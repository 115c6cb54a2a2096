import { describe, expect, test } from 'bun:test';
import { formatHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import { buildOpenApi } from '../rest/openapi.ts';
import { bindRoutes } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import {
  type AnyJson,
  addressText,
  createDataApiClient,
  errorReader,
  jsonReader,
  networkPath,
  readAllPages,
  xChainPath,
} from './data-requests.fixture.ts';
import { dataRoutes, pChainRoutes } from './routes.ts';
import { builder, cChain, chainID, pChain, people, sampleChain, sampleServed, sampleServedChain, txs } from './sample-chain.fixture.ts';
import { createScanningReads } from './scanning-reads.fixture.ts';

const ask = createDataApiClient(sampleServed());
const get = jsonReader(ask);
const refused = errorReader(ask);
const alice = addressText(people.alice);
const avaxID = idText(txs.avax.id);

describe('chains', () => {
  const entry = {
    chainId: idText(chainID),
    status: 'OK',
    chainName: 'X-Chain',
    platformChainId: idText(chainID),
    vmId: 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq',
    vmName: 'AVM',
    rpcUrl: 'http://here/ext/bc/X',
    isTestnet: true,
    networkToken: { name: 'Avalanche', symbol: 'AVAX', decimals: 9 },
  };

  test('lists all, filtered by network and feature', async () => {
    expect((await get('/v1/chains')).chains).toMatchObject([entry]);
    expect((await get('/v1/chains?network=local')).chains).toHaveLength(1);
    for (const filter of ['network=mainnet', 'network=fuji', 'feature=webhooks', 'network=local&feature=nftIndexing'])
      expect(await get(`/v1/chains?${filter}`)).toEqual({ chains: [] });
    expect(await refused('/v1/chains?network=moon&feature=x')).toMatchObject({ status: 400 });
    expect((await refused('/v1/chains?network=moon')).message).toEqual([expect.stringContaining('mainnet, fuji, testnet, local, 12345')]);
  });

  test('lists them in pages', async () => {
    const reads = createScanningReads(sampleChain());
    const chains = ['X', 'Y', 'Z'].map((title) => sampleServedChain(reads, { title })) as [ServedChain, ...ServedChain[]];
    const getPage = jsonReader(createDataApiClient(sampleServed(chains[0], { chains })));
    const titles: string[][] = [];
    for (let token: string | undefined = ''; token !== undefined; ) {
      const page: AnyJson = await getPage(`/v1/chains?pageSize=2${token === '' ? '' : `&pageToken=${token}`}`);
      titles.push(page.chains.map(({ chainName }: AnyJson) => chainName));
      token = page.nextPageToken;
    }
    expect(titles).toEqual([['X', 'Y'], ['Z']]);
    expect(await getPage('/v1/chains')).not.toHaveProperty('nextPageToken');
  });

  test('returns one by any of its names', async () => {
    for (const name of ['X', 'x-chain', idText(chainID)]) expect(await get(`/v1/chains/${name}`)).toMatchObject(entry);
    expect(await refused('/v1/chains/43114')).toEqual({
      status: 404,
      message: 'Unknown blockchain "43114". This server serves chains of the AVM: x-chain',
    });
  });

  test('a followed chain whose node does not respond is UNAVAILABLE', async () => {
    const chain = sampleServedChain(createScanningReads(sampleChain()), { rpcUrl: 'http://there/ext/bc/X', status: () => 'UNAVAILABLE' });
    expect(await jsonReader(createDataApiClient(sampleServed(chain)))('/v1/chains/X')).toMatchObject({
      rpcUrl: 'http://there/ext/bc/X',
      status: 'UNAVAILABLE',
    });
  });
});

describe('blockchains', () => {
  const entry = {
    blockchainId: idText(chainID),
    blockchainName: 'X-Chain',
    vmId: 'avm',
    subnetId: idText(pChain),
    createBlockNumber: '-1',
    createBlockTimestamp: 900,
    evmChainId: 0,
  };

  test('lists the known ones in pages', async () => {
    const all = (await get(`${networkPath}/blockchains`)).blockchains;
    expect(all.map(({ blockchainName, vmId }: AnyJson) => [blockchainName, vmId])).toEqual([
      ['X-Chain', 'avm'],
      ['P-Chain', 'platformvm'],
      ['C-Chain', 'evm'],
    ]);
    expect(all[0]).toEqual(entry);
    expect(await readAllPages(ask, `${networkPath}/blockchains?pageSize=2`, 'blockchains')).toEqual(all);
    expect(await readAllPages(ask, `${networkPath}/blockchains?pageSize=1&sortOrder=desc`, 'blockchains')).toEqual(all.toReversed());
  });

  test('returns one, with its genesis if this server serves the chain', async () => {
    const genesisData = { encoding: 'hex', data: formatHex('hex', Buffer.from('genesis')) };
    for (const name of ['X', 'x-chain', idText(chainID)])
      expect(await get(`${networkPath}/blockchains/${name}`)).toEqual({ ...entry, genesisData });
    for (const name of ['C', 'c-chain', idText(cChain)])
      expect(await get(`${networkPath}/blockchains/${name}`)).toEqual({
        ...entry,
        blockchainId: idText(cChain),
        blockchainName: 'C-Chain',
        vmId: 'evm',
        evmChainId: 43_112,
      });
    expect((await refused(`${networkPath}/blockchains/${avaxID}`)).status).toBe(404);
  });
});

describe('chain paths', () => {
  const rows = dataRoutes().filter(({ path }) => path.includes('{blockchainId}/'));
  const target = (path: string, network: string, chain: string) =>
    `${path
      .replace('{network}', network)
      .replace('{blockchainId}', chain)
      .replace('{blockId}', '0')
      .replace('{nodeId}', builder)
      .replace(/\{(?!chainId)\w+\}/, avaxID)}?addresses=${alice}&vertexHeight=0`;
  const body = { method: 'POST', body: JSON.stringify({ addresses: alice }) };

  test.each(rows.map(({ id, path, method }) => [id, path, method] as const))('%s: only chains of this server', async (_, path, method) => {
    const sent = method === 'POST' ? body : {};
    for (const chain of ['p-chain', 'P', idText(pChain)]) {
      const { status, json } = await ask(target(path, 'local', chain), sent);
      expect([status, json.message]).toEqual([404, expect.stringContaining('no P-Chain data')]);
    }
    const unknown = await ask(target(path, 'local', 'moon'), sent);
    expect([unknown.status, unknown.mismatches]).toEqual([404, []]);
    const elsewhere = await ask(target(path, 'mainnet', 'x-chain'), sent);
    expect([elsewhere.status, elsewhere.json.message]).toEqual([404, 'Unknown network "mainnet". Network of this server: local or 12345']);
  });

  const notServed = [...pChainRoutes.map(({ id }) => id), 'getVertexByHash'];

  test.each(dataRoutes().map((row) => [row.id, row] as const))('%s: the response matches its schema', async (id, { path, method }) => {
    const { status, mismatches } = await ask(target(path, 'local', 'x-chain').replace('{chainId}', 'X'), method === 'POST' ? body : {});
    expect({ status, mismatches }).toEqual({ status: notServed.includes(id) ? 404 : 200, mismatches: [] });
    expect(ask.answeredRoutes.has(id)).toBe(!notServed.includes(id));
  });

  test('all routes are in the OpenAPI document, with unique operation ids', () => {
    const options = { title: 'Data', version: '1', description: '', requireKey: false, origin: 'http://node:9650', examples: {} };
    const document = buildOpenApi(bindRoutes('data', dataRoutes(), undefined as never), options);
    const ids = Object.values(document.paths).flatMap((operations) => Object.values(operations).map(({ operationId }) => operationId));
    expect(ids.sort()).toEqual(
      dataRoutes()
        .map(({ id }) => id)
        .sort(),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('network and chain can be given by any of their names', async () => {
    const blocks = await get(`${xChainPath}/blocks`);
    for (const name of ['X', 'avm', idText(chainID)]) expect(await get(`/v1/networks/12345/blockchains/${name}/blocks`)).toEqual(blocks);
  });

  test('operations that need P-Chain data are not found', async () => {
    for (const path of [
      '',
      '/subnets',
      `/subnets/${avaxID}`,
      '/validators',
      `/validators/${builder}`,
      '/delegators',
      '/l1Validators',
      '/rewards',
      '/rewards:listPending',
      '/blockchains/p-chain/transactions:listStaking',
    ])
      expect(await refused(networkPath + path)).toEqual({ status: 404, message: expect.stringContaining('no P-Chain data') });
    expect((await refused('/v1/networks/fuji')).message).toContain('Unknown network "fuji"');
  });

  test('vertices are empty', async () => {
    expect((await get(`${xChainPath}/vertices`)).vertices).toEqual([]);
    expect((await get(`${xChainPath}/vertices:listByHeight?vertexHeight=3`)).vertices).toEqual([]);
    expect((await refused(`${xChainPath}/vertices:listByHeight`)).status).toBe(400);
    expect((await refused(`${xChainPath}/vertices/${avaxID}`)).status).toBe(404);
  });
});
