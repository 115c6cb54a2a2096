import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from './http.ts';
import { type Program, startProgram } from './program.ts';

/** With --public-api, each address has a limit of Node RPC calls, over all processes of the node. */

const folder = mkdtempSync(join(tmpdir(), 'serac-public-'));
const plans = join(folder, 'plans.json');
let node: Program;
beforeAll(async () => {
  writeFileSync(plans, JSON.stringify({ node: { anonymous: { perMinute: 20, perDay: 100 } } }));
  const flags = ['--public-api', '--rate-limits=on', '--trusted-proxies=127.0.0.1', `--rate-limit-plans=${plans}`];
  node = await startProgram(`--data-dir=${join(folder, 'data')}`, '--workers=1', ...flags);
});
afterAll(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const call = { jsonrpc: '2.0', id: 1, method: 'avm.getHeight', params: {} };

/** Sends each request on a connection of its own, which the operating system distributes over the processes. */
const send = (from: string, count: number, body: object) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const client = createClient(node.port);
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
      const response = await client.send('POST', '/ext/bc/X', headers, JSON.stringify(body));
      client.close();
      return response;
    }),
  );

test('calls over the limit get 429 with the time to wait; other addresses are answered', async () => {
  const statuses = (await send('203.0.113.1', 25, call)).map(({ status }) => status);
  expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length]).toEqual([20, 5]);
  const [refused] = await send('203.0.113.1', 1, call);
  expect(refused?.status).toBe(429);
  expect(refused?.text).toContain('Too many requests: the limit of 20 in a minute is reached');
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
  expect((await send('203.0.113.2', 1, call))[0]?.status).toBe(200);
});

test('every call of a batch counts, and the addresses of an IPv6 /64 count together', async () => {
  const batch = Array.from({ length: 15 }, () => call);
  expect((await send('2001:db8:1:2::1', 1, batch))[0]?.status).toBe(200);
  expect((await send('2001:db8:1:2::2', 1, batch))[0]?.status).toBe(429);
  expect((await send('2001:db8:1:2::3', 1, call))[0]?.status).toBe(200);
});
