import type { Endpoint, ListenOptions, PeerSocket, PeerSockets, SocketHandlers, SocketListener } from '../../../network/peers/socket.ts';

/** TCP probes find connections whose other end vanished. Milliseconds. */
const keepAliveDelay = 15_000;

/** TLS 1.3. */
const minVersion = 0x0304;

/** What belongs to a socket of Bun. Bun calls the same functions for all sockets of a listener. */
type Connection = {
  /** TLS is established, or not, for this reason. Later calls have no effect. */
  established: (failure: string | undefined) => void;
  peer: Peer | undefined;
};
type TlsSocket = Bun.Socket<Connection>;
type Peer = ReturnType<typeof createPeerSocket>;
/** The type of Bun lacks `minVersion`, which Bun has. */
type Identity = Bun.TLSOptions & { readonly minVersion: number };

/**
 * Sockets with the staking certificate of a node. Both arguments are PEM. Bun's own sockets: a message takes 26 to 40 microseconds of CPU time
 * here, and 73 to 95 with node:tls on Bun; of an idle node with four peers that is a tenth of its CPU time. AvalancheGo: network/peer/tls_config.go.
 */
export function openPeerSockets(certificate: string, privateKey: string): PeerSockets {
  const identity: Identity = {
    cert: certificate,
    key: privateKey,
    minVersion,
    requestCert: true,
    // Certificates are self-signed: the peer's key is checked, not who vouches for it.
    rejectUnauthorized: false,
  };
  return { listen: async (options) => listen(identity, options), dial: (to, timeout) => dial(identity, to, timeout) };
}

const handlersOf = (opened: (socket: TlsSocket) => void, isHandshakeDone: (socket: TlsSocket, success: boolean) => boolean) => ({
  open: opened,
  handshake: (socket: TlsSocket, success: boolean, error: Error | null) =>
    socket.data.established(isHandshakeDone(socket, success) ? undefined : (error?.message ?? 'the TLS handshake failed')),
  data: (socket: TlsSocket, chunk: Buffer) => socket.data.peer?.received(chunk),
  drain: (socket: TlsSocket) => socket.data.peer?.flush(),
  // A peer that ends its side cannot read any more.
  end: (socket: TlsSocket) => socket.terminate(),
  close: (socket: TlsSocket) => {
    const { peer, established } = socket.data;
    if (peer === undefined) established('closed during the TLS handshake');
    else peer.closed();
  },
  // The reason of a failure is of no use here: `close` follows.
  error: () => {},
});

function listen(identity: Identity, options: ListenOptions): SocketListener {
  const opened = (socket: TlsSocket): void => {
    const ip = socket.remoteAddress;
    socket.data = { peer: undefined, established: () => {} };
    if (!options.mayConnect(ip)) return void socket.terminate();
    const settle = once((failure: string | undefined) => {
      clearTimeout(timer);
      if (failure === undefined) return void options.connected(keep(socket));
      socket.terminate();
      options.rejected(ip, failure);
    });
    const timer = setTimeout(settle, options.handshakeTimeout, `no TLS handshake in ${options.handshakeTimeout} ms`);
    socket.data.established = settle;
  };
  // A server has the keys of a channel before the client has proved that its certificate is its own: only Bun knows whether it has.
  const socket = handlersOf(opened, (_, success) => success);
  const listenAt = (hostname: string) => Bun.listen<Connection>({ hostname, port: options.port, tls: identity, socket });
  const server = options.host === '' ? listenEverywhere(listenAt) : listenAt(options.host);
  return { endpoint: { ip: server.hostname, port: server.port }, close: async () => server.stop(true) };
}

/** Listens at all addresses, also where the machine has no IPv6. */
function listenEverywhere<T>(listenAt: (hostname: string) => T): T {
  try {
    return listenAt('::');
  } catch (error) {
    if ((error as { code?: string }).code === 'EADDRINUSE') throw error;
    return listenAt('0.0.0.0');
  }
}

