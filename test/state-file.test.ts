import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNode } from '../src/sdk/index.ts';
import { heightOf } from './chain-oracle.ts';
import { plainAddress } from './data-requests.ts';
import { createClient } from './http.ts';
import { eventually } from './processes.ts';
import { runProgram, startProgram } from './program.ts';
import { createRevertDriver, wallet } from './revert-driver.ts';
import { type RunningNode, runCommand, startHere, tryStart } from './short-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-state-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = '/ext/dev/state';

async function download({ url }: Pick<RunningNode, 'url'>): Promise<Buffer> {
  const response = await fetch(url + path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  return Buffer.from(await response.arrayBuffer());
}

async function upload({ url }: Pick<RunningNode, 'url'>, file: Uint8Array): Promise<{ status: number; text: string }> {
  const response = await fetch(url + path, { method: 'PUT', body: file as BodyInit });
  return { status: response.status, text: await response.text() };
}

for (const { name, start, dbFolder } of [
  { name: 'in memory', start: (): Promise<RunningNode> => startHere({}), dbFolder: undefined },
  {
    name: 'with a data directory and a reader process',
    start: () => startProgram(`--data-dir=${join(folder, 'data')}`, '--workers=1'),
    dbFolder: join(folder, 'data/db'),
  },
])
  test(`${name}: a state file restores every answer, and snapshots from before stay`, async () => {
    const node = await start();
    const driver = createRevertDriver(node.client);
    for (let i = 0; i < 5; i++) await driver.change(i);
    const saved = { utxos: driver.utxos, digest: await driver.digest() };
    // Several downloads and uploads, since the operating system distributes connections over the processes.
    const files = await Promise.all(Array.from({ length: 4 }, () => download(node)));
    const file = files[0] as Buffer;
    for (let i = 0; i < 3; i++) await driver.change(i);
    await driver.dev('snapshot', { name: 'later' });
    const later = await driver.digest();
    for (const one of files) {
      expect(await upload(node, one)).toEqual({ status: 200, text: expect.stringMatching(/^\{"height":"5","time":"\d+"\}$/) });
      expect(await driver.digest()).toBe(saved.digest);
    }
    driver.utxos = saved.utxos;
    await driver.change(0);
    await driver.dev('revert', { name: 'later' });
    expect(await driver.digest()).toBe(later);

    const damaged = Buffer.from(file);
    damaged[file.length >> 1] = (damaged[file.length >> 1] as number) ^ 1;
    for (const bad of [damaged, file.subarray(0, -1), Buffer.from('hello'), new Uint8Array(0)]) {
      const { status, text } = await upload(node, bad);
      expect([status, text]).toEqual([
        400,
        expect.stringMatching(/^(the state file is damaged: .*|this is not a state file of Serac); nothing was changed\n$/),
      ]);
    }
    expect(await driver.digest()).toBe(later);
    const clients = Array.from({ length: 12 }, () => createClient(node.port));
    const wrong = await Promise.all(clients.map((client) => client.send('POST', path)));
    expect(new Set(wrong.map(({ status, headers }) => `${status} ${headers.allow}`))).toEqual(new Set(['405 GET, PUT']));
    const refused = await Promise.all(clients.map((client) => client.send('GET', path, { 'x-forwarded-for': '203.0.113.9' })));
    for (const client of clients) client.close();
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
    expect(await node.stop()).toBe(0);
    if (dbFolder !== undefined) expect(readdirSync(dbFolder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

test('a state file moves between a data directory and memory, with outputs in shared memory in another order of chains', async () => {
  const [memory, disk] = [await startHere({}), await startHere({ dataDir: join(folder, 'other') })];
  const [first, second] = [createRevertDriver(memory.client), createRevertDriver(disk.client)];
  // Exports to P (2) and to C (7), which get their numbers in this order.
  for (const kind of [2, 7]) await first.change(kind);
  for (const kind of [7, 2]) await second.change(kind);
  expect((await upload(disk, await download(memory))).status).toBe(200);
  expect(await second.digest()).toBe(await first.digest());
  const importable = async ({ client }: RunningNode) => {
    const calls = ['P', 'C'].map((chain) => {
      const addresses = wallet.keys.map((key) => `${chain}-${plainAddress(key)}`);
      return client.call(`/ext/bc/${chain}${chain === 'C' ? '/avax' : ''}`, chain === 'P' ? 'platform.getUTXOs' : 'avax.getUTXOs', {
        addresses,
        sourceChain: 'X',
      });
    });
    return (await Promise.all(calls)).map(({ result }) => result as unknown as { numFetched: string; utxos: string[] });
  };
  const expected = await importable(memory);
  expect(expected.map(({ numFetched }) => numFetched)).toEqual(['1', '1']);
  expect(await importable(disk)).toEqual(expected);
  const otherNetwork = await startHere({ networkId: '54321' });
  expect(await upload(otherNetwork, await download(memory))).toEqual({
    status: 409,
    text: expect.stringContaining('belongs to network 12345'),
  });
  for (const node of [memory, disk, otherNetwork]) expect(await node.stop()).toBe(0);
});

test('--state keeps a chain in memory over restarts; a damaged file is refused and left as it is', async () => {
  const file = join(folder, 'chain.state');
  let node: RunningNode = await startProgram(`--state=${file}`);
  let driver = createRevertDriver(node.client);
  for (let i = 0; i < 4; i++) await driver.change(i);
  const { utxos } = driver;
  const digest = await driver.digest();
  expect(await node.stop()).toBe(0);
  node = await startHere({ state: file });
  driver = Object.assign(createRevertDriver(node.client), { utxos });
  expect(await driver.digest()).toBe(digest);
  await driver.change(0);
  const { mtimeMs } = statSync(file);
  expect(await node.stop()).toBe(0);
  expect(statSync(file).mtimeMs).toBeGreaterThan(mtimeMs);
  expect(existsSync(`${file}.tmp`)).toBe(false);
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length - 100));
  const { code, err } = await runProgram('--http-port=0', `--state=${file}`);
  expect([code, err]).toEqual([4, expect.stringContaining('the state file is damaged')]);
  expect(readFileSync(file).length).toBe(bytes.length - 100);
});

test('--state-interval saves while the node runs, so a kill loses only what came after', async () => {
  const file = join(folder, 'interval.state');
  const node = await startProgram(`--state=${file}`, '--state-interval=1');
  const driver = createRevertDriver(node.client);
  await driver.change(0);
  const digest = await driver.digest();
  const heightIn = () => (existsSync(file) ? /"height":(\d+)/.exec(readFileSync(file).toString('latin1', 0, 2000))?.[1] : undefined);
  expect(await eventually(heightIn, (height) => height === '1', 15_000)).toBe('1');
  await node.stop('SIGKILL');
  const again = await startHere({ state: file });
  expect(await createRevertDriver(again.client).digest()).toBe(digest);
  await again.stop();
});

test('--load-state loads a file and leaves it as it is; --dump-state saves another one', async () => {
  const [loaded, dumped] = [`${folder}/loaded.serac`, `${folder}/dumped.serac`];
  const first = await startHere({ dumpState: loaded });
  await first.client.call('/ext/dev', 'dev.mine', { blocks: 2 });
  expect(await first.stop()).toBe(0);
  const before = readFileSync(loaded);
  const second = await startProgram(`--load-state=${loaded}`, `--dump-state=${dumped}`);
  expect(second.banner.state).toMatchObject({ height: '2' });
  await second.client.call('/ext/dev', 'dev.mine', {});
  expect(await second.stop()).toBe(0);
  expect(readFileSync(loaded)).toEqual(before);
  const third = await startHere({ loadState: dumped });
  expect(await heightOf(third.client)).toBe(3);
  expect(await third.stop()).toBe(0);
  const missing = await tryStart({ loadState: `${folder}/missing.serac` });
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('missing.serac of --load-state')]);
});

test('a state file keeps the clock: its offset, a frozen time, and what has expired', async () => {
  const file = join(folder, 'clock.state');
  let node = await startHere({ state: file });
  const dev = (method: string, params: unknown = {}) => createRevertDriver(node.client).dev(method, params);
  const to = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
  const balance = async () =>
    ((await node.client.call('/ext/bc/X', 'avm.getBalance', { address: to, assetID: 'AVAX' })).result as unknown as Answer).balance;
  type Answer = { readonly balance: string };
  const now = Math.floor(Date.now() / 1000);
  await dev('send', { to, amount: 5, locktime: now + 5000 });
  expect(await balance()).toBe('0');
  const early = await download(node);
  await dev('increaseTime', { seconds: 10_000 });
  expect(await balance()).toBe('5');
  const late = await download(node);
  expect(await node.stop()).toBe(0);
  node = await startHere({ state: file });
  expect(await balance()).toBe('5');
  expect(Number(((await dev('getTime')) as unknown as { offset: string }).offset)).toBeGreaterThan(9_990);
  expect((await upload(node, early)).status).toBe(200);
  expect([await balance(), ((await dev('getTime')) as unknown as { offset: string }).offset]).toEqual(['0', '0']);
  expect((await upload(node, late)).status).toBe(200);
  expect(await balance()).toBe('5');
  await dev('setTime', { time: now + 20_000 });
  await dev('freezeTime');
  const frozen = (await dev('getTime')) as unknown as { readonly time: string; readonly frozen: boolean };
  expect([Number(frozen.time) >= now + 20_000, frozen.frozen]).toEqual([true, true]);
  expect(await node.stop()).toBe(0);
  node = await startHere({ state: file });
  expect((await dev('getTime')) as never).toMatchObject({ time: frozen.time, frozen: true });
  await node.stop();
});

test('downloads that nobody reads delay neither a load nor another download nor the stop; a fifth one is refused', async () => {
  const node = await createNode();
  const get = () => node.fetch(path);
  const file = new Uint8Array(await (await get()).arrayBuffer());
  await node.dev.mine(2);
  const unread = await Promise.all([get(), get(), get(), get()]);
  expect(unread.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const refused = await get();
  expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
    503,
    '1',
    expect.stringContaining('4 clients are reading a state file'),
  ]);
  expect((await node.fetch(path, { method: 'PUT', body: file })).status).toBe(200);
  await unread[0]?.body?.cancel();
  const read = await get();
  expect([read.status, (await read.arrayBuffer()).byteLength > 1000]).toEqual([200, true]);
  await node.close();
});

