import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { idText } from '../src/base/bytes/id.ts';
import { chainRoot } from './data-requests.ts';
import { checkDatabase } from './database-check.ts';
import { openEvents } from './event-client.ts';
import { createClient } from './http.ts';
import { childrenOf, eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { createRandom } from './random.ts';
import { createRevertDriver } from './revert-driver.ts';
import { localChainParams } from './wallet-kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-snapshots-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Saved = { readonly utxos: readonly Utxo[]; readonly digest: string };

for (const { name, flags, canRestart } of [
  { name: 'in memory', flags: [], canRestart: false },
  { name: 'with a data directory and a reader process', flags: ['--workers=1'], canRestart: true },
])
  test(`${name}: a random walk over a tree of snapshots restores every answer of every interface`, async () => {
    const random = createRandom(11);
    const dataDir = join(folder, 'walk');
    const start = () => startProgram(...flags, ...(canRestart ? [`--data-dir=${dataDir}`] : []));
    let node: Program = await start();
    let driver = createRevertDriver(node.client);
    const saved = new Map<string, Saved>();
    for (let step = 0; step < 60; step++) {
      const action = random.below(10);
      if (action < 5) await driver.change(random.below(10));
      else if (action < 7) {
        const { name } = await driver.dev<{ name: string }>('snapshot', random.below(2) === 0 ? {} : { name: `s${random.below(3)}` });
        saved.set(name, { utxos: driver.utxos, digest: await driver.digest() });
      } else if (action === 7 && saved.size > 3) {
        const name = random.pick([...saved.keys()]);
        await driver.dev('deleteSnapshot', { name });
        saved.delete(name);
      } else if (saved.size > 0 && action < 9) {
        const name = random.pick([...saved.keys()]);
        await driver.dev('revert', { name });
        const { utxos, digest } = saved.get(name) as Saved;
        driver.utxos = utxos;
        expect([step, name, await driver.digest()]).toEqual([step, name, digest]);
      } else if (canRestart && random.below(3) === 0) {
        const digest = await driver.digest();
        expect(await node.stop()).toBe(0);
        checkDatabase(dataDir);
        node = await start();
        driver = Object.assign(createRevertDriver(node.client), { utxos: driver.utxos });
        expect(await driver.digest()).toBe(digest);
      }
    }
    const { snapshots } = await driver.dev<{ snapshots: { name: string }[] }>('listSnapshots');
    expect(snapshots.map(({ name }) => name).sort()).toEqual([...saved.keys()].sort());
    for (const [name, { digest }] of saved) {
      await driver.dev('revert', { name });
      expect([name, await driver.digest()]).toEqual([name, digest]);
    }
    expect(await node.stop()).toBe(0);
    if (canRestart) checkDatabase(dataDir);
  });

describe('a chain in memory', () => {
  test('diff lists blocks, transactions and balance changes in both directions', async () => {
    const node = await startProgram();
    const driver = createRevertDriver(node.client);
    await driver.dev('snapshot', { name: 'a' });
    const [first, second] = [await driver.change(0), await driver.change(1)];
    await driver.dev('snapshot', { name: 'b' });
    const diff = (params: unknown) =>
      driver.dev<{ blocks: Changes; txs: Changes; balances: { address: string; assetID: string; change: string }[] }>('diff', params);
    type Changes = { added: unknown[]; removed: unknown[] };
    const forward = await diff({ from: 'a', to: 'b' });
    expect(forward.txs).toEqual({ added: [first, second].map(({ id }) => idText(id)), removed: [] });
    expect(forward.blocks.added).toHaveLength(2);
    const sum = (list: { assetID: string; change: string }[]) =>
      list.filter(({ assetID }) => assetID === idText(localChainParams.feeAsset)).reduce((total, { change }) => total + BigInt(change), 0n);
    // What is missing is the fees.
    expect(sum(forward.balances)).toBe(-localChainParams.txFee - localChainParams.createAssetTxFee);
    const back = await diff({ from: 'b', to: 'a' });
    expect([back.txs.added, back.txs.removed, back.blocks.removed]).toEqual([[], forward.txs.added, forward.blocks.added]);
    expect(sum(back.balances)).toBe(-sum(forward.balances));
    await driver.dev('revert', { name: 'a' });
    expect((await diff({ from: 'a' })).txs).toEqual({ added: [], removed: [] });
    expect((await diff({ from: 'b' })).txs).toEqual(back.txs);
    await node.stop();
  });

  test('diff counts an output with several owners as shared, like the events', async () => {
    const node = await startProgram();
    const driver = createRevertDriver(node.client);
    const [a, b] = ['X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465', 'X-local1zg69v7yszg69v7yszg69v7yszg69v7yse2396p'];
    const events = openEvents(node.port, `?kind=tx&address=${a}`);
    await eventually(events.status, (status) => status.includes('200'));
    await driver.dev('snapshot', { name: 'a' });
    await driver.dev('send', { to: [a, b], threshold: 2, amount: 5 });
    await driver.dev('send', { to: a, amount: 3 });
    const { balances } = await driver.dev<{ balances: { address: string; change: string; sharedChange: string }[] }>('diff', { from: 'a' });
    const changesOf = (address: string) =>
      balances.filter((one) => one.address === address).map(({ change, sharedChange }) => [change, sharedChange]);
    expect([changesOf(a), changesOf(b)]).toEqual([[['3', '5']], [['0', '5']]]);
    const seen = await eventually(
      () => events.events.filter(({ kind }) => kind === 'tx'),
      (all) => all.length === 2,
    );
    const published = seen.flatMap(({ data }) => data.balanceChanges as { address: string; change: string; sharedChange: string }[]);
    const sum = (address: string, name: 'change' | 'sharedChange') =>
      String(published.filter((one) => one.address === address).reduce((total, one) => total + BigInt(one[name]), 0n));
    for (const address of [a, b])
      expect([[sum(address, 'change'), sum(address, 'sharedChange')]]).toEqual(changesOf(address) as [string, string][]);
    events.close();
    await node.stop();
  });

  test('reset gives the answers of a fresh chain, and snapshots from before it stay reachable', async () => {
    const node = await startProgram();
    const driver = createRevertDriver(node.client);
    const fresh = await driver.digest();
    const { utxos } = driver;
    await driver.change(1);
    await driver.change(2);
    expect(await driver.dev<unknown>('reset')).toMatchObject({ height: '0' });
    expect(await driver.digest()).toBe(fresh);
    driver.utxos = utxos;
    await driver.change(0);
    const before = await driver.digest();
    await driver.dev('snapshot', { name: 'one' });
    await driver.dev('reset');
    expect(await driver.digest()).toBe(fresh);
    await driver.dev('revert', { name: 'one' });
    expect(await driver.digest()).toBe(before);
    await driver.change(0);
    await node.stop();
  });

  test('after a page token from before a revert, the listing starts again', async () => {
    const node = await startProgram();
    const driver = createRevertDriver(node.client);
    for (let i = 0; i < 3; i++) await driver.change(0);
    await driver.dev('snapshot', { name: 'a' });
    const { text } = await node.client.send('GET', `${chainRoot}/blocks?pageSize=1`);
    const { nextPageToken } = JSON.parse(text) as { nextPageToken: string };
    const next = () => node.client.send('GET', `${chainRoot}/blocks?pageSize=1&pageToken=${nextPageToken}`);
    const heightOf = async () => (JSON.parse((await next()).text) as { blocks: { blockNumber: string }[] }).blocks[0]?.blockNumber;
    expect(await heightOf()).toBe('2');
    await driver.change(0);
    expect(await heightOf()).toBe('2');
    await driver.dev('revert', { name: 'a' });
    expect(await heightOf()).toBe('3');
    await node.stop();
  });

  test('an unknown name is an error that says what to do', async () => {
    const node = await startProgram();
    const { error } = await node.client.call('/ext/dev', 'dev.revert', { name: 'nope' });
    expect(error).toMatchObject({
      message: 'there is no snapshot "nope"; dev.listSnapshots lists them',
      data: { code: 'SNAPSHOT_UNKNOWN' },
    });
    await node.stop();
  });
});

test('pending transactions are part of a snapshot, also after a restart', async () => {
  const flags = [`--data-dir=${join(folder, 'pending')}`, '--workers=0', '--min-block-delay=1h'];
  let node = await startProgram(...flags);
  let driver = createRevertDriver(node.client);
  // The delay counts from the parent's time, and block 0 is old.
  await driver.change(0);
  await driver.dev('snapshot', { name: 'none' });
  const tx = await driver.issue(0);
  await driver.dev('snapshot', { name: 'pending' });
  const status = async () => (await node.client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) })).result as unknown;
  expect(await status()).toEqual({ status: 'Processing' });
  await driver.dev('revert', { name: 'none' });
  expect(await status()).toEqual({ status: 'Unknown' });
  await node.stop();
  node = await startProgram(...flags);
  driver = createRevertDriver(node.client);
  expect(await status()).toEqual({ status: 'Unknown' });
  await driver.dev('revert', { name: 'pending' });
  expect(await status()).toEqual({ status: 'Processing' });
  await node.stop();
});

