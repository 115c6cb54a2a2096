import type { Id } from '../../base/bytes/id.ts';
import type { Labels } from '../../base/metrics/family.ts';
import type { MetricReading, MetricRegistry } from '../../base/metrics/registry.ts';
import type { MessageKind } from '../messages/message.ts';
import type { PeerNetwork } from './network.ts';
import type { TrafficCounts } from './network-counters.ts';
import { ownUptime } from './peer-info.ts';
import type { Peers } from './peers.ts';
import type { MessageTime } from './router.ts';

type Reading = readonly [type: 'counter' | 'gauge', name: string, help: string, read: () => MetricReading];

/** Registers what AvalancheGo counts about its peers, under its names; what only Serac counts begins with `serac_`. */
export function registerPeerMetrics(registry: MetricRegistry, peers: Peers, aliasOf: (chain: Id) => string, unixNanos: () => bigint): void {
  const rows = [
    ...networkReadings(peers.network, unixNanos),
    ...filterReadings(peers.network),
    ...throttleReadings(peers.network),
    ...requestReadings(peers, aliasOf),
  ];
  for (const row of rows) registry.addReading(...row);
}

const nanosPerMillisecond = 1e6;

/** AvalancheGo: network/metrics.go, network/peer/metrics.go. */
function networkReadings(network: PeerNetwork, unixNanos: () => bigint): Reading[] {
  const { counters, connectionLimits, stakes, timing } = network;
  const since = (time: bigint) => (time === 0n ? 0 : unixNanos() - time * 1_000_000_000n);
  const uptime = () => ownUptime(network.self, network.peers(), stakes, network.options.uptimeRequirement);
  const averageAge = () => {
    const peers = network.peers();
    const now = timing.now();
    return peers.length === 0
      ? 0
      : (peers.reduce((sum, peer) => sum + now - peer.activity().since, 0) / peers.length) * nanosPerMillisecond;
  };
  return [
    ['gauge', 'avalanche_network_peers', 'Number of peers', () => network.peers().length],
    ['gauge', 'avalanche_network_tracked', 'Addresses that this node tries to connect to', network.trackedCount],
    ['gauge', 'avalanche_network_tracked_peers', 'Nodes whose address is known', network.knownAddressCount],
    ['gauge', 'avalanche_network_gossipable_ips', 'Addresses that this node passes on', network.passedOnCount],
    ['gauge', 'avalanche_network_time_since_last_msg_received', 'Nanoseconds since the last message', () => since(counters.lastReceived)],
    ['gauge', 'avalanche_network_time_since_last_msg_sent', 'Nanoseconds since the last message', () => since(counters.lastSent)],
    ['gauge', 'avalanche_network_send_fail_rate', 'Share of messages that recently could not be sent', network.sendFailRate],
    ['counter', 'avalanche_network_times_connected', 'Finished handshakes', () => counters.timesConnected],
    ['counter', 'avalanche_network_times_disconnected', 'Closed connections', () => counters.timesDisconnected],
    ['counter', 'avalanche_network_accept_failed', 'Failures of the listener', () => counters.acceptFailed],
    ['counter', 'avalanche_network_inbound_conn_throttler_allowed', 'Inbound connections that were allowed', connectionLimits.allowed],
    [
      'counter',
      'avalanche_network_inbound_conn_throttler_rate_limited',
      'Inbound connections that were too many',
      connectionLimits.rejected,
    ],
    ['counter', 'avalanche_network_tls_conn_rejected', 'Connections rejected for their certificate', () => counters.tlsRejected],
    [
      'counter',
      'avalanche_network_num_useless_peerlist_bytes',
      'Bytes of known or unwanted addresses',
      () => counters.uselessPeerListBytes,
    ],
    ['gauge', 'avalanche_network_node_uptime_weighted_average', 'Uptime of this node, by stake', () => uptime()?.weightedAverage ?? 0],
    ['gauge', 'avalanche_network_node_uptime_rewarding_stake', 'Stake that would reward it', () => uptime()?.rewardingStake ?? 0],
    ['gauge', 'avalanche_network_peer_connected_duration_average', 'Average age of connections in nanoseconds', averageAge],
    ['counter', 'avalanche_network_round_trip_count', 'Measured round trips', () => counters.roundTrips],
    ['gauge', 'avalanche_network_round_trip_sum', 'Sum of round trips in milliseconds', () => counters.roundTripSum],
    ['counter', 'avalanche_network_clock_skew_count', 'Compared clocks', () => counters.clockSkews],
    ['gauge', 'avalanche_network_clock_skew_sum', 'Sum of differences of clocks in seconds', () => counters.clockSkewSum],
    ['counter', 'avalanche_network_msgs_failed_to_parse', 'Messages that could not be decoded', () => counters.failedToParse],
    ['counter', 'avalanche_network_msgs_failed_to_send', 'Messages that were dropped', () => byKind(counters.failedToSend)],
    [
      'counter',
      'avalanche_network_msgs',
      'Messages',
      () => [...messageRows('sent', counters.sent), ...messageRows('received', counters.received)],
    ],
    [
      'counter',
      'avalanche_network_msgs_bytes',
      'Bytes of messages',
      () => [...byteRows('sent', counters.sent), ...byteRows('received', counters.received)],
    ],
    [
      'gauge',
      'avalanche_network_msgs_bytes_saved',
      'Bytes that compression saved',
      () => [...savedRows('sent', counters.sent), ...savedRows('received', counters.received)],
    ],
    [
      'counter',
      'serac_peers_closed_total',
      'Connections that ended, by reason',
      () => [...counters.closed].map(([reason, count]) => [{ reason }, count]),
    ],
  ];
}

