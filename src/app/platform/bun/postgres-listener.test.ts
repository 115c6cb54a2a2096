import { expect, test } from 'bun:test';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { eventually } from '../../../../test/processes.ts';
import { openPostgres } from './postgres.ts';

/** AuthenticationOk and ReadyForQuery: the connection is established. */
const established = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
const sslRequest = 80_877_103;

/** A server that accepts connections and answers no statement. `connections`: those that were established. */
async function startSilentServer() {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    let isEstablished = false;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (isEstablished) return;
      if (Buffer.from(bytes).readInt32BE(4) === sslRequest) return void socket.write('N');
      isEstablished = true;
      connections++;
      socket.write(established);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, connections: () => connections, close };
}

test('a listener connects anew to a server that is silent before it listens', async () => {
  const server = await startSilentServer();
  const sql = openPostgres({ url: `postgres://u@127.0.0.1:${server.port}/d`, listenCheckMilliseconds: 100 });
  let losses = 0;
  const stop = sql.listen('channel', { onNotify: () => {}, onLost: () => losses++ });
  await eventually(server.connections, (count) => count > 1);
  expect(losses).toBeGreaterThan(0);
  stop();
  await sql.close();
  server.close();
});