function dial(identity: Identity, to: Endpoint, timeout: number): Promise<PeerSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerSocket>();
  let opened: TlsSocket | undefined;
  let isTooLate = false;
  const established = once((failure: string | undefined) => {
    clearTimeout(timer);
    if (opened !== undefined && failure === undefined) return resolve(keep(opened));
    isTooLate = true;
    opened?.terminate();
    reject(new Error(`no TLS connection to ${to.ip}:${to.port}: ${failure}`));
  });
  const timer = setTimeout(established, timeout, `none in ${timeout} ms`);
  const open = (socket: TlsSocket): void => {
    opened = socket;
    if (isTooLate) socket.terminate();
  };
  // Bun calls every handshake with a self-signed server a failure. A client has the keys of a channel only after the server has proved that its
  // certificate is its own.
  const socket = handlersOf(open, (one) => exportChannelId(one) !== undefined);
  const data = { peer: undefined, established };
  Bun.connect<Connection>({ hostname: to.ip, port: to.port, tls: identity, socket, data }).catch(({ message }: Error) =>
    established(message),
  );
  return promise;
}

/** A function that runs at its first call only. */
function once<T>(run: (value: T) => void): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (isDone) return;
    isDone = true;
    run(value);
  };
}

function keep(socket: TlsSocket): PeerSocket {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveDelay);
  const peer = createPeerSocket(socket);
  socket.data.peer = peer;
  return peer.socket;
}

function createPeerSocket(socket: TlsSocket) {
  /** What the system has not taken yet. */
  const unwritten: { readonly bytes: Uint8Array; readonly written: () => void }[] = [];
  /** Bytes of the first of them that it has taken. */
  let taken = 0;
  /** What arrived before `start`, or in the same turn in which reading was paused. */
  let early: Uint8Array[] = [];
  let isPaused = true;
  let isClosed = false;
  let handlers: SocketHandlers | undefined;
  socket.pause();

  const flush = (): void => {
    for (let next = unwritten[0]; next !== undefined && !isClosed; next = unwritten[0]) {
      taken += Math.max(0, socket.write(next.bytes, taken));
      if (taken < next.bytes.length) return;
      taken = 0;
      unwritten.shift();
      next.written();
    }
  };
  const received = (chunk: Uint8Array): void => {
    if (handlers === undefined) early.push(chunk);
    else handlers.data(chunk);
  };
  const closed = (): void => {
    if (isClosed) return;
    isClosed = true;
    handlers?.closed();
  };
  /** Begins to deliver what has arrived. */
  const begin = (given: SocketHandlers): void => {
    if (isClosed) return void given.closed();
    handlers = given;
    const chunks = early;
    early = [];
    for (const chunk of chunks) given.data(chunk);
    if (!isPaused) socket.resume();
  };
  const peerSocket: PeerSocket = {
    remote: { ip: socket.remoteAddress, port: socket.remotePort },
    certificate: readCertificate(socket),
    channelId: exportChannelId(socket) ?? '',
    start: (given) => {
      isPaused = false;
      setImmediate(begin, given);
    },
    write: (bytes, written) => {
      if (isClosed) return;
      unwritten.push({ bytes, written });
      if (unwritten.length === 1) flush();
    },
    pause: () => {
      isPaused = true;
      socket.pause();
    },
    resume: () => {
      isPaused = false;
      if (!isClosed && handlers !== undefined) socket.resume();
    },
    // Bun delivers what it has read, also while it is paused.
    buffered: () => 0,
    close: () => socket.terminate(),
  };
  return { socket: peerSocket, received, flush, closed };
}

/** A value that both ends compute from the keys of the connection; undefined before the handshake is done. */
function exportChannelId(socket: TlsSocket): string | undefined {
  try {
    return socket.exportKeyingMaterial(16, 'serac channel', Buffer.alloc(0)).toString('hex');
  } catch {
    return undefined;
  }
}

function readCertificate(socket: TlsSocket): Uint8Array | undefined {
  const { raw } = (socket.getPeerCertificate() as { raw?: Uint8Array } | undefined) ?? {};
  return raw === undefined ? undefined : new Uint8Array(raw);
}
