import { rfc3339 } from '../../base/bytes/rfc3339.ts';
import { durationText, minute, second } from '../../base/health/duration.ts';
import type { Check, Details } from '../../base/health/result.ts';

/** State of the network layer. Durations in nanoseconds. */
export type NetworkState = {
  readonly connectedPeers: number;
  /** From 0 to 1. */
  readonly sendFailRate: number;
  /** Absent if no message was ever received. */
  readonly sinceReceived?: bigint | undefined;
  readonly sinceSent?: bigint | undefined;
  /** Present once the grace period after the start is over. */
  readonly ingress?: { readonly connections: number; readonly isValidator: boolean } | undefined;
};

/** AvalancheGo: utils/constants/networking.go. */
const networkLimits = { peers: 1, maxSinceReceived: minute, maxSinceSent: minute, sendFailRate: 0.9 };
export type NetworkLimits = Readonly<typeof networkLimits>;

/** `enforced` is AvalancheGo's sybil protection: without it, a node without peers is healthy. AvalancheGo: network/network.go, HealthCheck. */
export const networkCheck =
  (read: () => NetworkState, enforced: boolean, limits: NetworkLimits = networkLimits): Check =>
  () => {
    const state = read();
    const reasons = enforced ? networkProblems(state, limits) : [];
    return {
      details: networkDetails(state),
      error: reasons.length > 0 ? `network layer is unhealthy reason: ${reasons.join(', ')}` : undefined,
    };
  };

function networkDetails({ connectedPeers, sendFailRate, sinceReceived, sinceSent, ingress }: NetworkState): Details {
  const details: Record<string, Details> = { connectedPeers };
  if (ingress !== undefined)
    details['primary network validator health'] = {
      ingressConnectionCount: ingress.connections,
      primaryNetworkValidator: ingress.isValidator,
    };
  details.sendFailRate = sendFailRate;
  if (sinceReceived !== undefined) details.timeSinceLastMsgReceived = durationText(sinceReceived);
  if (sinceSent !== undefined) details.timeSinceLastMsgSent = durationText(sinceSent);
  return details;
}

function networkProblems(
  { connectedPeers, sendFailRate, sinceReceived, sinceSent, ingress }: NetworkState,
  limits: NetworkLimits,
): string[] {
  const { peers, sendFailRate: maxRate } = limits;
  const idleProblem = (since: bigint | undefined, maxIdle: bigint, never: string, verb: string) =>
    since === undefined
      ? never
      : since > maxIdle && `no messages from network ${verb} in ${durationText(since)} > ${durationText(maxIdle)}`;
  return [
    connectedPeers < peers && `not connected to a minimum of ${peers} peer(s) only ${connectedPeers}`,
    idleProblem(sinceReceived, limits.maxSinceReceived, 'no messages received from network', 'received'),
    idleProblem(sinceSent, limits.maxSinceSent, 'no messages sent to network', 'sent'),
    sendFailRate > maxRate && `messages failure send rate ${sendFailRate} > ${maxRate}`,
    ingress?.isValidator && ingress.connections === 0 && 'primary network validator has no inbound connections',
  ].filter((reason) => typeof reason === 'string');
}

/** Requests to other nodes without a response yet. */
export type RouterState = { readonly outstandingRequests: number; readonly longestRunningRequest: bigint };

/** AvalancheGo: config/flags.go, `--router-health-max-outstanding-requests` and `--router-health-max-outstanding-duration`. */
const routerLimits = { requests: 1024, duration: 5n * minute };
export type RouterLimits = Readonly<typeof routerLimits>;

/** AvalancheGo: snow/networking/router/chain_router.go, HealthCheck. */
export const routerCheck =
  (read: () => RouterState, limits: RouterLimits = routerLimits): Check =>
  () => {
    const { outstandingRequests, longestRunningRequest } = read();
    const longest = durationText(longestRunningRequest);
    const reasons = [
      outstandingRequests > limits.requests && `number of outstanding requests ${outstandingRequests} > ${limits.requests}`,
      longestRunningRequest > limits.duration && `time for outstanding requests ${longest} > ${durationText(limits.duration)}`,
    ].filter((reason) => reason !== false);
    return {
      details: { longestRunningRequest: longest, outstandingRequests },
      error: reasons.length > 0 ? `the router is not healthy reason: ${reasons.join(', ')}` : undefined,
    };
  };

/** The upgrade time of this node and those of the validators it is connected to. */
export type UpgradeState = {
  /** RFC 3339, in UTC. */
  readonly localUpgradeTime: string;
  /** Stake of the whole validator set. */
  readonly totalWeight: bigint;
  /** Connected validators. Upgrade times in Unix seconds. */
  readonly peers: readonly { readonly upgradeTime: bigint; readonly weight: bigint }[];
};

/** Fails if most of the stake has an upgrade scheduled that this node does not know. AvalancheGo: node/node.go, futureUpgradeCheck. */
export const futureUpgradeCheck =
  (read: () => UpgradeState, now: () => bigint): Check =>
  () => {
    const { localUpgradeTime, totalWeight, peers } = read();
    if (totalWeight === 0n) return { error: 'no validators in the current validator set' };
    const mode = heaviestUpgrade(peers);
    const portion = Number(mode.weight) / Number(totalWeight);
    const modeUpgradeTime = rfc3339(mode.time * second);
    const details = {
      localUpgradeTime,
      modeUpgradeTime,
      modeUpgradeWeightPercentage: 100 * portion,
      numUpgradeTimes: mode.times,
    };
    // Both have the same fixed-width format, so they can be compared as text.
    if (localUpgradeTime >= modeUpgradeTime || portion < 0.5) return { details };
    const left = mode.time * second - now();
    return { details: { ...details, timeUntilUpgrade: durationText(left) }, error: urgencyText(left) };
  };

function heaviestUpgrade(peers: UpgradeState['peers']): { time: bigint; weight: bigint; times: number } {
  const weights = new Map<bigint, bigint>();
  let [time, weight] = [0n, 0n];
  for (const peer of peers) {
    const sum = (weights.get(peer.upgradeTime) ?? 0n) + peer.weight;
    weights.set(peer.upgradeTime, sum);
    if (sum > weight) [time, weight] = [peer.upgradeTime, sum];
  }
  return { time, weight, times: weights.size };
}

function urgencyText(left: bigint): string | undefined {
  const hour = 60n * minute;
  if (left > 72n * hour) return undefined;
  if (left > 24n * hour) return 'unknown network upgrade detected';
  if (left > hour) return 'unknown network upgrade detected - update as soon as possible';
  return 'imminent network upgrade detected - update immediately';
}
