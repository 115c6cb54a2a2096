import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { certificatePem, newKeyPair, privateKeyPem } from '../../network/identity/certificate.ts';
import type { ListenOptions, PeerSocket, PeerSockets } from '../../network/peers/socket.ts';
import { waitUntil } from '../../network/peers/test-peers.fixture.ts';
import { openPeerSockets as openSocketsOfBun } from './bun/peer-sockets.ts';
import { openPeerSockets as openSocketsOfNode } from './node/peer-sockets.ts';

const [here, there] = [newKeyPair(1_700_000_000n), newKeyPair(1_700_000_001n)];
const pemOf = (pair: typeof here) => ({ cert: certificatePem(pair), key: privateKeyPem(pair) });
const ip = '127.0.0.1';
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

type Open = (certificate: string, privateKey: string) => PeerSockets;
const kinds: readonly [string, Open][] = [
  ['bun', openSocketsOfBun],
  ['node', openSocketsOfNode],
];

async function listenOn(open: Open, options: Partial<ListenOptions> = {}) {
  const accepted = Promise.withResolvers<PeerSocket>();
  const rejected = Promise.withResolvers<string>();
  const listener = await open(pemOf(here).cert, pemOf(here).key).listen({
    host: ip,
    port: 0,
    handshakeTimeout: 5000,
    mayConnect: () => true,
    connected: accepted.resolve,
    rejected: (_, reason) => rejected.resolve(reason),
    ...options,
  });
  return { ...listener, port: listener.endpoint.port, accepted: accepted.promise, rejected: rejected.promise };
}

const dial = (open: Open, port: number, timeout = 5000): Promise<PeerSocket> =>
  open(pemOf(there).cert, pemOf(there).key).dial({ ip, port }, timeout);

/** Starts a socket; resolves to what it received when it was closed. */
function collect(socket: PeerSocket) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const closed = new Promise<Buffer>((resolve) =>
    socket.start({
      data: (chunk) => {
        chunks.push(Uint8Array.from(chunk));
        size += chunk.length;
      },
      closed: () => resolve(Buffer.concat(chunks)),
    }),
  );
  return { closed, size: () => size };
}

const until = async (condition: () => boolean): Promise<void> => expect(await waitUntil(condition, 20_000)).toBe(true);

