import { toHex } from '../../base/bytes/hex.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { messageOf } from '../../base/fault.ts';
import type { Message } from '../messages/message.ts';
import { isCompatible } from '../protocol/handshake.ts';
import { encodeClaims } from './encoded-message.ts';
import { minimumVersion, type Peer, type PeerContext, type VerifiedPeer } from './peer-context.ts';
import { createAddressRequests, readFilter, verifyPeer } from './peer-handshake.ts';
import type { PeerTraffic } from './peer-traffic.ts';

/** Handles a message that no chain gets. Returns whether the time it took counts for the peer. */
type Handler<K extends Message['kind']> = (message: Extract<Message, { kind: K }>) => boolean | Promise<void>;

type PeerSessionDeps = {
  readonly node: NodeId;
  readonly certificate: Uint8Array;
  /** Monotonic milliseconds of the start. */
  readonly since: number;
  readonly traffic: Pick<PeerTraffic, 'send' | 'sendMessage'>;
  readonly close: Peer['close'];
  readonly isClosed: () => boolean;
  /** Both sides have finished the handshake. */
  readonly onReady: () => void;
};

/** What two nodes say to each other about themselves: the handshake, pings, and the addresses of others. AvalancheGo: network/peer/peer.go. */
export function createPeerSession(context: PeerContext, deps: PeerSessionDeps) {
  const { options, timing, counters } = context;
  const { node, close, traffic } = deps;
  const addressRequests = createAddressRequests(deps.since);
  let handshake: VerifiedPeer | undefined;
  let hasHandshake = false;
  let isReady = false;
  let observedUptime = 0;
  let pingSent: number | undefined;
  /** The registered BLS key that made the signature of the address. */
  let verifiedKey: string | undefined;

  const checkBls = async (verified: VerifiedPeer): Promise<void> => {
    const publicKey = context.stakes.publicKey(node);
    const { addressBytes: message, blsSignature: signature } = verified;
    const isValid = await context.limits.blsChecks.check({ publicKey, message, signature });
    if (isValid === undefined) return close('busy', 'too many handshakes at once');
    if (!isValid) return close('bad BLS signature');
    verifiedKey = publicKey && toHex(publicKey);
  };

  const handlers: { [K in Message['kind']]?: Handler<K> } = {
    ping: ({ uptime }) => {
      if (uptime > 100) close('bad message', `an uptime of ${uptime} %`);
      else {
        observedUptime = uptime;
        traffic.sendMessage({ kind: 'pong' });
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
      const verified = verifyPeer(context, message, deps.certificate);
      if (typeof verified === 'string') return close('bad handshake', verified);
      await checkBls(verified);
      if (deps.isClosed()) return;
      // The filter can have 2 MiB and is used once.
      handshake = { ...verified, knownPeers: undefined };
      traffic.send(encodeClaims(context.addresses.claimsFor(node, verified.knownPeers), options.compression), true);
    },
    getPeerList: ({ knownPeers }) => {
      if (!isReady) return true;
      const known = readFilter(knownPeers);
      if (typeof known === 'string') close('bad message', known);
      else if (addressRequests.take(1, timing.now())) {
        const claims = context.addresses.claimsFor(node, known);
        if (claims.length > 0) traffic.send(encodeClaims(claims, options.compression));
      }
      return true;
    },
    peerList: ({ peers }) => {
      if (handshake === undefined) return true;
      if (!isReady) {
        isReady = true;
        deps.onReady();
      }
      try {
        context.addresses.learn(peers, node);
      } catch (error) {
        close('bad peer list', messageOf(error));
      }
      return true;
    },
  };

  return {
    handlerOf: (kind: Message['kind']) => handlers[kind] as ((message: Message) => boolean | Promise<void>) | undefined,
    handshake: () => handshake,
    isReady: () => isReady,
    observedUptime: () => observedUptime,
    /** Checks again whether the peer is wanted, and sends a ping. */
    ping: (now: number): void => {
      if (context.standing.isRefused(node)) return void close('not wanted');
      if (handshake !== undefined && isReady) {
        const { compatibility } = context.rules;
        if (!isCompatible(handshake.version, compatibility.version, minimumVersion(compatibility, timing.unixSeconds())))
          return void close('incompatible version');
        const key = context.stakes.publicKey(node);
        if (key !== undefined && toHex(key) !== verifiedKey) void checkBls(handshake);
      }
      if (traffic.sendMessage({ kind: 'ping', uptime: Math.floor(context.standing.uptimeOf(node)) })) pingSent = now;
    },
  };
}
