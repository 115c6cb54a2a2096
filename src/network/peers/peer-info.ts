import { type Id, zeroId } from '../../base/bytes/id.ts';
import { endpointText, ipText, remoteText } from '../../base/bytes/ip-address.ts';
import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import { rfc3339 } from '../../base/bytes/rfc3339.ts';
import type { RegisteredStakes } from '../protocol/validators.ts';
import type { PeerNetwork } from './network.ts';
import type { PeerState } from './peer.ts';
import type { VerifiedPeer } from './peer-handshake.ts';
import type { Router } from './router.ts';

/** What the Node RPC and the health checks say about peers, in the formats of AvalancheGo. */

const second = 1_000_000_000n;

/** The rows of `info.peers`. `aliasOf`: the name of a chain on which a peer is benched. AvalancheGo: network/peer/info.go. */
export const peerRows = (peers: readonly PeerState[], router: Pick<Router, 'benchedOn'>, aliasOf: (chain: Id) => string) =>
  peers.map((peer) => {
    const { address, version, upgradeTime, trackedSubnets, supportedAcps, objectedAcps } = peer.handshake() as VerifiedPeer;
    const { lastSent, lastReceived, observedUptime } = peer.activity();
    return {
      ip: endpointText(remoteText(peer.remote.ip), peer.remote.port),
      publicIP: endpointText(ipText(address.ip), address.port),
      nodeID: nodeIdText(peer.node),
      version: `${version.name}/${version.major}.${version.minor}.${version.patch}`,
      upgradeTime,
      lastSent: rfc3339(lastSent * second),
      lastReceived: rfc3339(lastReceived * second),
      observedUptime,
      // Every node tracks the primary network, whose ID is zero, and does not say so.
      trackedSubnets: [...new Set([zeroId, ...trackedSubnets])],
      supportedACPs: supportedAcps,
      objectedACPs: objectedAcps,
      benched: router.benchedOn(peer.node).map(aliasOf),
    };
  });

/** The result of `info.uptime`, in percent; undefined if this node is not a validator. AvalancheGo: network/network.go, NodeUptime. */
export function ownUptime(self: NodeId, peers: readonly PeerState[], stakes: RegisteredStakes, requirement: number) {
  const own = Number(stakes.of(self));
  if (own === 0) return undefined;
  const total = Number(stakes.total());
  let weighted = 100 * own;
  let rewarding = own;
  for (const peer of peers) {
    const weight = Number(stakes.of(peer.node));
    const { observedUptime } = peer.activity();
    weighted += observedUptime * weight;
    if (observedUptime / 100 >= requirement) rewarding += weight;
  }
  return { weightedAverage: weighted / total, rewardingStake: (100 * rewarding) / total };
}

/** The state for the health check `network`. Durations in nanoseconds. */
export function networkState(network: PeerNetwork, stakes: RegisteredStakes, unixNanos: bigint) {
  const { counters, options } = network;
  const age = network.timing.now() - network.startedAt;
  const since = (time: bigint) => (time === 0n ? undefined : unixNanos - time * second);
  return {
    connectedPeers: network.peers().length,
    sendFailRate: network.sendFailRate(),
    sinceReceived: since(counters.lastReceived),
    sinceSent: since(counters.lastSent),
    ingress:
      age > options.ingressGracePeriod ? { connections: network.inboundCount(), isValidator: stakes.of(network.self) > 0n } : undefined,
  };
}

/** The state for the health check `router`. */
export function routerState(router: Pick<Router, 'requestState'>, now: number) {
  const { outstanding, oldest } = router.requestState();
  return { outstandingRequests: outstanding, longestRunningRequest: oldest === undefined ? 0n : BigInt(Math.round((now - oldest) * 1e6)) };
}

/** The entry of this node in the validator set, for the health check `bls`; undefined if it is not a validator. */
export function ownRegistration(self: NodeId, stakes: RegisteredStakes) {
  if (stakes.of(self) === 0n) return undefined;
  const key = stakes.publicKey(self);
  return { publicKey: key && (() => Promise.resolve(key)) };
}

/** Upgrade times of connected validators, for the health check `futureupgrade`. */
export const upgradeState = (peers: readonly PeerState[], stakes: RegisteredStakes, localUpgradeTime: string) => ({
  localUpgradeTime,
  totalWeight: stakes.total(),
  peers: peers
    .map((peer) => ({ upgradeTime: (peer.handshake() as VerifiedPeer).upgradeTime, weight: stakes.of(peer.node) }))
    .filter(({ weight }) => weight > 0n),
});
