import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createServer } from 'node:net';
import { startAvalancheGo } from './avalanchego.ts';
import { type Program, runProgram, startProgram } from './program.ts';

/** `serac doctor` against healthy and broken nodes: each diagnosis has a cause and a remedy. */

setDefaultTimeout(120_000);

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
