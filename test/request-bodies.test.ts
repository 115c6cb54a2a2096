import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { recordFigure } from './figure.ts';
import { type Program, startProgram } from './program.ts';

/** Limits on request bodies: memory, and requests that are rejected before the body is read. */

let node: Program;
beforeAll(async () => {
  node = await startProgram('--require-api-key');
});
afterAll(() => node.stop());

const megabyte = 1_000_000;
const residentMegabytes = async (): Promise<number> => {
  const { text } = await node.client.send('GET', '/ext/metrics');
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / megabyte;
};

const head = (path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');

type Connection = { readonly socket: Socket; readonly answer: Promise<string> };

/** Opens a connection. `answer` is the first data received, or '' if the connection is closed without any. */
function open(): Promise<Connection> {
  const answer = Promise.withResolvers<string>();
  const socket = connect(node.port, '127.0.0.1');
  socket.once('data', (chunk) => answer.resolve(chunk.toString('latin1')));
  socket.on('error', () => answer.resolve(''));
  socket.on('close', () => answer.resolve(''));
  return new Promise((resolve) => socket.once('connect', () => resolve({ socket, answer: answer.promise })));
}

/** Writes the same bytes repeatedly, as fast as the server reads, until the connection is closed. */
async function writeRepeatedly(socket: Socket, bytes: Uint8Array, times: number): Promise<void> {
  let go = () => {};
  socket.on('drain', () => go()).on('close', () => go());
  for (let time = 0; time < times && !socket.destroyed; time++)
    if (!socket.write(bytes))
      await new Promise<void>((resolve) => {
        go = resolve;
      });
}

const answerTo = async (sent: string): Promise<string> => {
  const { socket, answer } = await open();
  socket.write(sent);
  const text = await answer;
  socket.destroy();
  return text;
};

test('millions of one-byte chunks are refused, and other requests are answered meanwhile', async () => {
  const before = await residentMegabytes();
  const chunks = Buffer.from('1\r\n \r\n'.repeat(10_000));
  const connections = await Promise.all(Array.from({ length: 4 }, open));
  const poured = connections.map(({ socket }) => {
    socket.write(head('/ext/bc/X', 'Transfer-Encoding: chunked'));
    return writeRepeatedly(socket, chunks, 200);
  });
  let [most, slowest, isPouring] = [0, 0, true];
  void Promise.all(poured).then(() => {
    isPouring = false;
  });
  while (isPouring) {
    const start = performance.now();
    expect(await node.client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
    slowest = Math.max(slowest, performance.now() - start);
    most = Math.max(most, await residentMegabytes());
  }
  for (const { answer, socket } of connections) {
    expect(await answer).toStartWith('HTTP/1.1 400 ');
    socket.destroy();
  }
  recordFigure({ name: 'growth during millions of one-byte chunks', unit: 'MB', value: most - before, limit: 100 });
  recordFigure({ name: 'other requests during millions of one-byte chunks', unit: 'ms', value: slowest, limit: 5000 });
});

test('of a hundred connections with large bodies, those above the limit are refused', async () => {
  const before = await residentMegabytes();
  const size = 1_048_576;
  const connections = await Promise.all(Array.from({ length: 100 }, open));
  const part = Buffer.alloc(65_536, 0x20);
  await Promise.all(
    connections.map(async ({ socket }) => {
      socket.write(head('/ext/bc/X', `Content-Length: ${size}`));
      await writeRepeatedly(socket, part, size / part.length - 1);
    }),
  );
  const isRefused = (text: string | undefined) => text?.startsWith('HTTP/1.1 503 ') === true && text.includes('too many request bodies');
  const early = () => Promise.all(connections.map(({ answer }) => Promise.race([answer, Bun.sleep(1).then(() => undefined)])));
  let answered = await early();
  for (let waited = 0; answered.filter(isRefused).length < 60 && waited < 40_000; waited += 100) {
    await Bun.sleep(100);
    answered = await early();
  }
  // 32 of the 64 MiB are for large bodies.
  expect(answered.filter(isRefused).length).toBeGreaterThanOrEqual(60);
  recordFigure({ name: 'growth during 100 large bodies', unit: 'MB', value: (await residentMegabytes()) - before, limit: 250 });
  expect(await node.client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
  for (const { socket } of connections) socket.destroy();

  const large = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'avm.getHeight', padding: 'x'.repeat(900_000) });
  const send = () => node.client.send('POST', '/ext/bc/X', { 'content-type': 'application/json' }, large);
  for (let waited = 0; (await send()).status !== 200 && waited < 20_000; waited += 100) await Bun.sleep(100);
  expect((await send()).status).toBe(200);
});

test('a wrong path, key, method or length is rejected before the body arrives', async () => {
  const utxos = '/v1/networks/local/blockchains/x-chain/utxos';
  const announced = (bytes: number) => `Content-Length: ${bytes}`;
  for (const [sent, status, text] of [
    [head(utxos, announced(100_000)), 401, ''],
    [head(utxos, announced(100_000), 'x-glacier-api-key: nonsense'), 401, ''],
    [head('/v1/nothing', announced(100_000)), 404, 'Cannot POST /v1/nothing'],
    [head('/nothing', announced(100_000)), 404, '404 page not found'],
    [head('/ext/bc/X', announced(1_048_577)), 413, 'request body exceeds 1048576 bytes'],
    [head('/ext/info', announced(262_145)), 413, 'request body exceeds 262144 bytes'],
    [head('/ext/bc/X/wallet', announced(1_048_577)), 413, 'request body exceeds 1048576 bytes'],
    [head('/ext/bc/P', announced(262_145)), 413, 'request body exceeds 262144 bytes'],
    [head('/ext/bc/X', announced(1_048_577)).replace('POST', 'PUT'), 405, 'rpc: POST method required, received PUT'],
  ] as const) {
    const answer = await answerTo(sent);
    expect(answer).toStartWith(`HTTP/1.1 ${status} `);
    expect(answer).toContain(text);
  }
});

test('the connection stays usable after a large body was rejected unread', async () => {
  for (let time = 0; time < 3; time++) {
    const large = Buffer.alloc(9 * megabyte, 0x20);
    expect((await node.client.send('POST', '/ext/bc/X', { 'content-type': 'application/json' }, large)).status).toBe(413);
  }
  expect(await node.client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
});

test('a chunked body is rejected as soon as it is too long', async () => {
  const { socket, answer } = await open();
  socket.write(head('/ext/bc/X', 'Transfer-Encoding: chunked'));
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 0x20), Buffer.from('\r\n')]);
  void writeRepeatedly(socket, chunk, 1000);
  expect(await answer).toStartWith('HTTP/1.1 413 ');
  socket.destroy();
});

test('a method that HTTP does not define closes the connection', async () => {
  expect(await answerTo('FOO /ext/bc/X HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')).toBe('');
  expect(await node.client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
});