/** The filter of known addresses. AvalancheGo: network/ip_tracker.go, utils/bloom/metrics.go. */
function filterReadings({ addressFilter }: PeerNetwork): Reading[] {
  return [
    ['gauge', 'avalanche_network_ip_bloom_count', 'Addresses added to the filter', () => addressFilter().count],
    ['gauge', 'avalanche_network_ip_bloom_max_count', 'Addresses at which the filter is replaced', () => addressFilter().max],
    ['gauge', 'avalanche_network_ip_bloom_hashes', 'Hashes of the filter', () => addressFilter().hashes],
    ['gauge', 'avalanche_network_ip_bloom_entries', 'Bytes of the filter', () => addressFilter().entries],
    ['counter', 'avalanche_network_ip_bloom_reset_count', 'How often the filter was replaced', () => addressFilter().resets],
  ];
}

/** AvalancheGo: network/throttling. */
function throttleReadings({ limits, timing, counters, peers }: PeerNetwork): Reading[] {
  const { inbound, outbound, unread, cpu } = limits;
  const { waits } = counters;
  const waiting = (throttle: string) => () => peers().filter((peer) => peer.throttledBy() === throttle).length;
  return [
    ['gauge', 'avalanche_network_bandwidth_throttler_inbound_awaiting_acquire', 'Peers that wait for bandwidth', waiting('bandwidth')],
    ['gauge', 'avalanche_network_cpu_throttler_awaiting_acquire', 'Peers above their share of the CPU', waiting('cpu')],
    ['counter', 'avalanche_network_cpu_throttler_total_waits', 'Messages that waited for a share of the CPU', () => waits.cpu.waits],
    ['counter', 'avalanche_network_cpu_throttler_total_no_waits', 'Messages that did not', () => waits.cpu.noWaits],
    ...latencyReadings('bandwidth', waits.bandwidth),
    ...latencyReadings('byte', waits.bytes),
    ['gauge', 'avalanche_network_byte_throttler_inbound_awaiting_acquire', 'Peers that wait for memory', inbound.waiting],
    ['gauge', 'avalanche_network_byte_throttler_inbound_awaiting_release', 'Messages being read', inbound.granted],
    ['gauge', 'avalanche_network_byte_throttler_inbound_remaining_at_large_bytes', 'Free bytes for all', () => inbound.remaining().atLarge],
    [
      'gauge',
      'avalanche_network_byte_throttler_inbound_remaining_validator_bytes',
      'Free bytes for validators',
      () => inbound.remaining().validators,
    ],
    ['gauge', 'serac_peers_unread_bytes', 'Bytes that peers without stake sent and that wait to be read', unread.total],
    [
      'counter',
      'avalanche_network_throttler_outbound_acquire_successes',
      'Messages that got memory in a queue',
      () => outbound.counts().taken,
    ],
    [
      'counter',
      'avalanche_network_throttler_outbound_acquire_failures',
      'Messages dropped because the queues were full',
      () => outbound.counts().refused,
    ],
    ['gauge', 'avalanche_network_throttler_outbound_awaiting_release', 'Messages to be sent', outbound.granted],
    ['gauge', 'avalanche_network_throttler_outbound_remaining_at_large_bytes', 'Free bytes for all', () => outbound.remaining().atLarge],
    [
      'gauge',
      'avalanche_network_throttler_outbound_remaining_validator_bytes',
      'Free bytes for validators',
      () => outbound.remaining().validators,
    ],
    ['gauge', 'avalanche_resource_tracker_cpu_usage', 'Cores that this process used recently', () => cpu.cpuUsage(timing.now())],
    ['gauge', 'avalanche_resource_tracker_processing_time', 'Share of the time that messages of peers take', () => cpu.total(timing.now())],
  ];
}

