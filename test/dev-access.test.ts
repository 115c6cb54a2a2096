import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from './http.ts';
import { eventually, socketsOf, untilReader } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** `/ext/dev` changes what the chain can import, so every process of the node serves it to local programs only. */
describe('/ext/dev of a node with a reader process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-dev-'));
  let node: Program;
  beforeAll(async () => {
    node = await startProgram(`--data-dir=${folder}`, '--workers=1');
    const reader = await untilReader(node.pid);
    const before = socketsOf(reader);
    await eventually(
      async () => {
        await send({});
        return socketsOf(reader);
      },
      (now) => now > before,
    );
  });
  afterAll(async () => {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev.addAtomicUTXO', params: { sourceChain: 'P', utxo: '0x' } });

  /** Statuses of the same call on new connections, which the operating system distributes over the processes. */
  const send = async (headers: Record<string, string>): Promise<number[]> => {
    const clients = Array.from({ length: 24 }, () => createClient(node.port));
    const responses = await Promise.all(clients.map((client) => client.send('POST', '/ext/dev', headers, call)));
    for (const client of clients) client.close();
    return [...new Set(responses.map(({ status }) => status))];
  };
  const json = { 'content-type': 'application/json' };

  test('a local program is admitted', async () => {
    expect(await send(json)).toEqual([200]);
    expect(await send({ ...json, host: `localhost:${node.port}` })).toEqual([200]);
    expect(await send({ ...json, origin: node.url })).toEqual([200]);
  });

  test('a request forwarded by a proxy on the same host is refused', async () => {
    const forwarded: readonly Record<string, string>[] = [
      { 'x-forwarded-for': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
      { 'x-real-ip': '203.0.113.9' },
      { via: '1.1 proxy' },
      { 'cf-ray': '1' },
      { 'x-request-id': '1' },
      { 'client-ip': '203.0.113.9' },
    ];
    for (const headers of forwarded) expect([headers, await send({ ...json, ...headers })]).toEqual([headers, [403]]);
    expect(await send({ ...json, host: '192.0.2.7:9650' })).toEqual([403]);
  });

  test('a web page of another origin is refused, with a content type or without', async () => {
    expect(await send({ ...json, origin: 'https://evil.example' })).toEqual([403]);
    expect(await send({ origin: 'https://evil.example' })).toEqual([403]);
    expect(await send({ origin: 'null' })).toEqual([403]);
  });
});

describe('/ext/dev with --dev-token', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-token-'));
  const token = 'open-sesame-1234';
  let node: Program;
  beforeAll(async () => {
    node = await startProgram(`--data-dir=${folder}`, '--workers=1', '--http-host=0.0.0.0', `--dev-token=${token}`);
    await untilReader(node.pid);
    await eventually(
      async () =>
        (await node.client.call('/ext/health', 'health.health', {})).result as
          | { checks: Record<string, { message: { serving: number } }> }
          | undefined,
      (report) => report?.checks.readers?.message.serving === 1,
    );
  });
  afterAll(async () => {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev.getTime' });
  /** Statuses of the same call on new connections. */
  const send = async (headers: Record<string, string>): Promise<number[]> => {
    const clients = Array.from({ length: 24 }, () => createClient(node.port));
    const responses = await Promise.all(
      clients.map((client) => client.send('POST', '/ext/dev', { 'content-type': 'application/json', ...headers }, body)),
    );
    for (const client of clients) client.close();
    return [...new Set(responses.map(({ status }) => status))];
  };

  test('the token admits a caller from anywhere, in every process', async () => {
    const authorization = `Bearer ${token}`;
    expect(await send({ authorization })).toEqual([200]);
    for (const scheme of ['bearer', 'BEARER'])
      expect([scheme, await send({ authorization: `${scheme} ${token}` })]).toEqual([scheme, [200]]);
    expect(await send({ authorization, 'x-forwarded-for': '203.0.113.9', host: '192.0.2.7:9650' })).toEqual([200]);
    expect(await send({ authorization, origin: 'https://app.example' })).toEqual([200]);
  });

  test('without the token a local program is refused, with the remedy', async () => {
    for (const headers of [{}, { authorization: `Bearer ${token}x` }, { authorization: token }, { authorization: 'Bearer ' }])
      expect([headers, await send(headers as Record<string, string>)]).toEqual([headers, [403]]);
    const { text } = await node.client.send('POST', '/ext/dev', { 'content-type': 'application/json' }, body);
    expect(text).toContain('Authorization: Bearer');
  });
});

test('/ext/dev does not exist with --public-api, on other addresses without a token, and while following', async () => {
  const followed = await startProgram();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev.getTime' });
  for (const flags of [
    ['--public-api'],
    ['--public-api', '--dev-token=open-sesame-1234'],
    ['--http-host=0.0.0.0'],
    ['follow', followed.url, '--log-level=off'],
  ]) {
    const node = await startProgram(...flags);
    const { status } = await node.client.send(
      'POST',
      '/ext/dev',
      { 'content-type': 'application/json', authorization: 'Bearer open-sesame-1234' },
      body,
    );
    await node.stop();
    expect([flags, status]).toEqual([flags, 404]);
  }
  const copy = await startProgram('--network-id=fuji');
  const { result } = await copy.client.call('/ext/dev', 'dev.getTime', {});
  await copy.stop();
  await followed.stop();
  expect(result).toMatchObject({ frozen: false });
});
