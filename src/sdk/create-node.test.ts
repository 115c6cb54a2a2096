import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from './client.ts';
import { parseKey } from './codec.ts';
import { createNode, SeracError } from './index.ts';

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
  // All blocks: a page token would contain the second in which it was made.
  const path = '/v1/networks/local/blockchains/x-chain/blocks?pageSize=100';
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

test('a refused call throws a SeracError with the code, the data and the method', async () => {
  await using node = await createNode();
  const error = await node.avm.getTx('abc').catch((error) => error);
  expect(error).toBeInstanceOf(SeracError);
  expect([error.name, error.code, error.method, error.data.argument]).toEqual(['SeracError', 'RPC_BAD_ARGUMENT', 'avm.getTx', 'txID']);
  const refused = await node.dev.send({ to: node.accounts[1]!.address, amount: '1.5 GLD' }).catch((error) => error);
  expect([refused.code, refused.method, refused.fault.rpcCode]).toEqual(['DEV_BAD_AMOUNT', 'dev.send', -32000]);
  expect(await node.rpc('evm.call').catch((error) => error)).toMatchObject({ code: 'UNKNOWN_SERVICE' });
  expect(await node.rpc('toString.x').catch((error) => error)).toMatchObject({ code: 'UNKNOWN_SERVICE' });
  const inexact = node.dev.send({ to: node.accounts[1]!.address, amount: 2 ** 60 });
  expect(await inexact.catch((error) => error)).toMatchObject({ code: 'BAD_PARAMETER', fault: { parameter: 'amount' } });
});

test('methods are typed functions: bigint amounts, and the bare value where one parameter says it all', async () => {
  await using node = await createNode();
  const { accounts, dev, avm, info, health } = node;
  expect(accounts.length).toBe(11);
  expect(accounts[0]).toEqual({
    index: 0,
    address: ewoqAddress,
    privateKey: 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN',
  });
  const [, , { address }] = accounts as [unknown, unknown, { address: string }];
  const balanceOf = async () => (await avm.getBalance({ address, assetID: 'AVAX' })).balance;
  expect(await balanceOf()).toBe(10_000_000_000_000n);
  expect((await dev.snapshot('clean')).height).toBe(1);
  const { txID } = await dev.send({ to: address, amount: 9_007_199_254_740_993n, memo: 'größer' });
  expect(await balanceOf()).toBe(9_017_199_254_740_993n);
  const { tx } = await avm.getTx({ txID, encoding: 'json' });
  expect(tx.unsignedTx.outputs.map(({ output }) => output.amount)).toContain(9_007_199_254_740_993n);
  expect(tx.unsignedTx.outputs[0]?.output.locktime).toBe(0n);
  expect(Buffer.from(tx.unsignedTx.memo.slice(2), 'hex').toString()).toBe('größer');
  expect((await avm.getTx(txID)).tx).toStartWith('0x');
  expect((await avm.getBlockByHeight({ height: 2, encoding: 'json' })).block.txs[0]?.id).toBe(txID);
  expect((await avm.getUTXOs([address])).numFetched).toBe(2);
  const { time } = await dev.getTime();
  expect((await dev.increaseTime('30d')).time).toBeGreaterThanOrEqual(time + 30 * 86_400);
  expect(await dev.revert('clean')).toMatchObject({ height: 1 });
  expect(await balanceOf()).toBe(10_000_000_000_000n);
  expect((await dev.mine(3)).height).toBe(4);
  expect((await info.isBootstrapped('X')).isBootstrapped).toBe(true);
  expect((await info.getNetworkID()).networkID).toBe(12345);
  expect((await health.health()).healthy).toBe(true);
});

test('keys of a given mnemonic are in accounts, but not in dev.accounts, which is served over HTTP too', async () => {
  await using node = await createNode({
    mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
    accounts: 1,
  });
  expect(node.accounts[1]?.privateKey).toStartWith('PrivateKey-');
  expect((await node.dev.accounts()).accounts[1]).toEqual({ index: 1, address: node.accounts[1]!.address, balance: 10_000_000_000_000n });
});

test('events begin where the node was created or reverted; break and close end them', async () => {
  const node = await createNode();
  const { accounts, dev } = node;
  const { address } = accounts[1] as { address: string };
  await dev.snapshot('clean');
  const { txID } = await dev.send({ to: address, amount: 5n });
  for await (const event of node.events({ address, kind: 'tx' })) {
    if (event.kind !== 'tx') throw new Error(event.kind);
    expect([event.txID, event.balanceChanges.find((change) => change.address === address)?.change]).toEqual([txID, 5n]);
    break;
  }
  await dev.revert('clean');
  const second = await dev.send({ to: address, amount: 6n, memo: 'second' });
  const kinds: string[] = [];
  for await (const event of node.events({ address })) {
    kinds.push(event.kind);
    if (event.kind === 'tx') {
      expect(event.txID).toBe(second.txID);
      break;
    }
  }
  expect(kinds).toEqual(['block', 'tx']);

  const live = node.events({ address, kind: ['block', 'tx'] });
  await live.ready;
  expect([(await live.next()).value.kind, (await live.next()).value.kind]).toEqual(['block', 'tx']);
  const resumed = node.events({ address, kind: 'tx', after: live.lastEventId() as string });
  const waiting = resumed.next();
  const third = await dev.send({ to: address, amount: 7n });
  expect((await waiting).value).toMatchObject({ kind: 'tx', txID: third.txID });
  await resumed.close();
  expect(await resumed.next()).toEqual({ done: true, value: undefined });

  const bad = node.events({ address: 'nobody' });
  expect(await bad.next().catch((error) => error)).toMatchObject({ code: 'NODE_HTTP', fault: { status: 400 } });

  const open = node.events({ kind: 'health' });
  const end = open.next();
  await open.ready;
  await node.close();
  expect(await end).toEqual({ done: true, value: undefined });
  expect(() => node.events()).toThrow('closed');
});

