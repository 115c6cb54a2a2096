import { afterEach, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { nodes } from '../../../test/nodes.ts';
import { type IpRange, parseIpRange } from '../../base/bytes/ip-address.ts';
import { serve } from './bun/serve.ts';
import { type ConnectionLimit, countHandles, createConnectionLimit } from './connection-limit.ts';
import { createTestServers, send, until } from './serve.fixture.ts';
import type { Server } from './serve.ts';

/** Connections of clients that send nothing. */

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Opens silent connections. Returns how many of them the server has closed. */
function openSilent(port: number, count: number): () => number {
  let closed = 0;
  for (let i = 0; i < count; i++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('close', () => closed++);
    sockets.push(socket);
  }
  return () => closed;
}

/** The handles of this process include those of the clients, so the limit of all is that of another number of handles. */
const limitTo = (limits: Pick<ConnectionLimit, 'max' | 'maxPerAddress' | 'maxHandles'>): ConnectionLimit => ({
  ...createConnectionLimit(
    { limit: 1000, open: countHandles() },
    () => {},
    () => 0,
    () => {},
  ),
  ...limits,
});

const many = 1_000_000;

const request = 'GET / HTTP/1.1\r\nHost: h';

describe.if(process.platform === 'linux')('Bun.serve', () => {
  const servers = createTestServers(serve);
  afterEach(servers.close);

  test('of one address connections above the limit are closed, and a request is answered', async () => {
    const connectionLimit = limitTo({ max: many, maxPerAddress: 10, maxHandles: countHandles() + 500 });
    const server = await servers.start({ connectionLimit });
    const closed = openSilent(server.port, 40);
    await until(async () => closed() >= 30);
    for (let i = 0; i < 5; i++) expect((await send(server, request)).toString()).toStartWith('HTTP/1.1 201');
    expect(connectionLimit.check().error).toBeUndefined();
  });

  test('a trusted proxy may have more than another address, and a part of the handles is kept for other use', async () => {
    const connectionLimit = limitTo({ max: many, maxPerAddress: 4, maxHandles: countHandles() + 60 });
    const server = await servers.start({ connectionLimit, trustedProxies: [parseIpRange('127.0.0.0/8') as IpRange] });
    const closed = openSilent(server.port, 40);
    // 80 handles, of clients and server.
    await until(async () => connectionLimit.check().error !== undefined && closed() >= 10);
    expect(sockets.length - closed()).toBeGreaterThan(4);
    expect((await send(server, request)).toString()).toStartWith('HTTP/1.1 201');
  });

  test('without a limit all stay open', async () => {
    const server = await servers.start();
    const closed = openSilent(server.port, 40);
    expect((await send(server, request)).toString()).toStartWith('HTTP/1.1 201');
    expect(closed()).toBe(0);
  });
});

test.each(nodes.slice(0, 1))(
  'node:http on $name: connections above the limit of an address are closed, and a request is answered',
  async ({ path }) => {
    // Built, since older versions of Node do not run TypeScript.
    const built = await Bun.build({ entrypoints: [new URL('./connection-server.fixture.ts', import.meta.url).pathname], target: 'node' });
    const child = Bun.spawn([path, '--input-type=module', '-e', (await built.outputs[0]?.text()) ?? ''], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) })[Symbol.asyncIterator]();
    const port = Number((await lines.next()).value);
    // Of 64 handles 16 are in reserve and 32 in use; an address gets half of the other 16.
    const closed = openSilent(port, 40);
    await until(async () => closed() >= 32);
    for (let i = 0; i < 5; i++) expect((await send({ port } as Server, request)).toString()).toStartWith('HTTP/1.1 201');
    child.kill('SIGTERM');
    const check = JSON.parse(String((await lines.next()).value)) as { details: { closed: number }; error?: string };
    expect(check.error).toBeUndefined();
    expect(check.details.closed).toBeGreaterThanOrEqual(32);
    expect(await child.exited).toBe(0);
  },
);
