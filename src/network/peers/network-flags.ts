/** AvalancheGo's flags of the network layer with its defaults. AvalancheGo: config/flags.go, utils/constants/networking.go. */

type FlagKind = 'duration' | 'integer' | 'number' | 'bytes' | 'boolean' | 'text' | 'compression';

/** A flag and its default. Durations are milliseconds. */
type NetworkFlag<T> = { readonly flag: string; readonly kind: FlagKind; readonly default: T };

const second = 1000;
const minute = 60 * second;
const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

const duration = (flag: string, milliseconds: number): NetworkFlag<number> => ({ flag, kind: 'duration', default: milliseconds });
const integer = (flag: string, value: number): NetworkFlag<number> => ({ flag, kind: 'integer', default: value });
const number = (flag: string, value: number): NetworkFlag<number> => ({ flag, kind: 'number', default: value });
const bytes = (flag: string, value: number): NetworkFlag<number> => ({ flag, kind: 'bytes', default: value });

export const networkFlags = {
  /** An empty host means all addresses. */
  stakingHost: { flag: 'staking-host', kind: 'text', default: '' } as NetworkFlag<string>,
  stakingPort: integer('staking-port', 9651),

  pingFrequency: duration('network-ping-frequency', 22.5 * second),
  /** A peer that sends or takes nothing for this long is closed. */
  pingTimeout: duration('network-ping-timeout', 30 * second),
  /** The time for a TLS handshake. */
  readHandshakeTimeout: duration('network-read-handshake-timeout', 15 * second),
  maxClockDifference: duration('network-max-clock-difference', minute),
  requireValidator: { flag: 'network-require-validator-to-connect', kind: 'boolean', default: false } as NetworkFlag<boolean>,
  /** AvalancheGo's default is false on fuji and mainnet. */
  allowPrivateIps: { flag: 'network-allow-private-ips', kind: 'boolean', default: true } as NetworkFlag<boolean>,
  compression: { flag: 'network-compression-type', kind: 'compression', default: 'zstd' } as NetworkFlag<'zstd' | 'none'>,

  peerListSize: integer('network-peer-list-num-validator-ips', 15),
  peerListFrequency: duration('network-peer-list-pull-gossip-frequency', 2 * second),
  bloomResetFrequency: duration('network-peer-list-bloom-reset-frequency', minute),

  /** Connections from one IP address are accepted once in this time; 0: no limit. */
  inboundCooldown: duration('network-inbound-connection-throttling-cooldown', 10 * second),
  inboundConnectionsPerSecond: number('network-inbound-connection-throttling-max-conns-per-sec', 256),
  dialsPerSecond: integer('network-outbound-connection-throttling-rps', 50),
  dialTimeout: duration('network-outbound-connection-timeout', 30 * second),
  initialReconnectDelay: duration('network-initial-reconnect-delay', second),
  maxReconnectDelay: duration('network-max-reconnect-delay', minute),

  initialTimeout: duration('network-initial-timeout', 5 * second),
  minimumTimeout: duration('network-minimum-timeout', 2 * second),
  maximumTimeout: duration('network-maximum-timeout', 10 * second),
  timeoutHalfLife: duration('network-timeout-halflife', 5 * minute),
  timeoutCoefficient: number('network-timeout-coefficient', 2),
  benchHalfLife: duration('benchlist-halflife', minute),
  benchAbove: number('benchlist-bench-probability', 0.5),
  unbenchBelow: number('benchlist-unbench-probability', 0.2),
  benchDuration: duration('benchlist-duration', 5 * minute),

  inboundAtLargeBytes: bytes('throttler-inbound-at-large-alloc-size', 6 * mebibyte),
  inboundValidatorBytes: bytes('throttler-inbound-validator-alloc-size', 32 * mebibyte),
  inboundNodeBytes: bytes('throttler-inbound-node-max-at-large-bytes', 2 * mebibyte),
  /** Bytes per second and peer. */
  bandwidthRefill: bytes('throttler-inbound-bandwidth-refill-rate', 512 * kibibyte),
  bandwidthBurst: bytes('throttler-inbound-bandwidth-max-burst-size', 2 * mebibyte),
  /** Shares of a core. Messages are handled in one thread, so one core is all there is; AvalancheGo's defaults are multiples of its cores. */
  cpuValidators: number('throttler-inbound-cpu-validator-alloc', 1),
  cpuOthers: number('throttler-inbound-cpu-max-non-validator-usage', 0.8),
  cpuOtherNode: number('throttler-inbound-cpu-max-non-validator-node-usage', 1 / 8),
  cpuRecheckDelay: duration('throttler-inbound-cpu-max-recheck-delay', 5 * second),
  cpuHalfLife: duration('system-tracker-processing-halflife', 15 * second),
  outboundAtLargeBytes: bytes('throttler-outbound-at-large-alloc-size', 32 * mebibyte),
  outboundValidatorBytes: bytes('throttler-outbound-validator-alloc-size', 32 * mebibyte),
  outboundNodeBytes: bytes('throttler-outbound-node-max-at-large-bytes', 2 * mebibyte),

  sendFailHalfLife: duration('health-check-averager-halflife', 10 * second),
  ingressGracePeriod: duration('network-no-ingress-connections-grace-period', 10 * minute),
  minPeers: integer('network-health-min-conn-peers', 1),
  maxTimeSinceReceived: duration('network-health-max-time-since-msg-received', minute),
  maxTimeSinceSent: duration('network-health-max-time-since-msg-sent', minute),
  maxSendFailRate: number('network-health-max-send-fail-rate', 0.9),
  maxOutstandingRequests: integer('router-health-max-outstanding-requests', 1024),
  maxOutstandingDuration: duration('network-health-max-outstanding-request-duration', 5 * minute),
  uptimeRequirement: number('uptime-requirement', 0.8),
} as const satisfies Record<string, NetworkFlag<unknown>>;

/** Values of the flags above. */
export type NetworkOptions = { readonly [K in keyof typeof networkFlags]: (typeof networkFlags)[K]['default'] };

export const defaultNetworkOptions = Object.fromEntries(
  Object.entries(networkFlags).map(([name, row]) => [name, row.default]),
) as unknown as NetworkOptions;
