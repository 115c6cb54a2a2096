import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from './http.ts';
import { programCommand } from './program.ts';

/** What the program prints about blocks and refused calls when stdout is not a terminal. */

const folder = mkdtempSync(join(tmpdir(), 'serac-activity-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const to = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';

/** Starts the program and collects its output. */
function start(...flags: string[]) {
  const child = Bun.spawn([...programCommand, '--http-port=0', ...flags], { stdout: 'pipe', stderr: 'pipe' });
  let [out, err] = ['', ''];
  const collect = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> => {
    for await (const chunk of stream) add(Buffer.from(chunk).toString());
  };
  const ended = Promise.all([
    collect(child.stdout, (text) => {
      out += text;
    }),
    collect(child.stderr, (text) => {
      err += text;
    }),
  ]);
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (let waited = 0; waited < 20_000; waited += 20) {
      const found = pattern.exec(out);
      if (found !== null) return found;
      await Bun.sleep(20);
    }
    throw new Error(`${pattern} is not in the output: ${out}${err}`);
  };
  const stop = async (): Promise<{ code: number; out: string; err: string }> => {
    child.kill('SIGTERM');
    const code = await child.exited;
    await ended;
    return { code, out, err };
  };
  return { until, stop, stderr: () => err };
}

const clientOf = async (node: ReturnType<typeof start>, pattern = /http:\/\/127\.0\.0\.1:(\d+)/) =>
  createClient(Number((await node.until(pattern))[1]));

test('--json: one object per line, the first is the banner', async () => {
  const node = start('--json');
  const client = await clientOf(node, /"url":"http:\/\/127\.0\.0\.1:(\d+)"/);
  await client.call('/ext/dev', 'dev.send', { to, amount: '2.5 AVAX' });
  await client.call('/ext/bc/X', 'avm.getUTXOs', { address: [to] });
  await client.call('/ext/dev', 'dev.snapshot', { name: 'clean' });
  await client.call('/ext/dev', 'dev.revert', { name: 'clean' });
  await node.until(/"event":"reverted"/);
  client.close();
  const { code, out, err } = await node.stop();
  expect([code, err]).toEqual([0, '']);
  const [banner, ...events] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(banner).toMatchObject({ name: 'serac', accounts: { length: 11 } });
  expect(events.map(({ event }) => event)).toEqual(['block', 'refused', 'reverted', 'stopped']);
  expect(events[0]).toMatchObject({
    chain: 'X',
    height: '2',
    txs: 1,
    kinds: { Transfer: 1 },
    moved: [{ symbol: 'AVAX', denomination: 9, amount: '2500000000' }],
  });
  expect(events[1]).toMatchObject({
    method: 'avm.getUTXOs',
    code: 'AVM_NO_ADDRESSES',
    hint: 'unknown parameter address; did you mean addresses?',
  });
  expect(events[3]).toMatchObject({ height: '2' });
});

test('the kinds of transactions and the amounts they move', async () => {
  const node = start('--json');
  const client = await clientOf(node, /"url":"http:\/\/127\.0\.0\.1:(\d+)"/);
  const dev = async (method: string, params: object): Promise<{ assetID: string }> => {
    const { result, error } = await client.call('/ext/dev', `dev.${method}`, params);
    expect([method, error]).toEqual([method, undefined]);
    return result as unknown as { assetID: string };
  };
  const { assetID } = await dev('createAsset', { name: 'Gold', symbol: 'GLD', denomination: 2, supply: 1000, mintable: true });
  await dev('mint', { assetID, to, amount: 500 });
  const nft = await dev('createNFT', { name: 'Card', symbol: 'CRD' });
  await dev('mintNFT', { assetID: nft.assetID, to, payload: 'hello' });
  await dev('export', { destinationChain: 'P', amount: '2 AVAX' });
  await node.until(/"Export"/);
  client.close();
  const { out } = await node.stop();
  const blocks = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event?: string; kinds: object; moved: { symbol: string; amount: string }[] })
    .filter(({ event }) => event === 'block');
  expect(blocks.map(({ kinds, moved }) => [kinds, moved.map(({ symbol, amount }) => `${amount} ${symbol}`)])).toEqual([
    [{ 'Create asset': 1 }, ['1000 GLD']],
    [{ Mint: 1 }, ['500 GLD']],
    [{ 'Create asset': 1 }, []],
    [{ 'Mint NFT': 1 }, []],
    [{ Export: 1 }, ['2000000000 AVAX']],
  ]);
});

