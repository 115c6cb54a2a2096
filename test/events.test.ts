import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventKind, eventKinds } from '../src/api/contract/event-kinds.ts';
import { findMismatches } from '../src/api/contract/schema-mismatches.fixture.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { createKey } from './api-keys.ts';
import { openEvents, type ReceivedEvent, resumable } from './event-client.ts';
import { recordTime } from './figure.ts';
import { eventually } from './processes.ts';
import { type Program, startIndexer, startProgram } from './program.ts';
import { createSelfTransfers } from './self-transfers.ts';
import { hasServers, openServers, suiteName } from './servers.ts';
import type { Key } from './wallet-kit.ts';
import { addressHook, createWebhookCalls, startReceiver } from './webhook-receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-event-stream-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isTx = (txID: string | undefined) => (event: ReceivedEvent) => event.kind === 'tx' && event.data.txID === txID;
const isHeartbeat = ({ kind }: ReceivedEvent): boolean => kind === 'heartbeat';
const formatAddress = createAddressFormatter('X', 'local');

describe('a node with a writer and a reader process', () => {
  const dataDir = `--data-dir=${join(folder, 'workers')}`;
  const { wallet, send } = createSelfTransfers('events');
  let node: Program;
  beforeAll(async () => {
    node = await startProgram(dataDir, '--workers=1');
  });
  afterAll(() => node?.stop());
  let all: readonly ReceivedEvent[] = [];

  test('every connection gets the same events, whichever process serves it, over SSE and WebSocket', async () => {
    const clients = Array.from({ length: 24 }, () => openEvents(node.port));
    const sockets = Array.from({ length: 12 }, () => openWebSocket(node));
    await Promise.all([...clients.map((client) => client.until(isHeartbeat)), ...sockets.map(({ until }) => until('heartbeat'))]);
    const ids = await send(node.client, 6);
    await Promise.all(clients.map((client) => client.until(isTx(ids.at(-1)))));
    all = resumable((clients[0] as (typeof clients)[number]).events);
    expect(all.filter(({ kind }) => kind === 'tx').map(({ data }) => data.txID)).toEqual(ids);
    for (const client of clients) {
      expect(resumable(client.events)).toEqual(all);
      expect(client.events.filter(({ kind, data }) => kind === 'mempool' && data.action === 'in').map(({ data }) => data.txID)).toEqual(
        ids,
      );
      for (const { kind, data } of client.events)
        expect(findMismatches(eventKinds[kind as EventKind].schema, data, { strict: kind !== 'tx' })).toEqual([]);
      client.close();
    }
    for (const socket of sockets) {
      await socket.until('tx', ids.at(-1));
      expect(resumable(socket.events)).toEqual(all.map(({ kind, data }) => ({ kind, data })));
      socket.close();
    }
  });

  test('with an address only its transactions come; past ones are sent on request', async () => {
    const [, , other] = wallet.keys as [Key, Key, Key];
    const start = all[0]?.id?.replace(/-.*/, '-0') as string;
    const client = openEvents(node.port, `?address=${formatAddress(other.address)}&kind=tx&lastEventId=${start}`);
    await client.until(isHeartbeat);
    expect(resumable(client.events)).toEqual([]);
    const [wanted] = await send(node.client, 1, other);
    const [unwanted] = await send(node.client, 1);
    await client.until(isTx(wanted));
    await client.until(({ id, kind }) => kind === 'heartbeat' && Number(id?.split('-')[1]) >= 8);
    expect(resumable(client.events).map(({ data }) => data.txID)).toEqual([wanted]);
    expect(JSON.stringify(client.events)).not.toContain(unwanted as string);
    const { balanceChanges } = (resumable(client.events)[0] as ReceivedEvent).data as {
      balanceChanges: { address: string; change: string }[];
    };
    expect(balanceChanges.find(({ address }) => address === formatAddress(other.address))?.change).toBe('5');
    client.close();
  });

  test('after a restart a client resumes where it was, in any process', async () => {
    const [before] = [all[3]?.id as string];
    expect(await node.stop()).toBe(0);
    node = await startProgram(dataDir, '--workers=1');
    const [newest] = await send(node.client, 1);
    const clients = Array.from({ length: 16 }, (_, i) =>
      i % 2 === 0 ? openEvents(node.port, '', { 'last-event-id': before }) : openEvents(node.port, `?lastEventId=${before}`),
    );
    for (const client of clients) {
      await client.until(isTx(newest));
      expect(resumable(client.events).slice(0, all.length - 4)).toEqual(all.slice(4));
      expect(new Set(resumable(client.events).map(({ id }) => id)).size).toBe(resumable(client.events).length);
      client.close();
    }
  });

  test('a client and a webhook resume before a block that no cache has room for', async () => {
    const [, , other] = wallet.keys as [Key, Key, Key];
    const receiver = startReceiver();
    const callHooks = createWebhookCalls(node.url);
    const { json: hook } = await callHooks('POST', '', addressHook(receiver.url, [formatAddress(other.address)]));
    await callHooks('PATCH', `/${hook.id}`, { status: 'inactive' });
    const { id } = JSON.parse((await node.client.send('GET', '/ext/events/position')).text) as { id: string };
    const [large] = await send(node.client, 1, other, 780);
    const [small] = await send(node.client, 1, other);
    const clients = Array.from({ length: 8 }, () => openEvents(node.port, `?lastEventId=${id}`));
    const sockets = Array.from({ length: 8 }, () => openWebSocket(node, `?lastEventId=${id}`));
    await Promise.all([...clients.map((client) => client.until(isTx(small))), ...sockets.map(({ until }) => until('tx', small))]);
    for (const { events, close } of [...clients, ...sockets]) {
      const received = events.filter(({ kind }) => ['block', 'tx', 'reset'].includes(kind));
      expect(received.map(({ kind, data }) => [kind, data.txID])).toEqual([
        ['block', undefined],
        ['tx', large],
        ['block', undefined],
        ['tx', small],
      ]);
      expect(JSON.stringify(received[1]?.data).length).toBeGreaterThan(60_000);
      close();
    }
    await callHooks('PATCH', `/${hook.id}`, { status: 'active' });
    await eventually(receiver.txIDs, (ids) => ids.length === 2);
    expect(receiver.txIDs()).toEqual([large, small] as string[]);
    await callHooks('DELETE', `/${hook.id}`);
    receiver.stop();
  });

  test('an unknown ID gets a reset', async () => {
    const client = openEvents(node.port, '?lastEventId=0000-5');
    await client.until(({ kind }) => kind === 'reset');
    client.close();
  });

  test('bad parameters, hosts and origins are refused', async () => {
    expect((await node.client.send('GET', '/ext/events?kind=foo')).status).toBe(400);
    expect((await node.client.send('POST', '/ext/events', {}, '')).status).toBe(405);
    const rebound = { host: 'evil.example', upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' };
    expect((await node.client.send('GET', '/ext/events', { host: 'evil.example' })).status).toBe(403);
    expect((await node.client.send('GET', '/ext/events', rebound)).status).toBe(403);
    expect((await node.client.send('GET', '/ext/events', { upgrade: 'websocket' })).status).toBe(400);
  });

  test('streams end with a last event when the node stops', async () => {
    const clients = Array.from({ length: 4 }, () => openEvents(node.port));
    const socket = openWebSocket(node);
    await Promise.all([...clients.map((client) => client.until(isHeartbeat)), socket.until('heartbeat')]);
    const start = performance.now();
    expect(await node.stop()).toBe(0);
    recordTime('stop with open event streams', start, 1000);
    for (const client of clients) await client.until(({ kind, data }) => kind === 'closed' && data.reason === 'stopping');
    expect(socket.events.at(-1)).toMatchObject({ kind: 'closed' });
  });
});

test('--strict has no event stream; a client resumes over the blocks of that time', async () => {
  const dataDir = `--data-dir=${join(folder, 'strict')}`;
  const { send } = createSelfTransfers('strict');
  const position = async (node: Program): Promise<string> =>
    (JSON.parse((await node.client.send('GET', '/ext/events/position')).text) as { id: string }).id;
  const first = await startProgram(dataDir);
  const [seen] = await send(first.client, 1);
  const id = await position(first);
  await first.stop();
  const strict = await startProgram(dataDir, '--strict');
  expect(await strict.client.send('GET', '/ext/events')).toMatchObject({ status: 404, text: '404 page not found\n' });
  const missed = await send(strict.client, 2);
  await strict.stop();
  const last = await startProgram(dataDir);
  const client = openEvents(last.port, '', { 'last-event-id': id });
  await client.until(isTx(missed[1]));
  expect(client.events.filter(({ kind }) => kind === 'tx').map(({ data }) => data.txID)).toEqual(missed);
  expect(missed).not.toContain(seen as string);
  client.close();
  await last.stop();
});

test('a WebSocket of a page is refused unless its origin is allowed', async () => {
  const node = await startProgram('--http-allowed-origins=https://good.example');
  const upgrade = (origin: string) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(`${node.url.replace('http', 'ws')}/ext/events`, { headers: { origin } } as never);
      socket.onopen = () => resolve(101);
      socket.onerror = () => resolve(403);
    });
  expect(await upgrade('https://good.example')).toBe(101);
  expect(await upgrade('https://evil.example')).toBe(403);
  await node.stop();
});