/** Forwards connections to a port and lets `change` see what the server sends. */
async function proxyTo(port: number, change: (bytes: Buffer, offset: number) => Buffer) {
  const server = createServer((near) => {
    const far = connectPlain(port, ip);
    let offset = 0;
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes: Buffer) => {
      near.write(change(bytes, offset));
      offset += bytes.length;
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as [Socket, Socket][]) {
      from.on('close', () => to.destroy());
      from.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, ip, resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

for (const [dialling, openDialling] of kinds)
  for (const [listening, openListening] of kinds)
    test(`${dialling} dials ${listening}: both know the other's certificate and the channel, and bytes arrive in order`, async () => {
      const listener = await listenOn(openListening);
      const near = await dial(openDialling, listener.port);
      const far = await listener.accepted;
      expect(near.certificate).toEqual(Uint8Array.from(here.certificate));
      expect(far.certificate).toEqual(Uint8Array.from(there.certificate));
      expect([near.channelId.length, near.channelId]).toEqual([32, far.channelId]);
      expect([near.remote, far.remote.ip]).toEqual([{ ip, port: listener.port }, ip]);
      const bytes = crypto.getRandomValues(new Uint8Array(60_000));
      let written = 0;
      // More than the system buffers, before the other end reads.
      for (let i = 0; i < 100; i++) near.write(bytes, () => void written++);
      const { closed, size } = collect(far);
      await until(() => size() === 100 * bytes.length);
      expect(written).toBe(100);
      near.close();
      expect(hash(await closed)).toBe(hash(Buffer.concat(Array.from({ length: 100 }, () => bytes))));
      await listener.close();
    });

describe.each(kinds)('%s', (_, open) => {
  test('what arrives before the start is delivered after it, and closing is told at both ends', async () => {
    const listener = await listenOn(open);
    const near = await dial(open, listener.port);
    const far = await listener.accepted;
    near.write(Buffer.from('early'), () => {});
    await Bun.sleep(50);
    const received = collect(far);
    expect(received.size()).toBe(0);
    await until(() => received.size() === 5);
    const nearEnd = collect(near);
    near.close();
    expect(String(await received.closed)).toBe('early');
    await nearEnd.closed;
    await listener.close();
  });

  test('a paused socket makes the sender wait', async () => {
    const listener = await listenOn(open);
    const near = await dial(open, listener.port);
    const far = await listener.accepted;
    const received = collect(far);
    near.write(Buffer.alloc(10), () => {});
    await until(() => received.size() === 10);
    far.pause();
    let taken = 0;
    const chunk = new Uint8Array(65_536);
    for (let i = 0; i < 200; i++) near.write(chunk, () => void taken++);
    await Bun.sleep(200);
    expect(received.size() + far.buffered()).toBeLessThan(2 * 1024 * 1024);
    expect(taken).toBeLessThan(200);
    far.resume();
    await until(() => received.size() === 10 + 200 * chunk.length);
    near.close();
    await received.closed;
    await listener.close();
  });

  test('a client that ends its side is closed, with what it sent delivered', async () => {
    const listener = await listenOn(open);
    const options = { ...pemOf(there), host: ip, port: listener.port, rejectUnauthorized: false, allowHalfOpen: true };
    const client = connectTls(options);
    client.on('error', () => {});
    client.resume();
    const isClosed = new Promise((resolve) => client.on('close', resolve));
    const { closed } = collect(await listener.accepted);
    client.end('last');
    expect(String(await closed)).toBe('last');
    await isClosed;
    await listener.close();
  });

  test('that a peer left while this end was paused is noticed when something is sent to it', async () => {
    const listener = await listenOn(open);
    const near = await dial(open, listener.port);
    const far = await listener.accepted;
    const received = collect(far);
    near.write(Buffer.alloc(10), () => {});
    await until(() => received.size() === 10);
    far.pause();
    near.close();
    const sending = setInterval(() => far.write(Buffer.alloc(10), () => {}), 10);
    await received.closed;
    clearInterval(sending);
    await listener.close();
  });

  test('a socket that is closed before all is written says once that it is closed, and takes nothing more', async () => {
    const listener = await listenOn(open);
    const near = await dial(open, listener.port);
    const far = await listener.accepted;
    let [closed, written, late] = [0, 0, 0];
    near.start({ data: () => {}, closed: () => void closed++ });
    // The other end does not read.
    for (let i = 0; i < 200; i++) near.write(new Uint8Array(65_536), () => void written++);
    await Bun.sleep(50);
    near.close();
    near.close();
    near.write(new Uint8Array(1), () => void late++);
    near.pause();
    near.resume();
    await collect(far).closed;
    await until(() => closed === 1);
    expect(written).toBeLessThan(200);
    expect([closed, late]).toEqual([1, 0]);
    await listener.close();
  });

  test.if(process.platform === 'linux')('connections that end, are refused or not answered leave no open file', async () => {
    const listener = await listenOn(open, { connected: (socket) => socket.start({ data: () => {}, closed: () => {} }) });
    const silent = createServer((socket) => void socket.resume().on('error', () => {}));
    await new Promise<void>((resolve) => silent.listen(0, ip, resolve));
    const refusing = await listenOn(open);
    await refusing.close();
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const connectAll = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) (await dial(open, listener.port)).close();
      for (let i = 0; i < 10; i++) await expect(dial(open, refusing.port)).rejects.toThrow();
      await Promise.all(Array.from({ length: 10 }, () => expect(dial(open, (silent.address() as AddressInfo).port, 50)).rejects.toThrow()));
    };
    await connectAll();
    await until(() => openFiles() < 30);
    const before = openFiles();
    for (let round = 0; round < 3; round++) await connectAll();
    // What other tests have opened may be closed meanwhile.
    await until(() => openFiles() <= before + 2);
    silent.close();
    await listener.close();
  });

  test('TLS 1.2, other protocols and slow handshakes are rejected', async () => {
    const client = pemOf(there);
    for (const start of [
      (port: number) => connectTls({ ...client, host: ip, port, maxVersion: 'TLSv1.2', rejectUnauthorized: false }),
      (port: number) =>
        connectPlain(port, ip, function (this: Socket) {
          this.write('GET / HTTP/1.1\r\n\r\n');
        }),
      (port: number) => connectPlain(port, ip),
    ]) {
      const listener = await listenOn(open, { handshakeTimeout: 100, connected: () => expect.unreachable() });
      const socket = start(listener.port);
      socket.on('error', () => {});
      const closed = new Promise((resolve) => socket.on('close', resolve));
      expect(await listener.rejected).toBeString();
      await closed;
      await listener.close();
    }
  });

  test('a client without a certificate has none', async () => {
    const listener = await listenOn(open);
    const socket = connectTls({ host: ip, port: listener.port, rejectUnauthorized: false });
    socket.on('error', () => {});
    expect((await listener.accepted).certificate).toBeUndefined();
    socket.destroy();
    await listener.close();
  });

  test('a client that may not connect is closed before TLS', async () => {
    const listener = await listenOn(open, { mayConnect: () => false, connected: () => expect.unreachable() });
    await expect(dial(open, listener.port)).rejects.toThrow();
    await listener.close();
  });

  test('a server that does not speak TLS 1.3, is silent or refuses is not reached', async () => {
    const old = createTlsServer({ ...pemOf(here), maxVersion: 'TLSv1.2' });
    const silent = createServer(() => {});
    for (const server of [old, silent]) {
      await new Promise<void>((resolve) => server.listen(0, ip, resolve));
      const { port } = server.address() as AddressInfo;
      await expect(dial(open, port, 300)).rejects.toThrow();
      server.close();
      await expect(dial(open, port)).rejects.toThrow();
    }
  });

  test('a server whose handshake was changed on the way is not connected', async () => {
    const listener = await listenOn(open);
    // The first bytes are the server's hello; its certificate and the proof of its key follow.
    for (const at of [200, 500, 700]) {
      const proxy = await proxyTo(listener.port, (bytes, offset) => {
        const changed = Buffer.from(bytes);
        const i = at - offset;
        if (i >= 0 && i < changed.length) changed[i] = (changed[i] as number) ^ 1;
        return changed;
      });
      await expect(dial(open, proxy.port)).rejects.toThrow();
      proxy.close();
    }
    await listener.close();
  });

  test('closing the listener closes what has not finished the handshake', async () => {
    const listener = await listenOn(open);
    const socket = connectPlain(listener.port, ip);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.on('connect', resolve));
    await Bun.sleep(50);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    await listener.close();
    await closed;
    await expect(dial(open, listener.port)).rejects.toThrow();
  });

  test('a port that is taken is an error', async () => {
    const listener = await listenOn(open);
    await expect(listenOn(open, { port: listener.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await listener.close();
  });
});
