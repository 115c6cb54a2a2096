import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { type Program, startProgram } from './program.ts';

/** Large and unusual requests to a started node, which must respond or close the connection. Random ones: test/fuzz. */

let node: Program;
beforeAll(async () => {
  node = await startProgram();
});
afterAll(() => node.stop());

const expectAlive = async () => expect(await node.client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });

test('nesting depth, list length and body size are limited', async () => {
  const deep = (open: string, close: string, times: number) => `${open.repeat(times)}${close.repeat(times)}`;
  for (const params of [
    deep('[', ']', 200_000),
    `{"addresses":${deep('[', ']', 50_000)}}`,
    `{"a":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}`,
  ]) {
    const { status, text } = await node.client.send(
      'POST',
      '/ext/bc/X',
      { 'content-type': 'application/json' },
      `{"jsonrpc":"2.0","id":1,"method":"avm.getUTXOs","params":${params}}`,
    );
    expect(status).toBe(200);
    expect(JSON.parse(text).error.code).toBeLessThan(0);
  }
  const many = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'avm.getUTXOs', params: { addresses: Array(2000).fill('X-local1') } });
  expect(
    JSON.parse((await node.client.send('POST', '/ext/bc/X', { 'content-type': 'application/json' }, many)).text).error.message,
  ).toContain('exceeds maximum, 1024');
  const batch = `[${Array(101).fill('{"jsonrpc":"2.0","id":1,"method":"avm.getHeight"}').join(',')}]`;
  expect(JSON.parse((await node.client.send('POST', '/ext/bc/X', { 'content-type': 'application/json' }, batch)).text).error.code).toBe(
    -32600,
  );
  const large = Buffer.alloc(9 * 1024 * 1024, 0x20);
  expect((await node.client.send('POST', '/ext/bc/X', { 'content-type': 'application/json' }, large)).status).toBe(413);
  await expectAlive();
});

/** Sends raw bytes on a new connection; returns what is received until the connection is closed or idle for 150 ms. */
const sendRaw = (bytes: Uint8Array): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(node.port, '127.0.0.1');
    let text = '';
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(150, done);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', done);
    socket.on('close', done);
    socket.end(Buffer.from(bytes));
  });

test('unusual request heads: no host, HTTP/1.0, bad escapes, many headers', async () => {
  const heads = [
    'GET /nowhere HTTP/1.1\r\nHost:\r\n\r\n',
    'GET /nowhere HTTP/1.0\r\n\r\n',
    'GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET /ext/%ff%fe HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET http://[::1/ HTTP/1.1\r\nHost: [::1\r\n\r\n',
    `GET /nowhere HTTP/1.1\r\nHost: localhost\r\n${'x-a: b\r\n'.repeat(5000)}\r\n`,
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ];
  for (const head of heads) {
    const text = await sendRaw(Buffer.from(head));
    expect(text === '' || text.startsWith('HTTP/1.1 ')).toBe(true);
    expect(text).not.toMatch(/HTTP\/1\.1 (2|5)/);
  }
  await expectAlive();
});