test('with --require-api-key a key is needed, and limits apply over all processes', async () => {
  const dataDir = `--data-dir=${join(folder, 'keys')}`;
  const node = await startProgram(dataDir, '--workers=1', '--require-api-key', '--rate-limits=on');
  await eventually(
    async () => JSON.stringify((await node.client.call('/ext/health', 'health.health', {})).result),
    (report) => report.includes('"serving":1'),
  );
  const { header } = await createKey(dataDir);
  expect((await node.client.send('GET', '/ext/events')).status).toBe(401);
  const clients = Array.from({ length: 140 }, () => openEvents(node.port, '', header));
  await Promise.all(clients.map(async (client) => expect(await statusOf(client)).toMatch(/ (200|429) /)));
  expect(clients.filter((client) => client.status().includes(' 429 '))).toHaveLength(76);
  clients.find((client) => client.status().includes(' 200 '))?.close();
  await Bun.sleep(200);
  const another = openEvents(node.port, '', header);
  expect(await statusOf(another)).toContain(' 200 ');
  for (const client of [...clients, another]) client.close();
  await node.stop();
});

test('a client that does not read is cut off with a last event, and resumes from its last ID', async () => {
  const node = await startProgram();
  const { send } = createSelfTransfers('slow');
  const slow = openEvents(node.port);
  const fast = openEvents(node.port);
  await Promise.all([slow.until(isHeartbeat), fast.until(isHeartbeat)]);
  slow.socket.pause();
  const pausedAt = performance.now();
  const ids = await send(node.client, 280, undefined, 150);
  await fast.until(isTx(ids.at(-1)));
  expect(fast.events.filter(({ kind }) => kind === 'tx')).toHaveLength(ids.length);
  slow.socket.resume();
  // After 10 s without reading the server closes the connection, and no last event arrives.
  await Promise.race([slow.until(({ kind }) => kind === 'closed'), slow.closed]);
  if (performance.now() - pausedAt < 9000) expect(slow.events.at(-1)).toMatchObject({ kind: 'closed', data: { reason: 'too-slow' } });
  const received = slow.events.filter(({ kind }) => kind === 'tx');
  expect(received.length).toBeLessThan(ids.length);
  // Resuming from the last ID gives the rest.
  const again = openEvents(node.port, '', { 'last-event-id': slow.events.findLast(({ id }) => id !== undefined)?.id as string });
  await again.until(isTx(ids.at(-1)));
  expect([...received, ...again.events.filter(({ kind }) => kind === 'tx')].map(({ data }) => data.txID)).toEqual(ids);
  for (const client of [slow, fast, again]) client.close();
  await node.stop();
});

