import { toHex } from '../../base/bytes/hex.ts';
import { messageOf } from '../../base/fault.ts';
import { encodeClaims } from '../messages/encoded-message.ts';
import type { Message } from '../messages/message.ts';
import type { Connection, Peer, PeerHost, PeerTraffic } from './peer.ts';
import { isVersionAccepted, readFilter, type VerifiedPeer, verifyPeer } from './peer-handshake.ts';
import { createTokenBucket } from './timing.ts';

/** Handles a message that no chain gets. Returns whether the time it took counts for the peer. */
type Handler<K extends Message['kind']> = (message: Extract<Message, { kind: K }>) => boolean | Promise<void>;

/**
 * How often a peer's requests for addresses are answered. AvalancheGo asks one random peer every two seconds. A request of 300 bytes can cause a
 * response of 25 kB, and no response is owed.
 */
const addressRequestRate = { perSecond: 1, burst: 10 } as const;

/**
 * What two nodes say to each other about themselves: the handshake, pings, and the addresses of others. `onReady` is called when both sides have
 * finished the handshake. AvalancheGo: network/peer/peer.go.
 */
export function createPeerSession(
  { rules, options, timing, stakes, limits, addresses, counters, isRefused, uptimeOf }: PeerHost,
  { node, certificate }: Pick<Connection, 'node' | 'certificate'>,
  traffic: Pick<PeerTraffic, 'send' | 'sendMessage'>,
  { close, isClosed, onReady }: Pick<Peer, 'close'> & { readonly isClosed: () => boolean; readonly onReady: () => void },
) {
  const addressRequests = createTokenBucket(addressRequestRate.perSecond, addressRequestRate.burst, timing.now());
  let handshake: VerifiedPeer | undefined;
  let hasHandshake = false;
  let isReady = false;
  let observedUptime = 0;
  let pingSent: number | undefined;
  /** The registered BLS key that made the signature of the address. */
  let verifiedKey: string | undefined;

  const checkBls = async (verified: VerifiedPeer): Promise<void> => {
    const publicKey = stakes.publicKey(node);
    const { addressBytes: message, blsSignature: signature } = verified;
    const isValid = await limits.blsChecks.check({ publicKey, message, signature });
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
      const now = timing.unixSeconds();
      counters.clockSkews++;
      counters.clockSkewSum += Math.abs(Number(message.myTime - now));
      const verified = verifyPeer(message, certificate, rules, options.maxClockDifference, now);
      if (typeof verified === 'string') return close('bad handshake', verified);
      await checkBls(verified);
      if (isClosed()) return;
      // The filter can have 2 MiB and is used once.
      handshake = { ...verified, knownPeers: undefined };
      traffic.send(encodeClaims(addresses.claimsFor(node, verified.knownPeers), options.compression), true);
    },
    getPeerList: ({ knownPeers }) => {
      if (!isReady) return true;
      const known = readFilter(knownPeers);
      if (typeof known === 'string') close('bad message', known);
      else if (addressRequests.take(1, timing.now())) {
        const claims = addresses.claimsFor(node, known);
        if (claims.length > 0) traffic.send(encodeClaims(claims, options.compression));
      }
      return true;
    },
    peerList: ({ peers }) => {
      if (handshake === undefined) return true;
      if (!isReady) {
        isReady = true;
        onReady();
      }
      try {
        addresses.learn(peers);
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
      if (isRefused(node)) return void close('not wanted');
      if (handshake !== undefined && isReady) {
        if (!isVersionAccepted(handshake.version, rules, timing.unixSeconds())) return void close('incompatible version');
        const key = stakes.publicKey(node);
        if (key !== undefined && toHex(key) !== verifiedKey) void checkBls(handshake);
      }
      if (traffic.sendMessage({ kind: 'ping', uptime: Math.floor(uptimeOf(node)) })) pingSent = now;
    },
  };
}
