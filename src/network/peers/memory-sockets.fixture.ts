import { fail } from 'node:assert';
import type { Endpoint, ListenOptions, PeerSocket, PeerSockets, SocketHandlers } from './socket.ts';

/** Sockets without TLS or a network, for tests: bytes pass in later turns of the event loop, and a paused end makes the other wait. */
export function createMemoryNet() {
  const listeners = new Map<number, { readonly options: ListenOptions; readonly certificate: Uint8Array }>();
  let nextPort = 10_000;
  let nextChannel = 0;

  /** Two connected ends. */
  const pair = (a: { certificate: Uint8Array | undefined; at: Endpoint }, b: typeof a): [PeerSocket, PeerSocket] => {
    const channelId = `channel ${nextChannel++}`;
    const ends = [createEnd(), createEnd()] as const;
    const socket = (own: End, other: End, peer: typeof a): PeerSocket => ({
      remote: peer.at,
      certificate: peer.certificate,
      channelId,
      start: (handlers) => {
        own.handlers = handlers;
        setImmediate(own.flush);
      },
      write: (bytes, written) => {
        if (own.isClosed) return;
        other.incoming.push({ bytes: Uint8Array.from(bytes), written });
        setImmediate(other.flush);
      },
      pause: () => {
        own.isPaused = true;
      },
      resume: () => {
        own.isPaused = false;
        setImmediate(own.flush);
      },
      buffered: () => 0,
      close: () => {
        own.end();
        setImmediate(other.end);
      },
    });
    return [socket(ends[0], ends[1], b), socket(ends[1], ends[0], a)];
  };

  const socketsFor = (certificate: Uint8Array): PeerSockets => ({
    listen: async (options) => {
      const port = options.port === 0 ? nextPort++ : options.port;
      listeners.set(port, { options, certificate });
      return { endpoint: { ip: '127.0.0.1', port }, close: async () => void listeners.delete(port) };
    },
    dial: async (to) => {
      await new Promise((resolve) => setImmediate(resolve));
      const target = listeners.get(to.port);
      if (target === undefined || !target.options.mayConnect('127.0.0.1')) fail('connection refused');
      const [near, far] = pair({ certificate, at: { ip: '127.0.0.1', port: nextPort++ } }, { certificate: target.certificate, at: to });
      setImmediate(() => target.options.connected(far));
      return near;
    },
  });
  return { socketsFor, pair };
}

type End = ReturnType<typeof createEnd>;

function createEnd() {
  const end = {
    handlers: undefined as SocketHandlers | undefined,
    incoming: [] as { bytes: Uint8Array; written: () => void }[],
    isPaused: false,
    isClosed: false,
    flush: (): void => {
      while (end.handlers !== undefined && !end.isPaused && !end.isClosed) {
        const next = end.incoming.shift();
        if (next === undefined) return;
        next.written();
        end.handlers.data(next.bytes);
      }
    },
    end: (): void => {
      if (end.isClosed) return;
      end.isClosed = true;
      end.handlers?.closed();
    },
  };
  return end;
}
