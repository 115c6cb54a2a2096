import type { NodeId } from '../../base/bytes/node-id.ts';
import { createAverager } from '../protocol/averager.ts';
import { type ConnectionCounters, increment, type TrafficCounters } from './counters.ts';
import type { EncodedMessage } from './encoded-message.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { Peer } from './peer-context.ts';
import type { PeerTiming } from './timing.ts';
import { createUptimeMeter } from './uptime-meter.ts';

/** The open connections of a node, and how they did so far. */
export type Connections = ReturnType<typeof createConnections>;

export function createConnections(
  { sendFailHalfLife }: Pick<NetworkOptions, 'sendFailHalfLife'>,
  timing: PeerTiming,
  counters: ConnectionCounters & TrafficCounters,
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
