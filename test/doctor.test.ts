import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '../src/cli/testnet/node-process.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';
import { eventually } from './processes.ts';
import { type Program, programCommand, runProgram, startIndexer, startProgram } from './program.ts';

/** `serac doctor` against healthy and broken nodes: each diagnosis has a cause and a remedy. */

async function diagnose(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, out, err } = await runProgram('doctor', ...args);
  expect([args, err, out.split('\n').filter((line) => line.length > 80)]).toEqual([args, '', []]);
  return { code, text: out.replace(/\s+/g, ' ') };
}

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

describe('a Serac node', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram();
    closing.push(node.stop);
  });

  test('healthy, by URL, by host and port, by the URL of its X-Chain, and as JSON', async () => {
    for (const url of [node.url, `127.0.0.1:${node.port}`, `${node.url}/ext/bc/X`]) {
      const { code, text } = await diagnose(url);
      expect([url, code]).toEqual([url, 0]);
      for (const part of ['serac/0.1.0', 'network local, id 12345', 'P, X, C: bootstrapped', 'healthy', 'height 0'])
        expect(text).toContain(part);
    }
    const { findings } = JSON.parse((await runProgram('doctor', '--json', '--url', node.url)).out) as { findings: { ok: boolean }[] };
    expect(findings.every(({ ok }) => ok)).toBe(true);
  });

  test('a host name that is not allowed', async () => {
    const { code, text } = await diagnose(`http://app.localhost:${node.port}`);
    expect([code, text]).toEqual([1, expect.stringContaining('--http-allowed-hosts=app.localhost')]);
  });

  test('unhealthy: the check and its error', async () => {
    await node.client.call('/ext/dev', 'dev.setUnhealthy', { check: 'diskspace', message: 'remaining disk space is too low' });
    const { code, text } = await diagnose(node.url);
    expect(code).toBe(1);
    expect(text).toContain('wrong health diskspace: remaining disk space is too low');
    expect(text).toContain('Free disk space');
  });
});

describe('modes of Serac: no false alarm', () => {
  const healthy = async (url: string, ...parts: string[]): Promise<void> => {
    const { code, text } = await eventually(
      () => diagnose(url),
      (found) => found.code === 0,
    );
    expect([code, text]).toEqual([0, expect.not.stringContaining('wrong')]);
    for (const part of parts) expect(text).toContain(part);
  };

  test('follow, and reader processes', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'serac-doctor-'));
    const node = await startProgram(`--data-dir=${dataDir}`, '--workers=2');
    const follower = await startProgram('follow', node.url, '--health-check-frequency=1s');
    const strict = await startProgram('follow', node.url, '--strict', '--health-check-frequency=1s');
    closing.push(strict.stop, follower.stop, node.stop, () => rmSync(dataDir, { recursive: true, force: true }));
    await healthy(node.url, '2 of 2 reader processes serve');
    await healthy(follower.url, 'X: bootstrapped; P and C are not run by Serac', 'follows a node: live, height 0');
    await healthy(strict.url, 'P and C are not run by Serac');
  });

  test('join', async () => {
    const joined = await startProgram('join', '--network-id=local', '--sybil-protection-enabled=false', '--staking-port=0');
    closing.push(joined.stop);
    await healthy(joined.url, 'X: bootstrapped; P and C are not run by Serac', 'mode joined a network of peers; validators are its nodes');
  });

  test.skipIf(!postgresInstalled)('index and api', async () => {
    const postgres = (await startPostgres()) as PrivatePostgres;
    const node = await startProgram('--network-id=1337');
    const flag = `--database-url=${postgres.url}`;
    const port = (await findFreePorts(1))[0] as number;
    const index = startIndexer(node.url, flag, `--http-port=${port}`);
    const api = await startProgram('api', flag);
    closing.push(api.stop, index.stop, node.stop, postgres.remove);
    await healthy(`http://127.0.0.1:${port}`, 'serac index: a server without Node RPC', 'writes an index to PostgreSQL: live, height 0');
    await healthy(api.url, 'serac api: a server without Node RPC', 'network network-1337', 'ready ready', 'X-Chain height 0');
    await index.stop();
    await postgres.end('stop');
    const { code, text } = await diagnose(api.url);
    expect([code, text]).toEqual([1, expect.stringContaining('the database does not answer')]);
  });
});