test('kill -9 at any time of a revert: the node starts with the state before it or after it', async () => {
  const dataDir = join(folder, 'kill');
  const random = createRandom(5);
  let node = await startProgram(`--data-dir=${dataDir}`, '--workers=1');
  let driver = createRevertDriver(node.client);
  await driver.dev('snapshot', { name: 'a' });
  const clean: Saved = { utxos: driver.utxos, digest: await driver.digest() };
  const results = new Set<string>();
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 4; i++) await driver.change(i);
    const changed: Saved = { utxos: driver.utxos, digest: await driver.digest() };
    const killed = driver.dev('revert', { name: 'a' }).then(
      () => 'answered',
      () => 'cut off',
    );
    await Bun.sleep(random.below(8));
    await node.stop('SIGKILL');
    await killed;
    await eventually(
      () => childrenOf(node.pid),
      (children) => children.length === 0,
    );
    node = await startProgram(`--data-dir=${dataDir}`, '--workers=1');
    driver = createRevertDriver(node.client);
    const digest = await driver.digest();
    expect([clean.digest, changed.digest]).toContain(digest);
    results.add(digest === clean.digest ? 'after' : 'before');
    driver.utxos = (digest === clean.digest ? clean : changed).utxos;
    await driver.dev('revert', { name: 'a' });
    expect(await driver.digest()).toBe(clean.digest);
    driver.utxos = clean.utxos;
  }
  expect(await node.stop()).toBe(0);
  checkDatabase(dataDir);
  expect(results.size).toBeGreaterThan(0);
});

