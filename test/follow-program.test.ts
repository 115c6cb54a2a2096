import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { recordTime } from './figure.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** `serac follow` of a running node, of one that is down, and of one that accepts connections but never responds. */

const wallet = createWallet('follow-program', { keys: [ewoq], count: 1 });
const tx = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(localChainParams.feeAsset, 1n, ownedBy([ewoq]))]));
const folder = mkdtempSync(join(tmpdir(), 'serac-follow-program-'));
const dataDir = join(folder, 'followed');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const get = async ({ client }: Program, path: string) => {
  const { status, text } = await client.send('GET', path);
  return { status, json: JSON.parse(text) as { checks: Record<string, { error?: string; message?: unknown }> } };
};
const x = ({ client }: Program, method: string, params: object = {}) => client.call('/ext/bc/X', `avm.${method}`, params);
const info = ({ client }: Program, method: string, params: object = {}) => client.call('/ext/info', `info.${method}`, params);

test('the banner shows the followed URL without its credentials', async () => {
  const node = await startProgram('--workers=0');
  const follower = await startProgram('follow', node.url.replace('http://', 'http://user:secret@'), '--log-level=warn');
  try {
    expect(follower.banner).toMatchObject({ following: node.url });
  } finally {
    await Promise.all([follower.stop(), node.stop()]);
  }
});

test('a follower with all blocks of its node is bootstrapped and not a validator', async () => {
  const node = await startProgram('--workers=0', '--log-level=trace');
  const follower = await startProgram('follow', node.url, `--data-dir=${dataDir}`);
  try {
    expect((await x(follower, 'issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' })).error).toBeUndefined();
    await eventually(
      () => x(follower, 'getHeight'),
      ({ result }) => (result as unknown as { height: string }).height === '1',
    );
    expect(await x(follower, 'getTxStatus', { txID: idText(tx.id) })).toMatchObject({ result: { status: 'Accepted' } });
    // Sooner than the next round of health checks.
    const ready = await eventually(
      () => get(follower, '/ext/health/readiness'),
      ({ status }) => status === 200,
      25_000,
    );
    expect(ready.status).toBe(200);
    expect((await get(follower, '/ext/health')).json.checks.follow?.message).toMatchObject({ unknownImports: 0 });
    expect(await info(follower, 'isBootstrapped', { chain: 'X' })).toMatchObject({ result: { isBootstrapped: true } });
    // Chains that are not followed.
    for (const chain of ['P', 'C'])
      expect(await info(follower, 'isBootstrapped', { chain })).toMatchObject({ result: { isBootstrapped: false } });
    await expectNoValidator(follower);
    expect(node.stderrText()).toMatch(/^\{.*"level":"trace","message":"X: accepted block 1, \w+, transactions: 1"\}\n$/);
    // A slow machine shows the progress too.
    const lines = follower
      .stderrText()
      .trimEnd()
      .split('\n')
      .filter((line) => !line.includes('"event":"progress"'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', message: `caught up with ${node.url} at height 0` }]);
  } finally {
    await follower.stop();
    await node.stop();
  }
});

test('health follows the state of following at once, not at the next round of health checks', async () => {
  const node = await startProgram('--workers=0');
  let isAvailable = false;
  const front = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      // The follower asks for the network first.
      const body = await request.text();
      if (!isAvailable && !body.includes('info.getNetworkID')) return new Response('', { status: 503 });
      const answer = await node.client.send('POST', new URL(request.url).pathname, { 'content-type': 'application/json' }, body);
      return new Response(answer.text, { status: answer.status, headers: { 'content-type': 'application/json' } });
    },
  });
  let follower: Program | undefined;
  try {
    const started = await startProgram('follow', `http://127.0.0.1:${front.port}`, '--health-check-frequency=1h');
    follower = started;
    const statusBecomes = (expected: number) =>
      eventually(
        async () => (await get(started, '/ext/health')).status,
        (status) => status === expected,
        60_000,
      );
    expect(await statusBecomes(503)).toBe(503);
    for (const [available, status] of [
      [true, 200],
      [false, 503],
      [true, 200],
    ] as const) {
      isAvailable = available;
      expect(await statusBecomes(status)).toBe(status);
    }
  } finally {
    await follower?.stop();
    await front.stop(true);
    await node.stop();
  }
});

describe('a node that does not answer', () => {
  let silentServer: Server;
  beforeAll(async () => {
    silentServer = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void silentServer.close());

  const urls = {
    down: () => 'http://127.0.0.1:1',
    silent: () => `http://127.0.0.1:${(silentServer.address() as { port: number }).port}`,
  };
  for (const [what, url] of Object.entries(urls))
    test(`${what} at the start: stored data is served, and the follower is neither ready nor bootstrapped`, async () => {
      const follower = await startProgram('follow', url(), `--data-dir=${dataDir}`);
      try {
        expect(await x(follower, 'getHeight')).toMatchObject({ result: { height: '1' } });
        expect(await x(follower, 'getTxStatus', { txID: idText(tx.id) })).toMatchObject({ result: { status: 'Accepted' } });
        const ready = await get(follower, '/ext/health/readiness');
        expect([ready.status, ready.json.checks.bootstrapped?.error]).toEqual([503, 'subnets not bootstrapped']);
        const health = await get(follower, '/ext/health');
        expect(health.status).toBe(503);
        expect(health.json.checks.X?.message).toMatchObject({ engine: { consensus: {} } });
        expect(health.json.checks.P).toBeUndefined();
        expect(await info(follower, 'isBootstrapped', { chain: 'X' })).toMatchObject({ result: { isBootstrapped: false } });
        await expectNoValidator(follower);
        const began = performance.now();
        const issued = await x(follower, 'issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
        expect(issued.error).toMatchObject({ data: { code: 'FOLLOW_SILENT' } });
        recordTime(`issueTx of a follower whose node is ${what}`, began, 6000);
      } finally {
        await follower.stop();
      }
    });
});

/** Expects AvalancheGo's responses of a node that is not a validator. */
async function expectNoValidator(follower: Program): Promise<void> {
  expect((await info(follower, 'uptime')).error?.message).toBe("couldn't get node uptime: node is not a validator");
  expect((await get(follower, '/ext/health')).json.checks.bls?.message).toBe('node is not a validator');
}
