import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { type Program, startProgram } from './program.ts';
import { createRandom, hostileRounds, hostileTimeout, mutate, type Random } from './random.ts';

/**
 * Random and mutated bytes on the socket and in the body. The node must always respond or close the connection, and never crash, hang or
 * show a stack trace.
 */

let node: Program;
beforeAll(async () => {
  node = await startProgram();
});
afterAll(() => node.stop());

const expectAlive = async () => expect(await node.client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });

const bodies = [
  '{"jsonrpc":"2.0","id":1,"method":"avm.getHeight"}',
  '{"jsonrpc":"2.0","id":1,"method":"avm.getUTXOs","params":{"addresses":["X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u"],"limit":2,"startIndex":{"address":"","utxo":""}}}',
  '{"jsonrpc":"2.0","id":{"a":[1,2]},"method":"avm.getBlockByHeight","params":[{"height":"0","encoding":"json"}]}',
  '{"jsonrpc":"2.0","id":"x","method":"avm.issueTx","params":{"tx":"0x00000000000000003039d891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f","encoding":"hexnc"}}',
  '[{"jsonrpc":"2.0","id":1,"method":"avm.getTxFee"},{"jsonrpc":"2.0","id":2,"method":"info.peers"}]',
].map((text) => Buffer.from(text));

test(
  'bodies: every response is well-formed and contains no stack trace and no file path',
  async () => {
    const random = createRandom(7);
    const rounds = hostileRounds(0.1);
    for (let round = 0; round < rounds; round += 50) {
      const responses = await Promise.all(
        Array.from({ length: 50 }, () => {
          const body = random.below(8) === 0 ? random.bytes(random.below(300)) : mutate(random, random.pick(bodies), bodies);
          return node.client.send(
            'POST',
            random.pick(['/ext/bc/X', '/ext/info', '/ext/bc/X/wallet', '/ext/bc/P', '/ext/health']),
            { 'content-type': 'application/json' },
            body,
          );
        }),
      );
      for (const { status, text } of responses) {
        expect(status).toBe(200);
        if (text !== '') JSON.parse(text);
        expect(text).not.toMatch(/\bat .*:\d+:\d+|\/src\/|node_modules/);
      }
    }
    await expectAlive();
  },
  hostileTimeout,
);

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
}, 60_000);

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

const request = (body: string, path = '/ext/bc/X') =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );

test(
  'sockets: mutated requests and random bytes get a response or a closed connection',
  async () => {
    const random = createRandom(8);
    const samples = [
      request(bodies[0]!.toString()),
      request(bodies[1]!.toString()),
      Buffer.from('GET /ext/health HTTP/1.1\r\nHost: x\r\n\r\n'),
    ];
    const noise = (r: Random) => (r.below(5) === 0 ? r.bytes(r.below(500)) : mutate(r, r.pick(samples), samples));
    for (let round = 0; round < Math.min(2000, hostileRounds(0.01)); round += 25) {
      const responses = await Promise.all(Array.from({ length: 25 }, () => sendRaw(noise(random))));
      for (const text of responses) expect(text === '' || text.startsWith('HTTP/1.1 ')).toBe(true);
    }
    await expectAlive();
  },
  hostileTimeout,
);

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
