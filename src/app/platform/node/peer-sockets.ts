import type { Socket } from 'node:net';
import { connect, createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { Endpoint, ListenOptions, PeerSocket, PeerSockets, SocketHandlers, SocketListener } from '../../../network/peers/socket.ts';

/** TCP probes find connections whose other end vanished. Milliseconds. */
const keepAliveDelay = 15_000;

/** Sockets with the staking certificate of a node, on Node. Both arguments are PEM. AvalancheGo: network/peer/tls_config.go. */
export function openPeerSockets(certificate: string, privateKey: string): PeerSockets {
  const identity: TlsOptions = {
    cert: certificate,
    key: privateKey,
    minVersion: 'TLSv1.3',
    requestCert: true,
    // Certificates are self-signed: the peer's key is checked, not who vouches for it.
    rejectUnauthorized: false,
  };
  return { listen: (options) => listen(identity, options), dial: (to, timeout) => dial(identity, to, timeout) };
}

function listen(identity: TlsOptions, options: ListenOptions): Promise<SocketListener> {
  const server = createServer({ ...identity, handshakeTimeout: options.handshakeTimeout });
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    if (!options.mayConnect(socket.remoteAddress ?? '')) return void socket.destroy();
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('secureConnection', (socket) => {
    if (socket.destroyed) return;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    options.connected(wrap(socket));
  });
  server.on('tlsClientError', (error, socket) => {
    const ip = socket?.remoteAddress;
    // Bun, on which the tests run this too, reports a handshake that takes too long but leaves the connection open.
    socket?.destroy();
    options.rejected(ip, error.message);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host === '' ? undefined : options.host, () => {
      server.off('error', reject);
      server.on('error', (error) => options.rejected(undefined, error.message));
      const address = server.address() as { address: string; port: number };
      resolve({
        endpoint: { ip: address.address, port: address.port },
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            for (const socket of open) socket.destroy();
          }),
      });
    });
  });
}

function dial(identity: TlsOptions, to: Endpoint, timeout: number): Promise<PeerSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...identity, host: to.ip, port: to.port } as Parameters<typeof connect>[0]);
    let isSettled = false;
    const settle = (run: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      run();
    };
    const fail = (error: unknown): void =>
      settle(() => {
        socket.destroy();
        reject(error);
      });
    const timer = setTimeout(() => fail(new Error(`no TLS connection to ${to.ip}:${to.port} in ${timeout} ms`)), timeout);
    socket.on('error', fail);
    socket.on('close', () => fail(new Error(`${to.ip}:${to.port} closed the connection during the TLS handshake`)));
    socket.on('secureConnect', () => settle(() => resolve(wrap(socket))));
  });
}

function wrap(socket: TLSSocket): PeerSocket {
  let handlers: SocketHandlers | undefined;
  let isClosed = socket.destroyed;
  socket.pause();
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveDelay);
  // The reason of a failure is of no use here: `close` follows.
  socket.on('error', () => {});
  // A peer that ends its side cannot read any more.
  socket.on('end', () => socket.destroy());
  socket.on('close', () => {
    if (isClosed) return;
    isClosed = true;
    handlers?.closed();
  });
  return {
    remote: { ip: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 },
    certificate: readCertificate(socket),
    channelId: socket.exportKeyingMaterial(16, 'serac channel', Buffer.alloc(0)).toString('hex'),
    start: (given) => {
      handlers = given;
      if (isClosed) return void setImmediate(given.closed);
      socket.on('data', given.data);
      socket.resume();
    },
    write: (bytes, written) => void (isClosed || socket.write(bytes, (error) => error ?? written())),
    pause: () => void socket.pause(),
    resume: () => void (isClosed || socket.resume()),
    buffered: () => socket.readableLength,
    close: () => void socket.destroy(),
  };
}

function readCertificate(socket: TLSSocket): Uint8Array | undefined {
  const { raw } = (socket.getPeerCertificate() as { raw?: Uint8Array } | undefined) ?? {};
  return raw === undefined ? undefined : new Uint8Array(raw);
}
