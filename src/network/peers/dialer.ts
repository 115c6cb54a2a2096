import { parseIp } from '../../base/bytes/ip-address.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { messageOf } from '../../base/fault.ts';
import { isPublicIp } from './ip-address.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { PeerLog } from './peer-context.ts';
import type { Endpoint, PeerSocket, PeerSockets } from './socket.ts';
import { type PeerTiming, randomNumber } from './timing.ts';
import { createTokenBucket } from './token-bucket.ts';

/** Opens connections to nodes and tries again with growing delays. AvalancheGo: network/network.go, dial; network/tracked_ip.go. */
type Dialer = {
  /** Begins to dial a node, or uses a new address of it with the delay reached so far. */
  readonly track: (node: NodeId, endpoint: Endpoint) => void;
  /** Dials again after the delay reached so far. Does nothing for a node that is not tracked. */
  readonly retry: (node: NodeId) => void;
  readonly stop: (node: NodeId) => void;
  readonly close: () => void;
  /** Nodes that are tracked. */
  readonly count: () => number;
};

type DialerDeps = {
  readonly sockets: Pick<PeerSockets, 'dial'>;
  readonly timing: PeerTiming;
  readonly options: NetworkOptions;
  readonly log: PeerLog;
  readonly isWanted: (node: NodeId) => boolean;
  /** Whether there is a connection to the node already. */
  readonly isOpen: (node: NodeId) => boolean;
  /** Takes a connection. Returns the node at its other end; undefined if the connection was closed. */
  readonly opened: (socket: PeerSocket) => NodeId | undefined;
};

type Target = { endpoint: Endpoint; delay: number; cancel: () => void };

export function createDialer(deps: DialerDeps): Dialer {
  const { timing, options } = deps;
  const targets = new Map<NodeId, Target>();
  const rate = createTokenBucket(options.dialsPerSecond, options.dialsPerSecond, timing.now());
  let isClosed = false;

  const stop = (node: NodeId): void => {
    targets.get(node)?.cancel();
    targets.delete(node);
  };
  const schedule = (node: NodeId, target: Target): void => {
    target.cancel();
    target.cancel = timing.after(target.delay, () => attempt(node, target));
  };
  const attempt = (node: NodeId, target: Target): void => {
    if (!deps.isWanted(node)) return void stop(node);
    if (deps.isOpen(node)) return;
    target.delay = nextDelay(target.delay);
    const ip = parseIp(target.endpoint.ip);
    if (ip === undefined || (!options.allowPrivateIps && !isPublicIp(ip))) return void schedule(node, target);
    const wait = rate.reserve(1, timing.now());
    if (wait > 0) target.cancel = timing.after(wait, () => void dial(node, target));
    else void dial(node, target);
  };
  const dial = async (node: NodeId, target: Target): Promise<void> => {
    const { endpoint } = target;
    try {
      const socket = await deps.sockets.dial(endpoint, options.dialTimeout);
      if (isClosed) return socket.close();
      const reached = deps.opened(socket);
      if (reached === node || targets.get(node) !== target) return;
      if (reached !== undefined) deps.log(`another node than expected answers at ${endpoint.ip}:${endpoint.port}`, 'debug');
    } catch (error) {
      deps.log(`cannot connect to a peer at ${endpoint.ip}:${endpoint.port}: ${messageOf(error)}`, 'debug');
    }
    if (!isClosed && targets.get(node) === target && !deps.isOpen(node)) schedule(node, target);
  };
  const nextDelay = (delay: number): number => {
    const longer = (delay <= 0 ? options.initialReconnectDelay : delay) * (1 + randomNumber(timing));
    return longer > options.maxReconnectDelay ? (options.maxReconnectDelay * (3 + randomNumber(timing))) / 4 : longer;
  };

  return {
    track: (node, endpoint) => {
      if (isClosed) return;
      const delay = targets.get(node)?.delay ?? 0;
      stop(node);
      const target: Target = { endpoint, delay, cancel: () => {} };
      targets.set(node, target);
      schedule(node, target);
    },
    retry: (node) => {
      const target = targets.get(node);
      if (target !== undefined && !isClosed) schedule(node, target);
    },
    stop,
    close: () => {
      isClosed = true;
      for (const node of [...targets.keys()]) stop(node);
    },
    count: () => targets.size,
  };
}
