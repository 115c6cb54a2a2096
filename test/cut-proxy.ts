import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy before one server: a cable that a test can cut. */
export type CutProxy = {
  readonly port: number;
  /** Stops forwarding, in both directions and without a sign of it: connections stay open, and new ones are accepted. */
  readonly cut: () => void;
  /** Forwards again, also what was sent meanwhile. */
  readonly restore: () => void;
  readonly close: () => void;
};

export async function startCutProxy(serverPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const add = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    if (isCut) socket.pause();
    socket.on('data', (bytes) => {
      if (!other.write(bytes)) socket.pause();
    });
    other.on('drain', () => {
      if (!isCut) socket.resume();
    });
    const end = (): void => {
      sockets.delete(socket);
      other.destroy();
    };
    socket.on('error', end).on('close', end);
  };
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    add(client, upstream);
    add(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    restore: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