test('a start removes the temporary files of a node that was killed while it saved or loaded a state file', async () => {
  const db = join(folder, 'killed', 'db');
  mkdirSync(db, { recursive: true });
  for (const name of ['state-save.tmp', 'state-load.tmp', 'state-load.tmp-migrated']) writeFileSync(join(db, name), 'x');
  const node = await startHere({ dataDir: join(folder, 'killed') });
  expect(readdirSync(db).filter((name) => name.startsWith('state-'))).toEqual([]);
  await node.stop();
});

test('a place where the state cannot be saved is refused at start', async () => {
  mkdirSync(join(folder, 'directory'));
  for (const [options, reason] of [
    [{ state: `${folder}/missing/x.state` }, 'its folder does not exist'],
    [{ dumpState: `${folder}/missing/x.state` }, 'its folder does not exist'],
    [{ dumpState: `${folder}/directory` }, 'it is a directory'],
  ] as const) {
    const { code, err } = await tryStart(options);
    expect([options, code, err]).toEqual([options, 1, expect.stringContaining(reason)]);
  }
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a state that cannot be saved at exit is saved to the temporary folder, and the message names the file', async () => {
  const place = join(folder, 'removed');
  mkdirSync(place);
  const node = await startProgram(`--state=${place}/chain.state`);
  await node.client.call('/ext/dev', 'dev.mine', { blocks: 2 });
  rmSync(place, { recursive: true });
  expect(await node.stop()).toBe(1);
  const [, second = ''] = /it was saved to (\S+\.state): load it with --load-state/.exec(node.stderrText()) ?? [];
  expect(second).toStartWith(tmpdir());
  const again = await startHere({ loadState: second });
  expect(await heightOf(again.client)).toBe(2);
  await again.stop();
  rmSync(second);
});