test('reader processes serve the restored state at once', async () => {
  const node = await startProgram(`--data-dir=${join(folder, 'readers')}`, '--workers=1');
  const driver = createRevertDriver(node.client);
  await driver.change(0);
  await driver.dev('snapshot', { name: 'a' });
  for (let round = 0; round < 5; round++) {
    const { utxos } = driver;
    const tx = await driver.change(0);
    await driver.dev('revert', { name: 'a' });
    driver.utxos = utxos;
    // New connections are distributed over the processes by the operating system.
    const clients = Array.from({ length: 12 }, () => createClient(node.port));
    const heights = await Promise.all(clients.map(async (client) => (await client.call('/ext/bc/X', 'avm.getHeight')).result as unknown));
    const txs = await Promise.all(clients.map((client) => client.call('/ext/bc/X', 'avm.getTx', { txID: idText(tx.id) })));
    for (const client of clients) client.close();
    expect(new Set(heights.map((one) => JSON.stringify(one)))).toEqual(new Set(['{"height":"1"}']));
    expect(txs.every(({ error }) => error !== undefined)).toBe(true);
  }
  await node.stop();
});

test('a data directory can be used again after a reset while a chain of --chains did not run', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-chains-'));
  const start = (...flags: string[]) => startProgram(`--data-dir=${dataDir}`, '--workers=0', ...flags);
  const chains = `--chains=${new URL('../examples/chains.json', import.meta.url).pathname}`;
  for (const flags of [[chains], [], [], [chains]]) {
    const node = await start(...flags);
    if (flags.length === 0) expect(await node.client.call('/ext/dev', 'dev.reset')).toMatchObject({ result: { height: '0' } });
    const aliases = (node.banner.chains as { alias: string }[]).map(({ alias }) => alias);
    expect(aliases).toHaveLength(flags.length + 1);
    for (const alias of aliases)
      expect(await node.client.call(`/ext/bc/${alias}`, 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
    expect(await node.stop()).toBe(0);
  }
  rmSync(dataDir, { recursive: true });
});

test('a revert to a snapshot from before a chain of --chains was added leaves that chain as it was added', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-added-chain-'));
  const start = (...flags: string[]) => startProgram(`--data-dir=${dataDir}`, '--workers=0', ...flags);
  const first = await start();
  expect(await first.client.call('/ext/dev', 'dev.snapshot', { name: 'before' })).toMatchObject({ result: { height: '0' } });
  await first.stop();
  const chains = `--chains=${new URL('../examples/chains.json', import.meta.url).pathname}`;
  for (let starts = 0; starts < 2; starts++) {
    const node = await start(chains);
    const [, { alias }] = node.banner.chains as [unknown, { alias: string }];
    await node.client.call('/ext/dev', 'dev.mine', { blocks: 2 });
    expect(await node.client.call('/ext/dev', 'dev.revert', { name: 'before' })).toMatchObject({ result: { height: '0' } });
    for (const path of ['X', alias])
      expect(await node.client.call(`/ext/bc/${path}`, 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
    expect(await node.stop()).toBe(0);
  }
  rmSync(dataDir, { recursive: true });
});