describe('a hostile server', () => {
  const serveAll = (answer: (path: string) => Response): string => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: ({ url }) => answer(new URL(url).pathname) });
    closing.push(() => server.stop(true));
    return `http://127.0.0.1:${server.port}`;
  };

  test('an endless answer ends at a limit, in bounded memory', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    let sent = 0;
    const endless = serveAll(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => {
              sent += chunk.length;
              controller.enqueue(chunk);
            },
          }),
        ),
    );
    const { code, text } = await diagnose(endless);
    expect([code, text]).toEqual([1, expect.stringContaining('sends more than 64 MiB in one answer')]);
    expect(sent).toBeLessThan(512 * 1024 * 1024);
  });

  test('an answer that stalls is a sentence, not an exception', async () => {
    const stalled = serveAll(() => new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([0x7b])) })));
    const { code, text } = await diagnose(stalled);
    expect([code, text]).toEqual([1, expect.stringContaining('did not answer within 10 s')]);
  });

  test('what it says cannot control the terminal', async () => {
    const evil = '\x1b]0;owned\x07\x1b[2J\nok     health     healthy\u202e\u009b31m';
    const answer = (result: object): Response => Response.json({ jsonrpc: '2.0', id: 1, result });
    const hostile = serveAll((path) =>
      path === '/ext/health'
        ? Response.json({ healthy: false, checks: { [evil]: { error: evil } } })
        : path === '/ext/dev'
          ? answer({ snapshots: [{ name: evil, height: '1', time: '1' }], height: '1', time: '1' })
          : answer({
              version: evil,
              networkID: '1',
              networkName: evil,
              isBootstrapped: true,
              height: evil,
              numPeers: evil,
              block: { time: 1 },
            }),
    );
    for (const args of [
      ['doctor', hostile],
      ['doctor', hostile, '--json'],
      ['snapshot', 'list', '--url', hostile],
      ['peers', '--url', hostile],
      ['rpc', 'info.getNodeVersion', '--url', hostile],
    ]) {
      const { out, err } = await runProgram(...args);
      expect([args, /[^\P{C}\n]/u.test(out + err)]).toEqual([args, false]);
      expect([args, out.split('\n').filter((line) => line.startsWith('ok     health'))]).toEqual([args, []]);
    }
    const refused = serveAll(() => Response.json({ jsonrpc: '2.0', id: 1, error: { code: 1, message: evil } }));
    const { err } = await runProgram('mine', '--url', refused);
    expect([err.split('\n').length, /[^\P{C}\n]/u.test(err)]).toEqual([2, false]);
  });

  test('tail prints events on one line each', async () => {
    const evil = 'x\x1b[2J\nblock 9';
    const event = `id: 1\nevent: reverted\ndata: ${JSON.stringify({ chain: 'X', height: 1, time: 1, snapshot: evil })}\n\n`;
    const stream = serveAll((path) =>
      path === '/ext/events'
        ? new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(event)) }))
        : new Response('', { status: 404 }),
    );
    const child = Bun.spawn([...programCommand, 'tail', '--url', stream], { stdout: 'pipe' });
    const { value } = await child.stdout.getReader().read();
    child.kill();
    expect(Buffer.from(value as Uint8Array).toString()).toBe('reverted to height 1 (snapshot x?[2J?block 9), 1970-01-01T00:00:01Z\n');
  });
});

describe('no node', () => {
  test('a port where nothing listens, and an unknown host name', async () => {
    expect(await diagnose('http://127.0.0.1:1')).toEqual({
      code: 1,
      text: expect.stringContaining('no HTTP server answers at http://127.0.0.1:1 Check that the node is running'),
    });
    expect(await diagnose('https://127.0.0.1:1')).toEqual({ code: 1, text: expect.stringContaining('try http:// instead of https://') });
    expect(await diagnose('http://no-such-host.invalid:9650')).toEqual({
      code: 1,
      text: expect.stringContaining('the host name no-such-host.invalid is unknown'),
    });
    expect((await runProgram('doctor', 'http://a b')).code).toBe(2);
  });

  test('a web server, a server without /ext/info, and one that does not speak HTTP', async () => {
    const web = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<h1>hello</h1>') });
    const empty = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('no', { status: 404 }) });
    const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    closing.push(
      () => web.stop(true),
      () => empty.stop(true),
      () => other.close(),
    );
    expect((await diagnose(`127.0.0.1:${web.port}`)).text).toContain('answers with status 200, but not as an Avalanche node');
    expect((await diagnose(`127.0.0.1:${empty.port}`)).text).toContain('it runs with --api-info-enabled=false');
    expect((await diagnose(`127.0.0.1:${(other.address() as { port: number }).port}`)).text).toContain('no HTTP server answers');
  });
});

const binary = process.env.AVALANCHEGO;

describe.skipIf(binary === undefined)('a real AvalancheGo', () => {
  test('healthy', async () => {
    const node = await startAvalancheGo(binary as string);
    closing.push(node.stop);
    const { code, text } = await diagnose(node.url);
    expect(code).toBe(0);
    for (const part of ['avalanchego/1.14.2', 'P, X, C: bootstrapped', 'healthy, 10 checks']) expect(text).toContain(part);
    const { port } = new URL(node.url);
    expect((await diagnose(`http://app.localhost:${port}`)).text).toContain('--http-allowed-hosts=app.localhost');
    const { code: refused, err } = await runProgram('accounts', '--url', node.url);
    expect([refused, err]).toEqual([1, expect.stringContaining('this node has no dev methods: it is AvalancheGo')]);
  });

  test('started without --sybil-protection-enabled=false: it waits for validators that do not exist', async () => {
    const node = await startAvalancheGo(binary as string, { isAlone: false });
    closing.push(node.stop);
    const { code, text } = await diagnose(node.url);
    expect(code).toBe(1);
    expect(text).toContain('wrong chains P, X, C: not bootstrapped');
    expect(text).toContain('not connected to enough stake');
    expect(text).toContain('start it with --sybil-protection-enabled=false');
  });
});
