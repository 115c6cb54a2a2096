import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { nodes, runsSerac } from '../../../test/nodes.ts';
import { createFrameReader, formatFrame } from './web-socket.ts';

/** A frame as clients send it. */
function maskedFrame(opcode: number, payload: Uint8Array, { isLast = true } = {}): Buffer {
  const frame = Buffer.from(formatFrame(opcode, payload));
  const start = frame.length - payload.length;
  const mask = Buffer.from([1, 2, 3, 4]);
  frame[0] = (isLast ? 0x80 : 0) | opcode;
  frame[1] = (frame[1] as number) | 0x80;
  const masked = payload.map((byte, i) => byte ^ (mask[i & 3] as number));
  return Buffer.concat([frame.subarray(0, start), mask, masked]);
}

describe('frames of clients', () => {
  function read(chunks: readonly Uint8Array[]): string[] {
    const seen: string[] = [];
    const reader = createFrameReader({
      onPing: (payload) => void seen.push(`ping ${Buffer.from(payload)}`),
      onEnd: (code) => void seen.push(`end ${code}`),
    });
    for (const chunk of chunks) reader(chunk);
    return seen;
  }
  const ping = maskedFrame(9, Buffer.from('now'));
  const close = maskedFrame(8, Buffer.from([3, 232]));
  const whole = Buffer.concat([maskedFrame(1, Buffer.alloc(1024)), ping, maskedFrame(2, Buffer.alloc(3)), close, ping]);

  test('messages are skipped, pings are reported, nothing after the end, however the bytes arrive', () => {
    const expected = ['ping now', 'end 1000'];
    expect(read([whole])).toEqual(expected);
    expect(read([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  test.each<[string, Uint8Array[], number]>([
    ['a message that is too long', [maskedFrame(1, Buffer.alloc(1025))], 1009],
    ['a message whose length has eight bytes', [maskedFrame(1, Buffer.alloc(70_000)).subarray(0, 10)], 1009],
    [
      'fragments that are too long together',
      [0, 1, 2].map((i) => maskedFrame(i === 0 ? 1 : 0, Buffer.alloc(500), { isLast: false })),
      1009,
    ],
    ['a frame that is not masked', [formatFrame(1, Buffer.from('hi'))], 1002],
    ['a fragmented ping', [maskedFrame(9, Buffer.alloc(1), { isLast: false })], 1002],
    ['an unknown kind', [maskedFrame(5, Buffer.alloc(1))], 1002],
    ['a bit of an extension', [Buffer.from([0xc1, 0x80, 0, 0, 0, 0])], 1002],
  ])('%s ends the connection', (_, chunks, code) => {
    expect(read(chunks)).toEqual([`end ${code}`]);
  });
});

describe.each(nodes.filter(runsSerac))('a server on $name', ({ path }) => {
  let port: number;
  let lines: AsyncIterator<string>;
  let stop: () => Promise<void>;
  const nextLine = async (): Promise<string> => (await lines.next()).value;

  beforeAll(async () => {
    const fixture = new URL('./web-socket-server.fixture.ts', import.meta.url).pathname;
    const flags = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];
    const child = Bun.spawn([path, ...flags, fixture], { stdout: 'pipe', stderr: 'inherit' });
    lines = createInterface(Readable.fromWeb(child.stdout as never))[Symbol.asyncIterator]();
    port = Number(await nextLine());
    stop = async () => {
      child.kill();
      await child.exited;
    };
  });
  afterAll(() => stop());

  const open = (target: string): WebSocket => new WebSocket(`ws://127.0.0.1:${port}${target}`);
  const closed = (socket: WebSocket): Promise<CloseEvent> => new Promise((resolve) => socket.addEventListener('close', resolve as never));
  const opened = (socket: WebSocket): Promise<unknown> => new Promise((resolve) => socket.addEventListener('message', resolve));

  /** Sends bytes over a socket and returns all that comes back until the server closes the connection or `until` is contained. */
  const sendRaw = (bytes: string | Uint8Array, until?: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        if (until !== undefined && received.includes(until)) socket.destroy();
      });
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
  const handshake = (target: string, ...headers: string[]): string =>
    [`GET ${target} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', ...headers, '', ''].join('\r\n');
  const valid = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];

  test('texts arrive whole and in order, then the connection is closed', async () => {
    const socket = open('/');
    const texts: string[] = [];
    socket.addEventListener('message', ({ data }) => void texts.push(data));
    const { code, wasClean } = await closed(socket);
    expect([code, wasClean, texts.map(({ length }) => length)]).toEqual([1000, true, [5, 70_000]]);
    expect(await nextLine()).toBe('closed');
  });

  test('the handshake has the answer of RFC 6455 to its example key, and the headers of the response', async () => {
    const text = await sendRaw(handshake('/', ...valid), 'hello');
    expect(text).toStartWith('HTTP/1.1 101 ');
    expect(text).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    expect(text).toContain('x-extra: yes');
    expect(await nextLine()).toBe('closed');
  });

  test('pings are answered, also one that came with the request; a client may close', async () => {
    const ping = maskedFrame(9, Buffer.from('there?'));
    expect(await sendRaw(Buffer.concat([Buffer.from(handshake('/open', ...valid)), ping]), 'there?')).toContain('\x8a\x06there?');
    expect(await nextLine()).toBe('closed');
    const socket = open('/open');
    await opened(socket);
    socket.close();
    expect((await closed(socket)).wasClean).toBe(true);
    expect(await nextLine()).toBe('closed');
  });

  test('a client that does not read blocks the sender, which goes on when the client does', async () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(handshake('/many', ...valid)));
    expect(await nextLine()).toMatch(/^sent \d+$/);
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    expect(await nextLine()).toBe('drained');
    await ended;
    expect(await nextLine()).toBe('closed');
  });

  test('what is not a valid request for a WebSocket is answered over HTTP', async () => {
    expect(await sendRaw(handshake('/', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: short'))).toMatch(
      /^HTTP\/1\.1 400 .*not a valid/s,
    );
    expect(await nextLine()).toBe('closed');
    expect(await sendRaw(handshake('/', 'Sec-WebSocket-Version: 8', valid[1] as string))).toStartWith('HTTP/1.1 400 ');
    expect(await nextLine()).toBe('closed');
    expect(await sendRaw(handshake('/nowhere', ...valid))).toStartWith('HTTP/1.1 404 ');
  });

  test('a request for another protocol before an earlier one is answered closes the connection, and the server stays', async () => {
    const first = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const next of [handshake('/nowhere'), handshake('/nowhere', ...valid)]) expect(await sendRaw(first + next)).toBe('');
    expect(await sendRaw(handshake('/nowhere', ...valid))).toStartWith('HTTP/1.1 404 ');
  });

  test('a request that offers HTTP/2, as Java does, is answered with its body, and the connection stays open', async () => {
    const head = ['POST / HTTP/1.1', 'Host: x', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAA'];
    const request = [...head, 'Content-Length: 5', '', 'first'].join('\r\n');
    const second = ['POST / HTTP/1.1', 'Host: x', 'Content-Length: 6', '', 'second'].join('\r\n');
    expect(await sendRaw(request + second, 'second')).toMatch(/^HTTP\/1\.1 200 .*first.*HTTP\/1\.1 200 .*second$/s);
  });

  test('the server stops while a connection is open', async () => {
    const socket = open('/open');
    await opened(socket);
    await stop();
    expect([await nextLine(), await nextLine()].sort()).toEqual(['closed', 'stopped']);
  });
});
