import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Program, startProgram } from './program.ts';

/** Flags that disable endpoints, and endpoints that AvalancheGo does not have. */

const json = { 'content-type': 'application/json' };
const call = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} });

describe('--public-api', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram('--public-api', '--strict');
  });
  afterAll(() => node.stop());

  test('disabled methods and paths get the error of unknown ones', async () => {
    for (const method of ['getNodeID', 'getNodeIP', 'getVMs']) {
      const { text } = await node.client.send('POST', '/ext/info', json, call(`info.${method}`));
      const shown = `info.${method[0]!.toUpperCase()}${method.slice(1)}`;
      expect(JSON.parse(text).error.message).toBe(`rpc: can't find method "${shown}"`);
    }
    for (const path of ['/ext/health', '/ext/health/health', '/ext/health/readiness', '/ext/health/liveness', '/ext/dev'])
      for (const method of ['GET', 'POST']) {
        const answer = await node.client.send(method, path, json, method === 'POST' ? call('health.health') : undefined);
        expect(answer.status).toBe(404);
        expect(answer.text).toBe('404 page not found\n');
      }
  });

  test('the others respond', async () => {
    expect(await node.client.call('/ext/info', 'info.getNetworkName')).toMatchObject({ result: { networkName: 'local' } });
    expect(await node.client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
  });
});

describe('--api-…-enabled=false', () => {
  test('disables the routes', async () => {
    const node = await startProgram('--api-info-enabled=false', '--api-health-enabled=false', '--api-metrics-enabled=false');
    for (const path of ['/ext/info', '/ext/health', '/ext/health/liveness', '/ext/metrics'])
      expect((await node.client.send('GET', path)).status).toBe(404);
    expect(await node.client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
    await node.stop();
  });
});

describe('hosts', () => {
  test('--http-allowed-hosts allows only the named hosts and IP addresses', async () => {
    const node = await startProgram('--http-allowed-hosts=example.org');
    const ask = async (host: string) => (await node.client.send('POST', '/ext/bc/X', { ...json, host }, call('avm.getHeight'))).status;
    expect(await ask('example.org')).toBe(200);
    expect(await ask('example.org:80')).toBe(200);
    expect(await ask('other.example')).toBe(403);
    expect(await ask('127.0.0.1')).toBe(200);
    await node.stop();
  });
});

describe('counterpart chains and metrics', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram();
  });
  afterAll(() => node.stop());

  test('the P-Chain endpoint answers the methods that X-Chain clients need', async () => {
    expect(await node.client.call('/ext/bc/P', 'platform.getFeeConfig')).toMatchObject({
      result: {
        weights: [1, 1000, 1000, 4],
        maxCapacity: 1000000,
        maxPerSecond: 100000,
        targetPerSecond: 50000,
        minPrice: 1,
        excessConversionConstant: 2164043,
      },
    });
    expect(await node.client.call('/ext/bc/P', 'platform.getFeeState')).toMatchObject({ result: { capacity: 0, excess: 0, price: 1 } });
    expect(await node.client.call('/ext/bc/P', 'platform.getHeight')).toMatchObject({ result: { height: '0' } });
  });

  test('the C-Chain has its ID: wallets ask for it before they use the X-Chain', async () => {
    expect(await node.client.call('/ext/bc/C/rpc', 'eth_chainId', [])).toMatchObject({ result: '0xa868' });
    const { error } = await node.client.call('/ext/bc/C/rpc', 'eth_chainId', ['x']);
    expect([error?.code, error?.message]).toEqual([-32_602, 'too many arguments, want at most 0']);
  });

  test('other P-Chain and C-Chain methods return an error that says Serac does not run the chain', async () => {
    for (const [path, method, chain] of [
      ['/ext/bc/P', 'platform.issueTx', 'P'],
      ['/ext/bc/C/avax', 'avax.issueTx', 'C'],
      ['/ext/bc/C/rpc', 'eth_blockNumber', 'C'],
    ] as const) {
      const { error } = await node.client.call(path, method);
      expect(error?.message).toContain(`Serac does not run the ${chain}-Chain`);
      expect(error?.data).toMatchObject({ code: 'COUNTERPART_NOT_RUN', method });
    }
  });

  test('a batch is answered in order, without notifications', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'avm.getHeight' },
      { jsonrpc: '2.0', method: 'avm.getHeight' },
      { jsonrpc: '2.0', id: 2, method: 'avm.nope' },
    ];
    const answers = JSON.parse((await node.client.send('POST', '/ext/bc/X', json, JSON.stringify(batch))).text);
    expect(answers.map((answer: { id: unknown }) => answer.id)).toEqual(['a', 2]);
  });

  test('/ext/metrics counts calls', async () => {
    await node.client.call('/ext/info', 'info.getNetworkID');
    const { text, status } = await node.client.send('GET', '/ext/metrics');
    expect(status).toBe(200);
    expect(text).toMatch(/serac_api_requests_total\{endpoint="info",method="info.getNetworkID",outcome="ok"\} [1-9]/);
    expect(text).toContain('serac_chain_height{chain="X"} 0');
    for (const name of [
      'serac_mempool_transactions',
      'serac_store_bytes',
      'process_heap_bytes',
      'process_resident_memory_bytes',
      'serac_api_request_seconds_bucket',
    ])
      expect(text).toContain(name);
    // AvalancheGo's own tests read these, also of a node that decides alone.
    for (const line of ['blks_processing{chain="X"} 0', 'blks_accepted_count{chain="X"} 0', 'last_accepted_height{chain="X"} 0'])
      expect(text).toContain(`\navalanche_snowman_${line}\n`);
  });
});
