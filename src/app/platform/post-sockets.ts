import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { PostRequest, PostSockets } from '../../api/webhooks/send-message.ts';

/** Sends requests of webhooks, on Bun and on Node. */
export const postSockets: PostSockets = {
  resolve: async (host) => (isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host]),
  post,
};

/**
 * Sends a POST over a connection of its own and reads the status. `fetch` would resolve the name again, after its addresses were checked, and
 * read a response of any size.
 */
function post({ url, address, headers, body, signal, maxResponseBytes }: PostRequest): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const name = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const socket: Socket = isTls
    ? connectTls({ host: address, port, ...(isIP(name) === 0 && { servername: name }) })
    : connect({ host: address, port });
  let received = Buffer.alloc(0);

  const end = (error?: Error): void => {
    signal.removeEventListener('abort', onAbort);
    if (error !== undefined) reject(error);
    socket.destroy();
  };
  const onAbort = (): void => end(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);

  socket.on('error', end);
  socket.on('close', () => end(new Error('the connection was closed without a response')));
  socket.on(isTls ? 'secureConnect' : 'connect', () => socket.write(writeRequest(url, headers, body)));
  socket.on('data', (chunk: Uint8Array) => {
    received = Buffer.concat([received, chunk]);
    const status = readStatus(received);
    if (status !== undefined) {
      resolve(status);
      end();
    } else if (received.length > maxResponseBytes) end(new Error('the response has no status in its first bytes'));
  });
  return promise;
}

function writeRequest(url: URL, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries({
    host: url.host,
    connection: 'close',
    accept: '*/*',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${url.pathname}${url.search} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

/** The status of a response whose head has arrived; undefined if it has not. Informational responses come before the response: RFC 9110, 15.2. */
function readStatus(received: Buffer): number | undefined {
  const text = received.toString('latin1');
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) return undefined;
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text.slice(at, end))?.[1] ?? 0);
    if (status < 100 || status > 199) return status;
    at = end + 4;
  }
}
