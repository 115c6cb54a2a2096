import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNode } from './index.ts';

const ewoqAddress = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';

test('answers without a port, and over HTTP after listen', async () => {
  await using node = await createNode();
  expect(node.url).toBeUndefined();
  expect(await node.rpc('avm.getHeight')).toEqual({ height: '1' });
  const balance = { address: ewoqAddress, assetID: 'AVAX' };
  expect(await node.rpc('avm.getBalance', balance)).toMatchObject({ balance: '299899999999000000' });
  const url = await node.listen(0);
  expect(node.url).toBe(url);
  expect((await fetch(`${url}/ext/health`)).status).toBe(200);
});

test('fetch reaches every route without a socket, as HTTP does', async () => {
  await using node = await createNode();
  const path = '/v1/networks/local/blockchains/x-chain/blocks?pageSize=1';
  const local = await node.fetch(path);
  const url = await node.listen(0);
  const remote = await fetch(url + path);
  expect([local.status, await local.json()]).toEqual([remote.status, await remote.json()]);
  expect((await node.fetch('/nowhere')).status).toBe(404);
  const call = { jsonrpc: '2.0', id: 7, method: 'info.getNetworkID' };
  const headers = { 'content-type': 'application/json' };
  const response = await node.fetch('/ext/info', { method: 'POST', headers, body: JSON.stringify(call) });
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 7, result: { networkID: '12345' } });
});

test('a refused call throws an RpcError with the code and data of the node', async () => {
  await using node = await createNode();
  expect(await node.rpc('avm.getTx', { txID: 'abc' }).catch((error) => error)).toMatchObject({
    name: 'RpcError',
    fault: { code: 'RPC_ERROR', rpcCode: -32000, data: { argument: 'txID' } },
  });
  expect(await node.rpc('evm.call').catch((error) => error)).toMatchObject({ fault: { code: 'RPC_UNKNOWN_SERVICE' } });
  expect(await node.rpc('toString.x').catch((error) => error)).toMatchObject({ fault: { code: 'RPC_UNKNOWN_SERVICE' } });
});

test('integers that a number cannot hold are bigints', async () => {
  await using node = await createNode();
  const { tx } = (await node.rpc('avm.getTx', { txID: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe', encoding: 'json' })) as {
    tx: { unsignedTx: { initialStates: { outputs: { amount: unknown }[] }[] } };
  };
  expect(tx.unsignedTx.initialStates[0]?.outputs[0]?.amount).toBe(10_000_000_000_000_000n);
});

test('dev methods are open to the program itself, and nodes share nothing', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => createNode()));
  const ids = await Promise.all(all.map((node) => node.rpc('info.getNodeID')));
  expect(new Set(ids.map((id) => JSON.stringify(id))).size).toBe(8);
  // The method is reached and reports its missing arguments; a request from another machine would get status 403.
  expect(await all[0]!.rpc('dev.addAtomicUTXO').catch((error) => error)).toMatchObject({ fault: { code: 'RPC_ERROR' } });
  await all[0]!.close();
  for (const node of all.slice(1)) expect(await node.rpc('avm.getHeight')).toEqual({ height: '1' });
  await Promise.all(all.map((node) => node.close()));
});

test('options are the flags of the program; unknown and unusable ones are refused', async () => {
  await using node = await createNode({ networkId: 'fuji', strict: true });
  expect(await node.rpc('info.getNetworkName')).toEqual({ networkName: 'fuji' });
  const refused = (options: object) => createNode(options).catch((error) => error);
  expect(await refused({ networkId: 'nowhere' })).toMatchObject({ name: 'OptionError', fault: { code: 'OPTION_INVALID' } });
  for (const option of ['httpPort', 'workers', 'json', 'databaseUrl', 'network-id', 'toString', 'help'])
    expect(await refused({ [option]: true })).toMatchObject({ fault: { code: 'OPTION_UNKNOWN', option } });
});

test('a data directory keeps the chain and is unlocked by close', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-library-'));
  const readId = async () => {
    await using node = await createNode({ dataDir });
    return node.rpc('info.getNodeID');
  };
  expect(await readId()).toEqual(await readId());
  expect(existsSync(join(dataDir, 'db'))).toBe(true);
  rmSync(dataDir, { recursive: true });
});

test('after close, calls are refused and the port is closed; close may be called twice', async () => {
  const node = await createNode();
  const url = await node.listen(0);
  await Promise.all([node.close(), node.close()]);
  const closed = { fault: { code: 'NODE_CLOSED' } };
  expect(await node.rpc('avm.getHeight').catch((error) => error)).toMatchObject(closed);
  expect(await node.fetch('/').catch((error) => error)).toMatchObject(closed);
  expect(await node.listen(0).catch((error) => error)).toMatchObject(closed);
  expect(await fetch(url).catch((error) => error.code)).toBe('ECONNREFUSED');
});

test('log lines go to the given function', async () => {
  const lines: string[] = [];
  await using node = await createNode({ logLevel: 'debug', log: (line, level) => lines.push(`${level} ${line}`) });
  const url = await node.listen(0);
  await fetch(`${url}/ext/health`);
  expect(lines.at(-1)).toMatch(/^debug serac: GET \/ext\/health: 200/);
});
