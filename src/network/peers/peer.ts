import { toHex } from '../../base/bytes/hex.ts';
import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import { messageOf } from '../../base/fault.ts';
import { MessageError } from '../messages/fault.ts';
import { messageSize } from '../messages/frame.ts';
import { decodeMessage, type Message } from '../messages/message.ts';
import { isCompatible } from '../protocol/handshake.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { type CloseReason, countTraffic, increment } from './counters.ts';
import { type EncodedMessage, encodeClaims, encodeForPeers } from './encoded-message.ts';
import { createInboundStream } from './inbound-stream.ts';
import { createOutboundQueue } from './outbound-queue.ts';
import { minimumVersion, type Peer, type PeerContext, type VerifiedPeer } from './peer-context.ts';
import { createAddressRequests, readFilter, verifyPeer } from './peer-handshake.ts';
import type { PeerSocket } from './socket.ts';
import { createTokenBucket } from './token-bucket.ts';

/** A connection over a socket whose certificate was checked. It sends its handshake at once. AvalancheGo: network/peer/peer.go. */
export function startPeer(context: PeerContext, socket: PeerSocket, node: NodeId, certificate: Uint8Array, isInbound: boolean): Peer {
  const { options, timing, counters } = context;
  const since = timing.now();
  const name = `${nodeIdText(node)} at ${socket.remote.ip}:${socket.remote.port}`;
  const queue = createOutboundQueue(node, socket, context.limits.outbound, timing.now);
  const addressRequests = createAddressRequests(since);
  let handshake: VerifiedPeer | undefined;
  let hasHandshake = false;
  let isReady = false;
  let isClosed = false;
  let lastSent = 0n;
  let lastReceived = 0n;
  let observedUptime = 0;
  let nextPing = since + options.pingFrequency;
  let pingSent: number | undefined;
  /** The registered BLS key that made the signature of the address. */
  let verifiedKey: string | undefined;

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

  const send = (message: EncodedMessage, isExempt = false): boolean => {
    if (!queue.push(message.frame, isExempt, timing.now())) {
      increment(counters.failedToSend, message.kind);
      return false;
    }
    lastSent = timing.unixSeconds();
    counters.lastSent = lastSent;
    countTraffic(counters.sent, message.kind, messageSize(message.frame), message.isCompressed, message.saved);
    return true;
  };
  const sendMessage = (message: Message, isExempt = false): boolean => send(encodeForPeers(message, options.compression), isExempt);

  const checkBls = async (verified: VerifiedPeer): Promise<void> => {
    const publicKey = context.stakes.publicKey(node);
    const { addressBytes: message, blsSignature: signature } = verified;
    const isValid = await context.limits.blsChecks.check({ publicKey, message, signature });
    if (isValid === undefined) return close('busy', 'too many handshakes at once');
    if (!isValid) return close('bad BLS signature');
    verifiedKey = publicKey && toHex(publicKey);
  };

  /** The handlers of messages that no chain gets. Each returns whether the time it took counts for the peer. */
  const handlers: { [K in Message['kind']]?: (message: Extract<Message, { kind: K }>) => boolean | Promise<void> } = {
    ping: ({ uptime }) => {
      if (uptime > 100) close('bad message', `an uptime of ${uptime} %`);
      else {
        observedUptime = uptime;
        sendMessage({ kind: 'pong' });
      }
      return true;
    },
    pong: () => {
      if (pingSent === undefined) close('unexpected pong');
      else {
        counters.roundTrips++;
        counters.roundTripSum += timing.now() - pingSent;
        pingSent = undefined;
      }
      return true;
    },
    handshake: async (message) => {
      if (hasHandshake) return close('bad handshake', 'a second one');
      hasHandshake = true;
      const verified = verifyPeer(context, message, certificate);
      if (typeof verified === 'string') return close('bad handshake', verified);
      await checkBls(verified);
      if (isClosed) return;
      // The filter can have 2 MiB and is used once.
      handshake = { ...verified, knownPeers: undefined };
      send(encodeClaims(context.addresses.claimsFor(node, verified.knownPeers), options.compression), true);
    },
    getPeerList: ({ knownPeers }) => {
      if (!isReady) return true;
      const known = readFilter(knownPeers);
      if (typeof known === 'string') close('bad message', known);
      else if (addressRequests.take(1, timing.now())) {
        const claims = context.addresses.claimsFor(node, known);
        if (claims.length > 0) send(encodeClaims(claims, options.compression));
      }
      return true;
    },
    peerList: ({ peers }) => {
      if (handshake === undefined) return true;
      if (!isReady) {
        isReady = true;
        context.events.connected(peer);
      }
      try {
        context.addresses.learn(peers, node);
      } catch (error) {
        close('bad peer list', messageOf(error));
      }
      return true;
    },
  };

  const handle = (bytes: Uint8Array): boolean | Promise<void> => {
    decompressedSize = undefined;
    const message = decode(bytes);
    if (message === undefined) return true;
    lastReceived = timing.unixSeconds();
    counters.lastReceived = lastReceived;
    const isCompressed = decompressedSize !== undefined;
    countTraffic(counters.received, message.kind, bytes.length, isCompressed, (decompressedSize ?? bytes.length) - bytes.length);
    const handler = handlers[message.kind] as ((message: Message) => boolean | Promise<void>) | undefined;
    if (handler !== undefined) return handler(message);
    return isReady ? context.events.receive(node, message as ChainMessage) : true;
  };

  let decompressedSize: number | undefined;
  const onDecompressed = (size: number): void => {
    decompressedSize = size;
  };
  /** Undefined for a message that AvalancheGo ignores; limits of handshakes and peer lists close the connection. */
  const decode = (bytes: Uint8Array): Message | undefined => {
    try {
      return decodeMessage(bytes, onDecompressed);
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      counters.failedToParse++;
      if (isLimit.has(error.fault.code) && closingKinds.has(error.messageKind ?? '')) close('bad message', error.message);
      return undefined;
    }
  };

  const inbound = createInboundStream({
    node,
    socket,
    timing,
    bandwidth: createTokenBucket(options.bandwidthRefill, options.bandwidthBurst, since),
    cpu: context.limits.cpu,
    budget: context.limits.inbound,
    waits: counters.waits,
    handle,
    broken: (reason) => close('bad frame', reason),
  });

  const sendPing = (now: number): void => {
    nextPing = now + options.pingFrequency;
    if (context.standing.isRefused(node)) return void close('not wanted');
    if (handshake !== undefined && isReady) {
      const { compatibility } = context.rules;
      if (!isCompatible(handshake.version, compatibility.version, minimumVersion(compatibility, timing.unixSeconds())))
        return void close('incompatible version');
      const key = context.stakes.publicKey(node);
      if (key !== undefined && toHex(key) !== verifiedKey) void checkBls(handshake);
    }
    if (sendMessage({ kind: 'ping', uptime: Math.floor(context.standing.uptimeOf(node)) })) pingSent = now;
  };

  const peer: Peer = {
    node,
    certificate,
    remote: socket.remote,
    isInbound,
    handshake: () => handshake,
    isReady: () => isReady,
    send,
    requestAddresses: () => void sendMessage({ kind: 'getPeerList', knownPeers: context.addresses.filter(), allSubnets: false }),
    tick: (now) => {
      const waiting = inbound.waitingSince();
      const stalled = queue.stalledSince();
      if (waiting !== undefined && now - waiting > options.pingTimeout) close('read timeout');
      else if (stalled !== undefined && now - stalled > options.pingTimeout) close('write timeout');
      else if (!isReady && now - since > options.pingTimeout) close('handshake timeout');
      else if (now >= nextPing) sendPing(now);
    },
    close,
    activity: () => ({ lastSent, lastReceived, observedUptime, since }),
    throttledBy: inbound.throttledBy,
  };

  socket.start({ data: inbound.append, closed: () => close('closed by the peer') });
  sendMessage(context.ownHandshake(), true);
  return peer;
}

/** Messages whose limits AvalancheGo checks itself; in others it has no limits, or ignores the message. */
const closingKinds: ReadonlySet<string> = new Set(['handshake', 'peerList', 'getPeerList']);
const isLimit: ReadonlySet<string> = new Set(['MESSAGE_FIELD_TOO_LARGE', 'MESSAGE_TOO_MANY_ELEMENTS', 'MESSAGE_ID_LENGTH']);
