import { describe, expect, test } from 'bun:test';
import { bind } from '../api/dispatch.ts';
import { openApi } from '../api/openapi.ts';
import { formatHex } from '../bytes/hex.ts';
import { idText } from '../bytes/id.ts';
import { type Any, answersOf, askData, local, onX, refusalsOf, spelt, walk } from './ask.fixture.ts';
import { plainReads } from './plain-reads.fixture.ts';
import { platformRoutes } from './platform-routes.ts';
import { dataRoutes } from './routes.ts';
import { builder, cChain, chainID, pChain, people, servedBy, servedChain, txs, worldChain } from './world.fixture.ts';

const ask = askData(servedBy());
const get = answersOf(ask);
const refused = refusalsOf(ask);
const alice = spelt(people.alice);
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

  test('all, by network, by feature', async () => {
    expect((await get('/v1/chains')).chains).toMatchObject([entry]);
    expect((await get('/v1/chains?network=local')).chains).toHaveLength(1);
    for (const filter of ['network=mainnet', 'network=fuji', 'feature=webhooks', 'network=local&feature=nftIndexing'])
      expect(await get(`/v1/chains?${filter}`)).toEqual({ chains: [] });
    expect(await refused('/v1/chains?network=moon&feature=x')).toMatchObject({ status: 400 });
    expect((await refused('/v1/chains?network=moon')).message).toEqual([expect.stringContaining('mainnet, fuji, testnet, local, 12345')]);
  });

  test('one, by any of its names', async () => {
    for (const name of ['X', 'x-chain', idText(chainID)]) expect(await get(`/v1/chains/${name}`)).toMatchObject(entry);
    expect(await refused('/v1/chains/43114')).toEqual({
      status: 404,
      message: 'No blockchain "43114" here. This server serves chains of the AVM: x-chain',
    });
  });

  test('one that is elsewhere and does not answer', async () => {
    const chain = servedChain(plainReads(worldChain()), { rpcUrl: 'http://there/ext/bc/X', status: () => 'UNAVAILABLE' });
    expect(await answersOf(askData(servedBy(chain)))('/v1/chains/X')).toMatchObject({
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

  test('the known ones, in pages', async () => {
    const all = (await get(`${local}/blockchains`)).blockchains;
    expect(all.map(({ blockchainName, vmId }: Any) => [blockchainName, vmId])).toEqual([
      ['X-Chain', 'avm'],
      ['P-Chain', 'platformvm'],
      ['C-Chain', 'evm'],
    ]);
    expect(all[0]).toEqual(entry);
    expect(await walk(ask, `${local}/blockchains?pageSize=2`, 'blockchains')).toEqual(all);
    expect(await walk(ask, `${local}/blockchains?pageSize=1&sortOrder=desc`, 'blockchains')).toEqual(all.toReversed());
  });

  test('one, with its genesis as far as there is one', async () => {
    const genesisData = { encoding: 'hex', data: formatHex('hex', Buffer.from('genesis')) };
    for (const name of ['X', 'x-chain', idText(chainID)])
      expect(await get(`${local}/blockchains/${name}`)).toEqual({ ...entry, genesisData });
    for (const name of ['C', 'c-chain', idText(cChain)])
      expect(await get(`${local}/blockchains/${name}`)).toEqual({
        ...entry,
        blockchainId: idText(cChain),
        blockchainName: 'C-Chain',
        vmId: 'evm',
        evmChainId: 43_112,
      });
    expect((await refused(`${local}/blockchains/${avaxID}`)).status).toBe(404);
  });
});

describe('places', () => {
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
    expect([unknown.status, unknown.flaws]).toEqual([404, []]);
    const elsewhere = await ask(target(path, 'mainnet', 'x-chain'), sent);
    expect([elsewhere.status, elsewhere.json.message]).toEqual([404, 'No network "mainnet" here. Network of this server: local or 12345']);
  });

  const silent = [...platformRoutes.map(({ id }) => id), 'getVertexByHash'];

  test.each(dataRoutes().map((row) => [row.id, row] as const))('%s: an answer of its shape', async (id, { path, method }) => {
    const { status, flaws } = await ask(target(path, 'local', 'x-chain').replace('{chainId}', 'X'), method === 'POST' ? body : {});
    expect({ status, flaws }).toEqual({ status: silent.includes(id) ? 404 : 200, flaws: [] });
    expect(ask.answered.has(id)).toBe(!silent.includes(id));
  });

  test('are in one document, each under a name of its own', () => {
    const options = { title: 'Data', version: '1', description: '', requireKey: false, examples: {} };
    const document = openApi(bind('data', dataRoutes(), undefined as never), options);
    const ids = Object.values(document.paths).flatMap((operations) => Object.values(operations).map(({ operationId }) => operationId));
    expect(ids.sort()).toEqual(
      dataRoutes()
        .map(({ id }) => id)
        .sort(),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('the network and the chain by any of their names', async () => {
    const blocks = await get(`${onX}/blocks`);
    for (const name of ['X', 'avm', idText(chainID)]) expect(await get(`/v1/networks/12345/blockchains/${name}/blocks`)).toEqual(blocks);
  });

  test('what only a P-Chain could tell', async () => {
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
      expect(await refused(local + path)).toEqual({ status: 404, message: expect.stringContaining('no P-Chain data') });
    expect((await refused('/v1/networks/fuji')).message).toContain('No network "fuji" here');
  });

  test('vertices: there are none', async () => {
    expect((await get(`${onX}/vertices`)).vertices).toEqual([]);
    expect((await get(`${onX}/vertices:listByHeight?vertexHeight=3`)).vertices).toEqual([]);
    expect((await refused(`${onX}/vertices:listByHeight`)).status).toBe(400);
    expect((await refused(`${onX}/vertices/${avaxID}`)).status).toBe(404);
  });
});
