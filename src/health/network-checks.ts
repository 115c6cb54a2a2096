import { rfc3339 } from '../bytes/rfc3339.ts';
import { durationText, minute, second } from './duration.ts';
import type { Check, Details } from './result.ts';

/** What the network layer knows of itself; durations in nanoseconds. */
export type NetworkState = {
  readonly connectedPeers: number;
  /** From 0 to 1. */
  readonly sendFailRate: number;
  /** Absent: no message ever. */
  readonly sinceReceived?: bigint | undefined;
  readonly sinceSent?: bigint | undefined;
  /** Present once the time of grace after the start is over. */
  readonly ingress?: { readonly connections: number; readonly isValidator: boolean } | undefined;
};

/** Peer: utils/constants/networking.go. */
export const networkLimits = { peers: 1, silence: minute, sendFailRate: 0.9, graceNanos: 10n * minute } as const;

/** `enforced` is the peer's sybil protection: a network of one is not sick for being alone. Peer: network/network.go, HealthCheck. */
export const networkCheck =
  (read: () => NetworkState, enforced: boolean): Check =>
  () => {
    const state = read();
    const reasons = enforced ? networkFaults(state) : [];
    return {
      details: networkDetails(state),
      error: reasons.length > 0 ? `network layer is unhealthy reason: ${reasons.join(', ')}` : undefined,
    };
  };

const networkDetails = ({ connectedPeers, sendFailRate, sinceReceived, sinceSent, ingress }: NetworkState): Details => ({
  connectedPeers,
  ...(ingress && {
    'primary network validator health': { ingressConnectionCount: ingress.connections, primaryNetworkValidator: ingress.isValidator },
  }),
  sendFailRate,
  ...(sinceReceived !== undefined && { timeSinceLastMsgReceived: durationText(sinceReceived) }),
  ...(sinceSent !== undefined && { timeSinceLastMsgSent: durationText(sinceSent) }),
});

function networkFaults({ connectedPeers, sendFailRate, sinceReceived, sinceSent, ingress }: NetworkState): string[] {
  const { peers, silence, sendFailRate: maxRate } = networkLimits;
  const silent = (since: bigint | undefined, never: string, verb: string) =>
    since === undefined
      ? never
      : since > silence && `no messages from network ${verb} in ${durationText(since)} > ${durationText(silence)}`;
  return [
    connectedPeers < peers && `not connected to a minimum of ${peers} peer(s) only ${connectedPeers}`,
    silent(sinceReceived, 'no messages received from network', 'received'),
    silent(sinceSent, 'no messages sent to network', 'sent'),
    sendFailRate > maxRate && `messages failure send rate ${sendFailRate} > ${maxRate}`,
    ingress?.isValidator && ingress.connections === 0 && 'primary network validator has no inbound connections',
  ].filter((reason) => typeof reason === 'string');
}

/** Requests to other nodes that wait for an answer. */
export type RouterState = { readonly outstandingRequests: number; readonly longestRunningRequest: bigint };

/** Peer: config/flags.go, `--router-health-max-outstanding-requests` and the duration beside it. */
export const routerLimits = { requests: 1024, duration: 5n * minute } as const;

/** Peer: snow/networking/router/chain_router.go, HealthCheck. */
export const routerCheck =
  (read: () => RouterState): Check =>
  () => {
    const { outstandingRequests, longestRunningRequest } = read();
    const longest = durationText(longestRunningRequest);
    const reasons = [
      outstandingRequests > routerLimits.requests && `number of outstanding requests ${outstandingRequests} > ${routerLimits.requests}`,
      longestRunningRequest > routerLimits.duration && `time for outstanding requests ${longest} > ${durationText(routerLimits.duration)}`,
    ].filter((reason) => reason !== false);
    return {
      details: { longestRunningRequest: longest, outstandingRequests },
      error: reasons.length > 0 ? `the router is not healthy reason: ${reasons.join(', ')}` : undefined,
    };
  };

/** The upgrade this node knows of, and what the validators it is connected to say of theirs. */
export type UpgradeState = {
  /** RFC 3339, in UTC. */
  readonly localUpgradeTime: string;
  /** Stake of the whole validator set. */
  readonly totalWeight: bigint;
  /** Connected validators, with the Unix second of the upgrade each has. */
  readonly peers: readonly { readonly upgradeTime: bigint; readonly weight: bigint }[];
};

/** Do most others know of an upgrade that this node does not? Peer: node/node.go, futureUpgradeCheck. */
export const futureUpgradeCheck =
  (read: () => UpgradeState, now: () => bigint): Check =>
  () => {
    const { localUpgradeTime, totalWeight, peers } = read();
    if (totalWeight === 0n) return { error: 'no validators in the current validator set' };
    const mode = heaviest(peers);
    const portion = Number(mode.weight) / Number(totalWeight);
    const modeUpgradeTime = rfc3339(mode.time * second);
    const details = {
      localUpgradeTime,
      modeUpgradeTime,
      modeUpgradeWeightPercentage: 100 * portion,
      numUpgradeTimes: mode.times,
    };
    // Both in the same form of fixed width, so the order of the texts is the order of the times.
    if (localUpgradeTime >= modeUpgradeTime || portion < 0.5) return { details };
    const left = mode.time * second - now();
    return { details: { ...details, timeUntilUpgrade: durationText(left) }, error: urgency(left) };
  };

function heaviest(peers: UpgradeState['peers']): { time: bigint; weight: bigint; times: number } {
  const weights = new Map<bigint, bigint>();
  let [time, weight] = [0n, 0n];
  for (const peer of peers) {
    const sum = (weights.get(peer.upgradeTime) ?? 0n) + peer.weight;
    weights.set(peer.upgradeTime, sum);
    if (sum > weight) [time, weight] = [peer.upgradeTime, sum];
  }
  return { time, weight, times: weights.size };
}

function urgency(left: bigint): string | undefined {
  const hour = 60n * minute;
  if (left > 72n * hour) return undefined;
  if (left > 24n * hour) return 'unknown network upgrade detected';
  if (left > hour) return 'unknown network upgrade detected - update as soon as possible';
  return 'imminent network upgrade detected - update immediately';
}