test('flags that contradict --state are refused', async () => {
  for (const flags of [
    ['--state=x', `--data-dir=${folder}/clash`],
    ['--state-interval=5'],
    ['--state=x', '--dump-state=y'],
    ['--load-state=x', '--state-interval=5'],
  ])
    expect((await runCommand(...flags)).code).toBe(2);
});

describe('a node with a chain in memory', () => {
  let node: RunningNode;
  beforeAll(async () => {
    node = await startHere({});
  });
  afterAll(() => node.stop());

  test('GET needs what POST needs: a web page of another origin cannot start it', async () => {
    const status = async (headers: Record<string, string>) => (await node.client.send('GET', path, headers)).status;
    const own = `http://127.0.0.1:${node.port}`;
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { referer: 'http://evil.example/page' },
      { referer: `http://127.0.0.1:${node.port}9/` },
      { origin: 'http://evil.example' },
    ])
      expect([headers, await status(headers as never)]).toEqual([headers, 403]);
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { referer: `${own}/dev` },
      { origin: own },
    ])
      expect([headers, await status(headers as never)]).toEqual([headers, 200]);
  });

  test('docs/reference/methods.md: the commands that save and load a state file', async () => {
    const page = await Bun.file(new URL('../docs/reference/methods.md', import.meta.url)).text();
    const commands = /```sh\n(curl [^`]*chain\.state[^`]*)```/.exec(page)?.[1] ?? '';
    const child = Bun.spawn(['sh', '-ec', commands.replaceAll(':9650', `:${node.port}`)], { cwd: folder, stdout: 'pipe' });
    expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({ height: '0' });
  });
});