test('events of a node that was closed at once end quietly, whenever they are read', async () => {
  const node = await createNode();
  const [unread, waiting] = [node.events(), node.events({ kind: 'tx' })];
  const next = waiting.next();
  await node.close();
  for (const events of [unread, waiting]) for await (const _ of events) expect().fail('no event happened');
  expect((await next).done).toBe(true);
  await unread.ready;
});

test('a filter that does not exist is refused, not ignored', async () => {
  await using node = await createNode();
  const misspelled = { adress: ewoqAddress } as object;
  expect(() => node.events(misspelled)).toThrow('events has no filter "adress"; filters are address, asset, kind and after');
  const client = createClient(await node.listen(0));
  expect(() => client.events(misspelled)).toThrow(SeracError);
  expect(await client.avm.getHeight()).toEqual({ height: 1 });
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
  const { address } = all[0]!.accounts[1]!;
  await Promise.all(all.map((node, i) => node.dev.send({ to: address, amount: i + 1 })));
  await all[0]!.dev.increaseTime('1d');
  await all[0]!.close();
  for (const [i, node] of all.entries()) {
    if (i === 0) continue;
    expect(await node.avm.getBalance({ address, assetID: 'AVAX' })).toMatchObject({ balance: BigInt(10_000_000_000_001 + i) });
    expect(await node.dev.getTime()).toMatchObject({ offset: 0 });
  }
  await Promise.all(all.map((node) => node.close()));
});

test('lost events are an error, or an event for a caller who asks for it or for every kind', async () => {
  await using node = await createNode();
  // An ID of another log.
  const after = `${'0'.repeat(16)}-1`;
  const first = (kind?: 'tx' | readonly ('tx' | 'reset')[]) => node.events({ after, kind }).next();
  expect(await first('tx').catch((error) => error)).toMatchObject({ name: 'SeracError', code: 'EVENTS_LOST' });
  for (const kind of [undefined, ['tx', 'reset']] as const) expect((await first(kind)).value).toMatchObject({ kind: 'reset' });
});

test('every error of the library is a SeracError with a code, also those of the codec and of a folder that is in use', async () => {
  const thrown = (work: () => unknown) =>
    Promise.resolve()
      .then(work)
      .catch((error) => error);
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-library-'));
  await using _ = await createNode({ dataDir });
  for (const error of [await thrown(() => parseKey('nothing')), await thrown(() => createNode({ dataDir }))]) {
    expect(error).toBeInstanceOf(SeracError);
    expect((error as SeracError).code).toMatch(/^[A-Z0-9]+(_[A-Z]+)+$/);
  }
  expect(new Error('not of Serac')).not.toBeInstanceOf(SeracError);
});

test('options are the flags of the program; unknown and unusable ones are refused', async () => {
  await using node = await createNode({ networkId: 'fuji', strict: true });
  expect(await node.rpc('info.getNetworkName')).toEqual({ networkName: 'fuji' });
  const refused = (options: object) => createNode(options).catch((error) => error);
  expect(await refused({ networkId: 'nowhere' })).toMatchObject({ name: 'OptionError', fault: { code: 'OPTION_INVALID' } });
  expect(await refused({ networkId: 'nowhere' })).toBeInstanceOf(SeracError);
  expect(await refused({ networkID: 'fuji' })).toMatchObject({
    code: 'OPTION_UNKNOWN',
    message: 'createNode has no option "networkID"; did you mean networkId?',
  });
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

test('calls that run when the node is closed fail because of that, and nothing is logged', async () => {
  const lines: string[] = [];
  const node = await createNode({ minBlockDelay: '10s', log: (line) => lines.push(line) });
  const to = node.accounts[1]?.address as string;
  await node.dev.send({ to, amount: 5n });
  // The next block is not due before the node is closed.
  const calls = [1n, 2n].map((amount) => node.dev.send({ to, amount }).catch((error) => error.code));
  await Bun.sleep(100);
  await node.close();
  expect(await Promise.all(calls)).toEqual(['NODE_CLOSED', 'NODE_CLOSED']);
  expect(lines).toEqual([]);
});

test('log lines go to the given function', async () => {
  const lines: string[] = [];
  await using node = await createNode({ logLevel: 'debug', log: (line, level) => lines.push(`${level} ${line}`) });
  const url = await node.listen(0);
  await fetch(`${url}/ext/health`);
  expect(lines.at(-1)).toMatch(/^debug GET \/ext\/health: 200/);
});
