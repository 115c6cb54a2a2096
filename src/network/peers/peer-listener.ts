import type { ConnectionLimits } from './connection-limits.ts';
import type { NetworkCounters } from './counters.ts';
import { remoteText } from './ip-address.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { SignedAddress } from './own-address.ts';
import type { PeerLog } from './peer-context.ts';
import type { Endpoint, PeerSocket, PeerSockets, SocketListener } from './socket.ts';
import type { PeerTiming } from './timing.ts';

type PeerListenerDeps = {
  readonly sockets: Pick<PeerSockets, 'listen'>;
  readonly options: NetworkOptions;
  readonly timing: Pick<PeerTiming, 'now'>;
  readonly limits: Pick<ConnectionLimits, 'mayConnect'>;
  readonly counters: Pick<NetworkCounters, 'acceptFailed' | 'tlsRejected'>;
  readonly log: PeerLog;
  /** Signs the address of this node when the port is known. */
  readonly signAddress: (port: number) => Promise<SignedAddress>;
  readonly connected: (socket: PeerSocket) => void;
  readonly isClosing: () => boolean;
};

/** Listens for peers, and knows the signed address at which they reach this node. */
export function createPeerListener({ sockets, options, timing, limits, counters, log, ...deps }: PeerListenerDeps) {
  let listener: SocketListener | undefined;
  let own: SignedAddress | undefined;
  return {
    /** Undefined until it is signed. */
    ownAddress: () => own,
    open: async (): Promise<Endpoint> => {
      listener = await sockets.listen({
        host: options.stakingHost,
        port: options.stakingPort,
        handshakeTimeout: options.readHandshakeTimeout,
        mayConnect: (ip) => !deps.isClosing() && own !== undefined && limits.mayConnect(remoteText(ip), timing.now()),
        connected: deps.connected,
        rejected: (ip, reason) => {
          if (ip === undefined) counters.acceptFailed++;
          else counters.tlsRejected++;
          log(`rejected a connection from ${ip ?? 'an unknown address'}: ${reason}`, 'debug');
        },
      });
      own = await deps.signAddress(listener.endpoint.port);
      return listener.endpoint;
    },
    close: async (): Promise<void> => listener?.close(),
  };
}