const latencyReadings = (name: string, row: { readonly count: number; readonly sum: number }): Reading[] => {
  const prefix = `avalanche_network_${name}_throttler_inbound_acquire_latency`;
  return [
    ['counter', `${prefix}_count`, 'Messages that could be read', () => row.count],
    ['gauge', `${prefix}_sum`, 'Nanoseconds that they waited before', () => row.sum * nanosPerMillisecond],
  ];
};

/** AvalancheGo: snow/networking/router, timeout and benchlist. */
function requestReadings({ network, router }: Peers, aliasOf: (chain: Id) => string): Reading[] {
  const state = router.requestState;
  const longest = () => {
    const { oldest } = state();
    return oldest === undefined ? 0 : (network.timing.now() - oldest) * nanosPerMillisecond;
  };
  const perChain = (value: (row: ReturnType<typeof router.benchState>[number]) => number | bigint) => () =>
    router.benchState().map((row) => [{ chain: aliasOf(row.chainId) }, value(row)] as const);
  const perKind = (rows: () => MessageTime[], value: (row: MessageTime) => number) => () =>
    rows().map((row) => [{ chain: aliasOf(row.chainId), op: opOf(row.kind) }, value(row)] as const);
  return [
    ['gauge', 'avalanche_requests_outstanding', 'Requests without a response yet', () => state().outstanding],
    ['gauge', 'avalanche_requests_longest_running', 'Age of the oldest request in nanoseconds', longest],
    [
      'counter',
      'avalanche_requests_dropped',
      'Messages for chains that do not run here, or without a deadline',
      () => router.counts().dropped,
    ],
    ['gauge', 'avalanche_requests_current_timeout', 'Timeout of requests in nanoseconds', () => state().timeout * nanosPerMillisecond],
    ['gauge', 'avalanche_requests_average_latency', 'Average latency in nanoseconds', () => state().averageLatency * nanosPerMillisecond],
    ['counter', 'avalanche_requests_timeouts', 'Requests that timed out', () => router.counts().timeouts],
    ['gauge', 'avalanche_requests_pending_timeouts', 'Requests that can time out', () => state().outstanding],
    ['gauge', 'avalanche_benchlist_benched_num', 'Benched validators', perChain(({ count }) => count)],
    ['gauge', 'avalanche_benchlist_benched_weight', 'Stake of benched validators', perChain(({ weight }) => weight)],
    ['counter', 'avalanche_responses_messages', 'Responses', perKind(router.responseTimes, ({ count }) => count)],
    [
      'gauge',
      'avalanche_responses_message_latencies',
      'Sum of latencies in nanoseconds',
      perKind(router.responseTimes, ({ sum }) => sum * nanosPerMillisecond),
    ],
    ['counter', 'avalanche_handler_messages', 'Messages that chains handled', perKind(router.handlingTimes, ({ count }) => count)],
    [
      'gauge',
      'avalanche_handler_message_handling_time',
      'Nanoseconds until chains had handled or queued them, summed',
      perKind(router.handlingTimes, ({ sum }) => sum * nanosPerMillisecond),
    ],
  ];
}

/** AvalancheGo's name of a kind of message. AvalancheGo: message/ops.go. */
export const opOf = (kind: MessageKind): string =>
  kind
    .replace('PeerList', 'Peerlist')
    .replace('peerList', 'peerlist')
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Rows = (readonly [Labels, number])[];

const byKind = (counts: ReadonlyMap<MessageKind, number>): Rows => [...counts].map(([kind, count]) => [{ op: opOf(kind) }, count]);

const messageRows = (io: string, counts: TrafficCounts): Rows =>
  [...counts].flatMap(([kind, { messages, compressed }]): Rows => {
    const rows: Rows = [
      [{ compressed: 'false', io, op: opOf(kind) }, messages - compressed],
      [{ compressed: 'true', io, op: opOf(kind) }, compressed],
    ];
    return rows.filter(([, count]) => count > 0);
  });

const byteRows = (io: string, counts: TrafficCounts): Rows => [...counts].map(([kind, { bytes }]) => [{ io, op: opOf(kind) }, bytes]);

const savedRows = (io: string, counts: TrafficCounts): Rows => [...counts].map(([kind, { saved }]) => [{ io, op: opOf(kind) }, saved]);
