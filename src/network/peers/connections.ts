import type { NodeId } from '../../base/bytes/node-id.ts';
import type { EncodedMessage } from '../messages/encoded-message.ts';
import { createAverager } from '../protocol/averager.ts';
import { increment, type NetworkCounters } from './network-counters.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { Peer } from './peer.ts';
import type { PeerTiming } from './timing.ts';

/** The open connections of a node by node ID, before and after the handshake; how long each node was connected, and how often sending failed. */
export type Connections = ReturnType<typeof createConnections>;

export function createConnections(
  { sendFailHalfLife }: Pick<NetworkOptions, 'sendFailHalfLife'>,
  timing: PeerTiming,
  counters: NetworkCounters,
) {
  const start = timing.now();
  const connecting = new Map<NodeId, Peer>();
  const connected = new Map<NodeId, Peer>();
  const uptimes = createUptimeMeter(start);
  const sendFailures = createAverager(0, sendFailHalfLife, start);
  let inbound = 0;
  return {
    startedAt: start,
    uptimes,
    isConnected: (node: NodeId): boolean => connected.has(node),
    isOpen: (node: NodeId): boolean => connecting.has(node) || connected.has(node),
    /** Peers that finished the handshake. */
    connected: () => connected.values(),
    all: (): Peer[] => [...connecting.values(), ...connected.values()],
    connectingCount: (): number => connecting.size,
    inboundCount: (): number => inbound,
    sendFailRate: (): number => sendFailures.read(),
    add: (peer: Peer): void => {
      if (peer.isInbound) inbound++;
      connecting.set(peer.node, peer);
    },
    markConnected: (peer: Peer): void => {
      connecting.delete(peer.node);
      connected.set(peer.node, peer);
      counters.timesConnected++;
      uptimes.connected(peer.node, timing.now());
    },
    /** Returns how far the connection was; undefined for one that another has replaced. */
    remove: (peer: Peer): 'connecting' | 'connected' | undefined => {
      if (peer.isInbound) inbound--;
      counters.timesDisconnected++;
      if (connecting.get(peer.node) === peer) {
        connecting.delete(peer.node);
        return 'connecting';
      }
      if (connected.get(peer.node) !== peer) return undefined;
      connected.delete(peer.node);
      uptimes.disconnected(peer.node, timing.now());
      return 'connected';
    },
    /** Sends a message to connected nodes. Returns those whose queue took it. */
    send: (message: EncodedMessage, nodes: readonly NodeId[]): NodeId[] => {
      const now = timing.now();
      return nodes.filter((node) => {
        const peer = connected.get(node);
        if (peer === undefined) {
          increment(counters.failedToSend, message.kind);
          return false;
        }
        const isSent = peer.send(message);
        sendFailures.observe(isSent ? 0 : 1, now);
        return isSent;
      });
    },
  };
}

type Uptime = { total: number; since: number | undefined };

/** How long each validator was connected since this node started. The clock is an argument of each call, in milliseconds. */
function createUptimeMeter(start: number) {
  const uptimes = new Map<NodeId, Uptime>();
  return {
    connected: (node: NodeId, now: number): void => void uptimes.set(node, { total: uptimes.get(node)?.total ?? 0, since: now }),
    disconnected: (node: NodeId, now: number): void => {
      const uptime = uptimes.get(node);
      if (uptime?.since === undefined) return;
      uptime.total += now - uptime.since;
      uptime.since = undefined;
    },
    /** Percent of the time since the start, from 0 to 100. */
    read: (node: NodeId, now: number): number => {
      const uptime = uptimes.get(node);
      if (uptime === undefined || now <= start) return 0;
      const connected = uptime.total + (uptime.since === undefined ? 0 : now - uptime.since);
      return Math.min(100, (100 * connected) / (now - start));
    },
    /** Forgets nodes that are neither connected nor kept. */
    prune: (isKept: (node: NodeId) => boolean): void => {
      for (const [node, { since }] of uptimes) if (since === undefined && !isKept(node)) uptimes.delete(node);
    },
  };
}