describe.skipIf(!hasServers)(suiteName('serac api', hasServers), () => {
  test('streams the blocks of serac index, and resumes on another server', async () => {
    const servers = await openServers('events');
    const node = await startProgram();
    const { send } = createSelfTransfers('api');
    const database = `--database-url=${servers.database}`;
    const indexer = startIndexer(node.url, database);
    const [first, second] = [await startProgram('api', database), await startProgram('api', database)];
    const client = openEvents(first.port, '?kind=tx,block');
    await client.until(isHeartbeat);
    const ids = await send(node.client, 5);
    await client.until(isTx(ids.at(-1)));
    const all = resumable(client.events);
    expect(all.filter(({ kind }) => kind === 'tx').map(({ data }) => data.txID)).toEqual(ids);
    for (const { kind, data } of all)
      expect(findMismatches(eventKinds[kind as EventKind].schema, data, { strict: kind !== 'tx' })).toEqual([]);
    for (const [i, { id }] of all.entries()) {
      const resumed = openEvents(second.port, '', { 'last-event-id': id as string });
      await resumed.until(isHeartbeat);
      expect(resumable(resumed.events)).toEqual(all.slice(i + 1));
      resumed.close();
    }
    // Notifications arrive well before the next poll, which is at most 1 s away.
    const start = performance.now();
    const [last] = await send(node.client, 1);
    await client.until(isTx(last));
    recordTime('event from serac api', start, 1000);
    client.close();
    await Promise.all([indexer.stop(), first.stop(), second.stop(), node.stop()]);
    await servers.close();
  });
});

async function statusOf(client: ReturnType<typeof openEvents>): Promise<string> {
  for (let i = 0; i < 1000 && client.status() === ''; i++) await Bun.sleep(5);
  return client.status();
}

function openWebSocket({ url }: Program, query = '') {
  const events: { readonly kind: string; readonly data: Record<string, unknown> }[] = [];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ext/events${query}`);
  socket.onmessage = ({ data }) => {
    const parsed = JSON.parse(data as string) as { kind: string };
    events.push({ kind: parsed.kind, data: parsed });
  };
  return {
    events,
    close: () => socket.close(),
    until: async (kind: string, txID?: string) => {
      for (let i = 0; i < 4000; i++) {
        if (events.some((event) => event.kind === kind && (txID === undefined || event.data.txID === txID))) return;
        await Bun.sleep(5);
      }
      throw new Error(`no ${kind} event: ${JSON.stringify(events).slice(0, 500)}`);
    },
  };
}
