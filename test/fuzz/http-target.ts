import { deepStrictEqual, ok } from 'node:assert';
import { connect } from 'node:net';
import { echo, implementations, send } from '../../src/app/platform/serve.fixture.ts';
import { nodes, runsSerac } from '../nodes.ts';
import type { FuzzTarget, OpenedTarget } from './target.ts';

/*
 * Bytes on a socket of both HTTP servers: Bun's, and that of Node, which runs in a process of Node if one is installed. Each answers with complete
 * responses or closes the connection; what it holds for bodies is free afterwards.
 */

const maxBodyMemory = 65_536;
type Running = {
  readonly name: string;
  readonly port: number;
  /** Only of another process. */
  readonly hasEnded?: () => boolean;
  readonly close: () => void | Promise<void>;
};

async function startServers(): Promise<Running[]> {
  const servers = await Promise.all(
    implementations.map(async ([name, serve]) => {
      const server = await serve({ host: '127.0.0.1', port: 0, handler: echo, maxBodyMemory, idleTimeout: 10, bodyTimeout: 500 });
      return { name, port: server.port, close: () => server.close() };
    }),
  );
  const node = nodes.findLast(runsSerac);
  return node === undefined ? servers : [...servers, await startOnNode(node.path)];
}

/** The server of Node in a process of Node. */
async function startOnNode(path: string): Promise<Running> {
  const entry = `${import.meta.dir}/node-server.ts`;
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'node', format: 'esm' });
  const code = await (outputs[0] as { text: () => Promise<string> }).text();
  const child = Bun.spawn([path, '--input-type=module', '-'], { stdin: Buffer.from(code), stdout: 'pipe', stderr: 'ignore' });
  for await (const chunk of child.stdout) {
    const port = Number(/^(\d+)\n/.exec(Buffer.from(chunk).toString())?.[1]);
    if (port > 0) return { name: 'Node', port, hasEnded: () => child.exitCode !== null, close: () => void child.kill() };
  }
  throw new Error('the server of Node does not start');
}

/** What is received on a new connection until it is closed, or idle after the last byte. */
const exchangeBytes = (port: number, bytes: Uint8Array): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(25, done);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', done);
    socket.on('close', done);
    socket.end(Buffer.from(bytes));
  });

function checkResponses(name: string, text: string): void {
  if (text === '') return;
  ok(text.startsWith('HTTP/1.'), `${name}: not a response: ${JSON.stringify(text.slice(0, 60))}`);
  ok(!/\bat .*:\d+:\d+|node_modules/.test(text), `${name}: the response shows a stack trace`);
  const status = /^HTTP\/1\.\d (\d+)/.exec(text)?.[1] ?? '';
  ok(
    ['100', '201', '400', '404', '405', '408', '411', '413', '414', '417', '431', '500', '501', '503', '505'].includes(status),
    `${name}: status ${status}`,
  );
}

async function openServers(): Promise<OpenedTarget> {
  let servers = await startServers();
  const closeAll = async (): Promise<void> => void (await Promise.all(servers.map(({ close }) => close())));
  let rounds = 0;
  return {
    run: async (input) => {
      const received = await Promise.all(servers.map(({ port }) => exchangeBytes(port, input)));
      for (const [at, text] of received.entries()) checkResponses((servers[at] as Running).name, text);
      // A process that ends closes the connection before that is known.
      if (received.at(-1) === '') await Bun.sleep(5);
      const ended = servers.find(({ hasEnded }) => hasEnded?.());
      if (ended !== undefined) {
        await closeAll();
        servers = await startServers();
        throw new Error(`the server of ${ended.name} has ended`);
      }
      if (++rounds % 64 !== 0) return;
      // A body that takes all of the memory for bodies of its size: nothing is held by requests that were cut off.
      for (const { name, port } of servers) {
        const body = 'x'.repeat(900);
        const answer = await send(
          { host: '127.0.0.1', port, close: async () => {} },
          `POST /alive HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}`,
          body,
        );
        deepStrictEqual(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1], '201', `${name} does not answer`);
      }
    },
    close: closeAll,
  };
}

const head = (line: string, ...headers: string[]): string => [line, 'Host: localhost', ...headers, '', ''].join('\r\n');

export const httpTarget: FuzzTarget = {
  name: 'http',
  testRounds: 10,
  seeds: () => [
    `${head('POST /ext/bc/X HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 4')}{"a"`,
    `${head('POST / HTTP/1.1', 'Transfer-Encoding: chunked', 'Trailer: X-Sum')}3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n`,
    `${head('POST / HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 1')}x`,
    `${head('GET /a?b=c HTTP/1.1', 'Connection: close')}`,
    `${head('GET / HTTP/1.1')}${head('GET /next HTTP/1.1')}`,
    'GET /nowhere HTTP/1.0\r\n\r\n',
    'GET http://[::1/ HTTP/1.1\r\nHost: [::1\r\n\r\n',
    `${head('GET /ws HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')}`,
    `${head('HEAD /%zz HTTP/1.1', 'Accept-Encoding: gzip', 'Range: bytes=0-1')}`,
    `${head('OPTIONS * HTTP/1.1', 'Origin: null')}`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ],
  words: [
    'Content-Length: ',
    'Transfer-Encoding: chunked',
    '\r\n',
    '\r\n\r\n',
    '0\r\n\r\n',
    'Connection: ',
    'keep-alive',
    'close',
    'Expect: 100-continue',
    'HTTP/1.1',
    'HTTP/1.0',
    'POST ',
    'Host: ',
    'ffffffffffffffff\r\n',
    '\0',
  ],
  maxBytes: 70_000,
  maxCpu: 250,
  maxRetained: 16_000_000,
  open: openServers,
};
