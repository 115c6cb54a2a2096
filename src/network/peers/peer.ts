import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import type { Message } from '../messages/message.ts';
import type { ChainMessage, HoldBytes } from '../protocol/transport.ts';
import { type CloseReason, increment } from './counters.ts';
import { createInboundStream } from './inbound-stream.ts';
import { createOutboundQueue } from './outbound-queue.ts';
import type { Peer, PeerContext } from './peer-context.ts';
import { createPeerSession } from './peer-session.ts';
import { createPeerTraffic } from './peer-traffic.ts';
import type { PeerSocket } from './socket.ts';
import { createTokenBucket } from './token-bucket.ts';

/**
 * A message without effect. That a peer has left is noticed when all it sent is read, which takes seconds while it is slowed down, or at once when
 * something is sent to it.
 */
const probe: Message = { kind: 'peerList', peers: [] };

/** A connection over a socket whose certificate was checked. It sends its handshake at once. AvalancheGo: network/peer/peer.go. */
export function startPeer(context: PeerContext, socket: PeerSocket, node: NodeId, certificate: Uint8Array, isInbound: boolean): Peer {
  const { options, timing, counters } = context;
  const since = timing.now();
  const name = `${nodeIdText(node)} at ${socket.remote.ip}:${socket.remote.port}`;
  const queue = createOutboundQueue(node, socket, context.limits.outbound, timing.now);
  const bandwidth = createTokenBucket(options.bandwidthRefill, options.bandwidthBurst, since);
  const shared = context.limits.shared.open(node);
  let isClosed = false;
  let nextPing = since + options.pingFrequency;

  const close = (reason: CloseReason, details = ''): void => {
    if (isClosed) return;
    isClosed = true;
    inbound.close();
    queue.close();
    socket.close();
    increment(counters.closed, reason);
    context.log(`peer ${name} closed: ${reason}${details === '' ? '' : ` (${details})`}`, 'debug');
    context.events.closed(peer, reason);
  };

  const traffic = createPeerTraffic(context, queue, (details) => close('bad message', details));
  const session = createPeerSession(context, {
    node,
    certificate,
    since,
    traffic,
    close,
    isClosed: () => isClosed,
    onReady: () => context.events.connected(peer),
  });

  const handle = (bytes: Uint8Array, hold: HoldBytes): boolean | Promise<void> => {
    const message = traffic.receive(bytes);
    const handler = message && session.handlerOf(message.kind);
    if (message !== undefined && handler !== undefined) return handler(message);
    const isCounted = message === undefined || !session.isReady() || context.events.receive(node, message as ChainMessage, hold);
    // What this node did not ask for costs a peer without stake the bandwidth of its decompressed bytes: a few bytes may become 2 MiB.
    const excess = traffic.excess(bytes);
    shared.charge(isCounted ? excess : -bytes.length);
    if (isCounted && context.stakes.of(node) === 0n) bandwidth.reserve(excess, timing.now());
    return isCounted;
  };

  const inbound = createInboundStream({
    node,
    socket,
    timing,
    bandwidth,
    shared,
    limits: context.limits,
    waits: counters.waits,
    handle,
    evicted: () => close('busy', 'it sends more than can be read'),
    broken: (reason) => close('bad frame', reason),
  });

  const peer: Peer = {
    node,
    certificate,
    remote: socket.remote,
    isInbound,
    handshake: session.handshake,
    isReady: session.isReady,
    send: traffic.send,
    requestAddresses: () => void traffic.sendMessage({ kind: 'getPeerList', knownPeers: context.addresses.filter(), allSubnets: false }),
    tick: (now) => {
      const waiting = inbound.waitingSince();
      const stalled = queue.stalledSince();
      if (waiting !== undefined && now - waiting > options.pingTimeout) close('read timeout');
      else if (stalled !== undefined && now - stalled > options.pingTimeout) close('write timeout');
      else if (!session.isReady() && now - since > options.pingTimeout) close('handshake timeout');
      else if (now >= nextPing) {
        nextPing = now + options.pingFrequency;
        session.ping(now);
      } else if (session.isReady() && inbound.throttledBy() !== undefined) traffic.sendMessage(probe);
    },
    close,
    activity: () => ({ ...traffic.last(), observedUptime: session.observedUptime(), since }),
    throttledBy: inbound.throttledBy,
  };

  socket.start({ data: inbound.append, closed: () => close('closed by the peer') });
  traffic.sendMessage(context.ownHandshake(), true);
  return peer;
}