test('text without a terminal: lines without escape sequences and without a status line', async () => {
  const node = start();
  const client = await clientOf(node);
  await client.call('/ext/dev', 'dev.send', { to, amount: '2.5 AVAX' });
  await node.until(/^\d{4}-\S+Z info {2}#2 {2}1 tx {2}Transfer 1 {2}2\.5 AVAX$/m);
  client.close();
  const { out, err } = await node.stop();
  expect(err).toBe('');
  for (const part of ['\x1b', 'pending']) expect(out).not.toContain(part);
  expect(out).toMatch(/^\d{4}-\S+Z info {2}stopped at height 2; the chain was in memory and is lost\n$/m);
});

test('--silent prints nothing; --log-level warn prints no blocks; -v prints requests', async () => {
  const context = join(folder, 'silent.json');
  const silent = start('--silent', `--process-context-file=${context}`);
  for (let waited = 0; !existsSync(context) && waited < 20_000; waited += 20) await Bun.sleep(20);
  expect(await silent.stop()).toEqual({ code: 0, out: '', err: '' });
  const send = async (...flags: string[]) => {
    const node = start(...flags);
    const client = await clientOf(node);
    await client.call('/ext/dev', 'dev.send', { to, amount: 1 });
    client.close();
    await Bun.sleep(100);
    return node.stop();
  };
  const quiet = await send('--log-level=warn');
  expect(quiet.out).not.toContain('#2');
  const verbose = await send('-v');
  expect(verbose.out).toContain('#2');
  expect(verbose.err).toMatch(/^\d{4}-\S+Z debug POST \/ext\/dev: 200 in [\d.]+ ms$/m);
});

test('many blocks are gathered, and many refused calls counted', async () => {
  const node = start();
  const client = await clientOf(node);
  for (let i = 0; i < 120; i++) await client.call('/ext/dev', 'dev.send', { to, amount: 1_000_000_000 });
  // At once, so that they are near each other on a slow machine too.
  await Promise.all(Array.from({ length: 120 }, () => client.call('/ext/bc/X', 'avm.getTx', { txID: 'nonsense' })));
  await client.call('/ext/dev', 'dev.mine', {});
  const { result } = (await client.call('/ext/bc/X', 'avm.getHeight')) as unknown as { result: { height: string } };
  client.close();
  const { out } = await node.stop();
  const lines = out.split('\n').map((line) => line.replace(/^\S+Z info {2}/, ''));
  const blocks = lines.filter((line) => line.startsWith('#'));
  expect(blocks.length).toBeLessThan(119);
  const heights = blocks.flatMap((line) => {
    const [, first = '', last = first] = /^#(\d+)(?:-#(\d+))?/.exec(line) ?? [];
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);
  });
  expect(heights).toEqual(Array.from({ length: Number(result.height) - 1 }, (_, i) => i + 2));
  const refused = lines.filter((line) => line.startsWith('refused'));
  const counted = refused.map((line) => Number(/(\d+) more calls: avm\.getTx \1$/.exec(line)?.[1] ?? 1));
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(120);
  expect(refused.length).toBeLessThan(110);
});

test('refused calls that a reader process answers are shown too', async () => {
  const node = start(`--data-dir=${folder}/readers`, '--workers=2');
  const [, port = ''] = await node.until(/http:\/\/127\.0\.0\.1:(\d+)/);
  // The kernel distributes connections over the processes; each request has its own.
  const methods = Array.from({ length: 60 }, (_, i) => `avm.unknown${i}`);
  await Bun.sleep(1500);
  for (const method of methods) {
    const client = createClient(Number(port));
    await client.call('/ext/bc/X', method, {});
    client.close();
    await Bun.sleep(60);
  }
  for (const method of methods) await node.until(new RegExp(`Z info  refused  ${method} `, 'm'));
  const { code } = await node.stop();
  expect(code).toBe(0);
});
