import { isPublicIp, parseIp } from '../../base/bytes/ip-address.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { messageOf } from '../../base/fault.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { PeerLog } from './peer.ts';
import type { Endpoint, PeerSocket, PeerSockets } from './socket.ts';
import { createTokenBucket, type PeerTiming, randomNumber } from './timing.ts';

/** The longest delay in milliseconds while this node is cut off: it must be back within seconds of its peers. */
const longestCutOff = 2000;

type Target = { endpoint: Endpoint; delay: number; cancel: () => void };

/** Opens connections to nodes and tries again with growing delays. AvalancheGo: network/network.go, dial; network/tracked_ip.go. */
export function createDialer({
  sockets,
  timing,
  options,
  log,
  isWanted,
  isOpen,
  isCutOff,
  opened,
}: {
  readonly sockets: Pick<PeerSockets, 'dial'>;
  readonly timing: PeerTiming;
  readonly options: NetworkOptions;
  readonly log: PeerLog;
  readonly isWanted: (node: NodeId) => boolean;
  /** Whether there is a connection to the node already. */
  readonly isOpen: (node: NodeId) => boolean;
  /** Whether too little of the stake is connected to decide anything. AvalancheGo's delays grow to a minute then too. */
  readonly isCutOff: () => boolean;
  /** Takes a connection. Returns the node at its other end; undefined if the connection was closed. */
  readonly opened: (socket: PeerSocket) => NodeId | undefined;
}) {
  const targets = new Map<NodeId, Target>();
  const rate = createTokenBucket(options.dialsPerSecond, options.dialsPerSecond, timing.now());
  let isClosed = false;

  const stop = (node: NodeId): void => {
    targets.get(node)?.cancel();
    targets.delete(node);
  };
  const schedule = (node: NodeId, target: Target): void => {
    target.cancel();
    target.cancel = timing.after(target.delay, () => dialIfDue(node, target));
  };
  const dialIfDue = (node: NodeId, target: Target): void => {
    if (!isWanted(node)) return void stop(node);
    if (isOpen(node)) return;
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
      const socket = await sockets.dial(endpoint, options.dialTimeout);
      if (isClosed) return socket.close();
      const reached = opened(socket);
      if (reached === node || targets.get(node) !== target) return;
      if (reached !== undefined) log(`another node than expected answers at ${endpoint.ip}:${endpoint.port}`, 'debug');
    } catch (error) {
      log(`cannot connect to a peer at ${endpoint.ip}:${endpoint.port}: ${messageOf(error)}`, 'debug');
    }
    if (!isClosed && targets.get(node) === target && !isOpen(node)) schedule(node, target);
  };
  const nextDelay = (delay: number): number => {
    const longer = (delay <= 0 ? options.initialReconnectDelay : delay) * (1 + randomNumber(timing));
    const longest = isCutOff() ? Math.min(longestCutOff, options.maxReconnectDelay) : options.maxReconnectDelay;
    return longer > longest ? (longest * (3 + randomNumber(timing))) / 4 : longer;
  };

  return {
    /** Begins to dial a node, or uses a new address of it with the delay reached so far. */
    track: (node: NodeId, endpoint: Endpoint): void => {
      if (isClosed) return;
      const delay = targets.get(node)?.delay ?? 0;
      stop(node);
      const target: Target = { endpoint, delay, cancel: () => {} };
      targets.set(node, target);
      schedule(node, target);
    },
    /** Dials again after the delay reached so far. Does nothing for a node that is not tracked. */
    retry: (node: NodeId): void => {
      const target = targets.get(node);
      if (target !== undefined && !isClosed) schedule(node, target);
    },
    stop,
    close: (): void => {
      isClosed = true;
      for (const node of [...targets.keys()]) stop(node);
    },
    /** Nodes that are tracked. */
    count: (): number => targets.size,
  };
}
