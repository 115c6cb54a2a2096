import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createMetricsApi, idAt, type ModelBlock, modelServedChains } from '../../../test/metrics-model.ts';
import { idText, zeroId } from '../../base/bytes/id.ts';
import { findErrorProblem } from '../rest/requests.fixture.ts';
import { metricsApiRoutes } from './routes.ts';

const now = Date.parse('2026-11-16T12:00:00Z') / 1000;
const blocks: ModelBlock[] = [
  { time: now - 10_000_000, txs: [{ from: [], to: ['rich'], fee: 0n }] },
  { time: now - 1_000_000, txs: [{ from: ['rich'], to: ['a'], fee: 1n }] },
];
const api = createMetricsApi(modelServedChains(blocks, () => now));

describe('chains', () => {
  const x = { evmChainId: 0, chainName: 'X-Chain', blockchainId: idText(idAt(7)), subnetId: idText(zeroId), network: 'testnet' };
  const y = { ...x, chainName: 'Y', blockchainId: idText(idAt(6)) };

  test('lists all chains on one page, X first', async () => {
    expect((await api('/v2/chains')).json).toEqual({ chains: [x, y] });
    expect((await api('/v2/chains?pageToken=2b7d1f0e-58ab-4f0e-9c31-0123456789ab')).json).toEqual({ chains: [x, y] });
    expect((await api('/v2/chains?pageToken=next')).status).toBe(400);
  });

  test('filters by network: mainnet or testnet, or the name of the network', async () => {
    const mainnet = createMetricsApi(modelServedChains(blocks, () => now, { name: 'mainnet', names: ['mainnet', '1'], isTestnet: false }));
    for (const network of ['testnet', 'fuji', 'local', '12345'])
      expect((await api(`/v2/chains?network=${network}`)).json.chains.length).toBe(2);
    expect((await api('/v2/chains?network=mainnet')).json).toEqual({ chains: [] });
    expect((await mainnet('/v2/chains?network=mainnet')).json.chains[0].network).toBe('mainnet');
    expect((await mainnet('/v2/chains?network=fuji')).json).toEqual({ chains: [] });
    const refused = await api('/v2/chains?network=nowhere');
    expect([refused.status, refused.json.message]).toEqual([
      400,
      ['network must be one of the following values: mainnet, testnet, fuji, local, 12345; not "nowhere"'],
    ]);
  });

  test('returns one chain by any of its names', async () => {
    for (const name of ['X', 'x-chain', x.blockchainId]) expect((await api(`/v2/chains/${name}`)).json).toEqual(x);
    expect((await api('/v2/chains/Y')).json).toEqual(y);
    expect((await api('/v2/chains/C')).json.message).toBe(
      'This server has no C-Chain data. This server serves chains of the AVM: x-chain, Y',
    );
    expect((await api(`/v2/chains/${idText(zeroId)}`)).json.message).toStartWith('This server has no P-Chain data.');
    expect((await api('/v2/chains/total')).json.message).toStartWith('This server has metrics for single chains, not totals for "total".');
    expect((await api('/v2/chains/%22%3Cb%3E')).json.message).toBe(
      'Unknown chain "\\"<b>". This server serves chains of the AVM: x-chain, Y',
    );
  });
});

test('unsupported operations answer 404 with the reason', async () => {
  const targets = {
    '/v2/networks/mainnet/metrics/validatorCount': 'P-Chain data',
    '/v2/subnets/11111111111111111111111111111111LpoYY/validators:getAddresses?pageSize=10': 'P-Chain data',
    '/v2/validator/NodeID-1/metrics/perNodeDailyFeesPaid': 'P-Chain data',
    '/v2/icm/summary?network=mainnet': 'interchain messages',
    '/v2/chains/43114/teleporterMetrics/teleporterSourceTxnCount': 'interchain messages',
    '/v2/chains/43114/btcb/bridged:getAddresses': 'C-Chain data',
  };
  for (const [target, what] of Object.entries(targets))
    expect((await api(target)).json).toEqual({ statusCode: 404, message: `This server has no ${what}`, error: 'Not Found' });
  const posted = await api('/v2/lookingGlass/compositeQuery', { method: 'POST', body: '{"queries":[],"operator":"AND"}' });
  expect([posted.status, posted.json.message]).toEqual([404, 'This server has no C-Chain data']);
});

test('every operation has a unique id and declares all its path parameters', () => {
  const rows = metricsApiRoutes();
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  for (const { path, params } of rows)
    expect(Object.keys(params).filter((name) => path.includes(`{${name}}`))).toEqual(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
    );
});

test('random requests get a response or a well-formed error', async () => {
  const names = ['timeInterval', 'startTimestamp', 'endTimestamp', 'pageToken', 'pageSize', 'network'];
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('X', 'x-chain', 'day', 'hour', 'txCount', 'avgTps', 'total', '0', '-1', '1e9', '9007199254740993', '1794700000'),
    fc.integer().map(String),
  );
  const query = fc.array(fc.tuple(fc.constantFrom(...names), word), { maxLength: 4 });
  const paths = metricsApiRoutes().filter(({ method }) => method === 'GET');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.array(word, { minLength: 2, maxLength: 2 }), query, async ({ path }, words, pairs) => {
      let at = 0;
      const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent((words[at++] ?? '').toWellFormed()));
      const target = `${filled}?${pairs.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join('&')}`;
      const got = await api(target);
      if (got.status !== 200) expect(findErrorProblem(got)).toBeUndefined();
      expect([200, 400, 404]).toContain(got.status);
    }),
    { numRuns: 1000 },
  );
});
