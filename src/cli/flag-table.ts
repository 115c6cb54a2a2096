import type { CommandName } from './command.ts';

/**
 * Every flag Serac understands, as data: the parser, the static type of the options and the help text all read this table.
 * Names and defaults are AvalancheGo's where it has the flag. Peer: config/flags.go.
 */
export type Row = {
  readonly group: Group;
  /** The commands it means something to; without it, every one that runs a server. */
  readonly only?: readonly CommandName[];
  readonly kind: Kind;
  readonly help: string;
  /** As one would type it. A flag without a default is undefined until it is given. */
  readonly default?: string;
  readonly allowed?: readonly string[];
  /** Of a number, or of a duration in milliseconds. */
  readonly max?: number;
};

export type Kind = 'text' | 'path' | 'choice' | 'network' | 'whole' | 'u64' | 'yes' | 'duration' | 'list' | 'ip' | 'workers' | 'url';

export const groups = ['Network', 'Chain', 'Storage', 'HTTP', 'Interfaces', 'Access', 'Health', 'Identity', 'Keys', 'Program'] as const;
export type Group = (typeof groups)[number];

/** From quiet to talkative, in AvalancheGo's order. */
export const logLevels = ['off', 'fatal', 'error', 'warn', 'info', 'trace', 'debug', 'verbo'] as const;

export const flags = {
  'network-id': { group: 'Network', kind: 'network', default: 'local', help: 'local, fuji, mainnet or the number of a custom network' },
  'genesis-file': { group: 'Network', kind: 'path', help: "AvalancheGo's genesis JSON for a custom network" },
  'genesis-file-content': { group: 'Network', kind: 'text', help: 'the same in base64; wins over the file' },
  'tx-fee': { group: 'Network', kind: 'u64', help: 'fee of a transaction in nAVAX; the network has one, and fuji and mainnet keep theirs' },
  'create-asset-tx-fee': { group: 'Network', kind: 'u64', help: 'fee of creating an asset in nAVAX; likewise' },

  chains: { group: 'Chain', kind: 'path', help: 'JSON file of further AVM chains to run' },
  'min-block-delay': { group: 'Chain', kind: 'duration', default: '0s', help: 'least time between two blocks' },
  accounts: { group: 'Chain', kind: 'whole', default: '0', help: 'accounts to fund at start; only 0 for now' },

  'data-dir': { group: 'Storage', kind: 'path', help: 'where state and identity live; without it the chain is in memory' },
  'db-type': {
    group: 'Storage',
    kind: 'choice',
    allowed: ['sqlite', 'memdb', 'leveldb', 'pebbledb'],
    help: 'sqlite with a data directory, else memdb; leveldb and pebbledb mean sqlite',
  },
  workers: {
    group: 'Storage',
    kind: 'workers',
    default: 'auto',
    max: 256,
    help: 'processes that answer reads beside the one that writes, or auto',
  },

  'database-url': {
    group: 'Storage',
    kind: 'url',
    only: ['index', 'api', 'keys'],
    help: 'PostgreSQL, postgres://user:password@host:5432/name',
  },
  'cache-url': { group: 'Storage', kind: 'url', help: 'Redis or Valkey, redis://host:6379: counts and answers shared between processes' },

  'http-host': { group: 'HTTP', kind: 'text', default: '127.0.0.1', help: 'address to listen on' },
  'http-port': { group: 'HTTP', kind: 'whole', default: '9650', max: 65535, help: 'port to listen on; 0 picks a free one' },
  'http-allowed-hosts': {
    group: 'HTTP',
    kind: 'list',
    default: 'localhost',
    help: 'host names callers may use; * for all; IP addresses always pass',
  },
  'http-allowed-origins': { group: 'HTTP', kind: 'list', default: '*', help: 'origins browsers may call from' },
  'http-idle-timeout': {
    group: 'HTTP',
    kind: 'duration',
    default: '120s',
    max: 255_000,
    help: "time an idle connection is kept, at most 255s (Bun's limit); 0 keeps it for ever",
  },
  'http-shutdown-wait': { group: 'HTTP', kind: 'duration', default: '0s', help: 'time to answer as unhealthy before stopping' },
  'http-shutdown-timeout': { group: 'HTTP', kind: 'duration', default: '10s', help: 'most time open requests get when stopping' },

  strict: { group: 'Interfaces', kind: 'yes', default: 'false', help: 'answer exactly as AvalancheGo, its oddities included' },
  'public-api': { group: 'Interfaces', kind: 'yes', default: 'false', help: 'leave out what a public endpoint should not offer' },
  'api-info-enabled': { group: 'Interfaces', kind: 'yes', default: 'true', help: 'serve /ext/info' },
  'api-health-enabled': { group: 'Interfaces', kind: 'yes', default: 'true', help: 'serve /ext/health' },
  'api-metrics-enabled': { group: 'Interfaces', kind: 'yes', default: 'true', help: 'serve /ext/metrics' },

  'data-api-enabled': { group: 'Interfaces', kind: 'yes', default: 'true', help: 'serve the Data interface under /v1' },
  'metrics-api-enabled': {
    group: 'Interfaces',
    kind: 'yes',
    default: 'true',
    help: 'serve the Metrics interface under /v1/avg_tps and /v2',
  },
  'data-port': {
    group: 'Interfaces',
    kind: 'whole',
    max: 65535,
    help: 'a port for the Data interface alone; without it, that of the node',
  },
  'metrics-port': { group: 'Interfaces', kind: 'whole', max: 65535, help: 'a port for the Metrics interface alone; likewise' },
  'data-network-name': {
    group: 'Interfaces',
    kind: 'text',
    help: 'what the Data interface calls the network under its own names; a private one answers to fuji and testnet anyway',
  },

  'require-api-key': { group: 'Access', kind: 'yes', default: 'false', help: 'refuse callers of the Data interface without a key' },
  'rate-limits': {
    group: 'Access',
    kind: 'choice',
    allowed: ['on', 'off'],
    help: 'count requests; on unless the server listens on loopback only and has no --trusted-proxies',
  },
  'rate-limit-plans': { group: 'Access', kind: 'path', help: 'JSON file of plans: requests per minute and day, weights of routes' },

  'trusted-proxies': { group: 'Access', kind: 'list', default: '', help: 'addresses of proxies whose X-Forwarded-For tells who calls' },

  'health-check-frequency': { group: 'Health', kind: 'duration', default: '30s', help: 'time between two runs of the checks' },
  'system-tracker-disk-required-available-space-percentage': {
    group: 'Health',
    kind: 'whole',
    default: '3',
    max: 50,
    help: 'free disk space in per cent below which a node with a data directory stops, with exit code 1',
  },
  'system-tracker-disk-warning-available-space-percentage': {
    group: 'Health',
    kind: 'whole',
    default: '10',
    max: 50,
    help: 'free disk space in per cent below which it is unhealthy',
  },

  'staking-tls-cert-file': { group: 'Identity', kind: 'path', help: 'TLS certificate, PEM; its hash is the node ID' },
  'staking-tls-key-file': { group: 'Identity', kind: 'path', help: 'its private key, PEM' },
  'staking-tls-cert-file-content': { group: 'Identity', kind: 'text', help: 'the certificate in base64' },
  'staking-tls-key-file-content': { group: 'Identity', kind: 'text', help: 'the key in base64' },
  'staking-ephemeral-cert-enabled': { group: 'Identity', kind: 'yes', default: 'false', help: 'make a new certificate at every start' },
  'staking-signer-key-file': { group: 'Identity', kind: 'path', help: 'BLS key' },
  'staking-signer-key-file-content': { group: 'Identity', kind: 'text', help: 'the BLS key in base64' },
  'staking-ephemeral-signer-enabled': { group: 'Identity', kind: 'yes', default: 'false', help: 'make a new BLS key at every start' },
  'public-ip': { group: 'Identity', kind: 'ip', default: '', help: 'what info.getNodeIP tells' },
  'staking-port': {
    group: 'Identity',
    kind: 'whole',
    default: '9651',
    max: 65535,
    help: 'the port that info.getNodeIP tells; nothing listens on it',
  },

  name: { group: 'Keys', kind: 'text', only: ['keys'], help: 'create: what the key is for' },
  plan: { group: 'Keys', kind: 'text', only: ['keys'], help: 'create: its plan, free unless given' },
  expires: { group: 'Keys', kind: 'text', only: ['keys'], help: 'create: when it ends, 30d, 12h or 2027-01-31' },
  routes: {
    group: 'Keys',
    kind: 'list',
    only: ['keys'],
    help: 'create: what it may ask, all unless given: data, metrics, or names of routes',
  },

  'log-level': {
    group: 'Program',
    kind: 'choice',
    default: 'info',
    allowed: logLevels,
    help: 'lines to print while running; trace adds blocks, debug requests',
  },
  'log-display-level': { group: 'Program', kind: 'choice', allowed: logLevels, help: 'the same; wins over --log-level' },
  silent: { group: 'Program', kind: 'yes', default: 'false', help: 'print no banner' },
  json: { group: 'Program', kind: 'yes', default: 'false', help: 'print the banner as one JSON object' },
  'config-file': { group: 'Program', kind: 'path', help: 'JSON object of flag names and values' },
  'config-file-content': { group: 'Program', kind: 'text', help: 'the same in base64; wins over the file' },
  'config-file-content-type': { group: 'Program', kind: 'choice', default: 'json', allowed: ['json'], help: 'json is the only one here' },
  version: { group: 'Program', kind: 'yes', default: 'false', help: 'print the version and stop' },
  'version-json': { group: 'Program', kind: 'yes', default: 'false', help: 'print the version as JSON and stop' },
  help: { group: 'Program', kind: 'yes', default: 'false', help: 'print this and stop' },
} as const satisfies { readonly [name: string]: Row };

/** Other spellings: AvalancheGo's name for the same thing. */
export const aliases: { readonly [name: string]: keyof typeof flags } = { 'proposervm-min-block-delay': 'min-block-delay' };

/**
 * Flags of AvalancheGo that would change what Serac does if it had the feature; to pass over them in silence would deceive.
 * A switch is refused only when it is on.
 */
export const refused: { readonly [name: string]: { readonly kind: 'yes' | 'text'; readonly why: string } } = {
  'http-tls-enabled': { kind: 'yes', why: 'Serac serves plain HTTP; put a TLS proxy in front of it' },
  'http-read-header-timeout': {
    kind: 'text',
    why: "Bun's HTTP server gives a caller 10 to 12 seconds to send its headers, and this cannot be changed",
  },
  'db-read-only': { kind: 'yes', why: 'Serac keeps what it accepts; use --db-type memdb to try things out' },
  'upgrade-file': { kind: 'text', why: 'upgrade times of a custom network cannot be chosen; they are those of the local network' },
  'upgrade-file-content': { kind: 'text', why: 'upgrade times of a custom network cannot be chosen; they are those of the local network' },
  'staking-host': {
    kind: 'text',
    why: 'Serac has no peers and listens for none; --public-ip and --staking-port set what info.getNodeIP tells',
  },
  'staking-rpc-signer-endpoint': { kind: 'text', why: 'Serac signs with its own BLS key; give one with --staking-signer-key-file' },
};

/** AvalancheGo's switches that mean nothing here; the second line was removed upstream but lives on in scripts. */
export const ignoredSwitches: ReadonlySet<string> = words(`
api-admin-enabled index-allow-incomplete index-enabled log-disable-display-plugin-logs log-rotater-compress-enabled meter-vms-enabled
api-auth-required api-ipcs-enabled api-keystore-enabled staking-enabled
network-allow-private-ips network-require-validator-to-connect network-tcp-proxy-enabled partial-sync-primary-network
profile-continuous-enabled proposervm-use-current-height sybil-protection-enabled tracing-insecure`);

/** AvalancheGo's flags with a value that mean nothing here. */
export const ignoredValues: ReadonlySet<string> = words(`
acp-object acp-support benchlist-bench-probability benchlist-duration benchlist-halflife benchlist-unbench-probability
bootstrap-ancestors-max-containers-received bootstrap-ancestors-max-containers-sent bootstrap-beacon-connection-timeout bootstrap-ids
bootstrap-ips bootstrap-max-time-get-ancestors chain-aliases-file chain-aliases-file-content chain-config-content chain-config-dir
chain-data-dir consensus-app-concurrency consensus-frontier-poll-frequency consensus-shutdown-timeout db-config-file
db-config-file-content db-dir dynamic-fees-bandwidth-weight dynamic-fees-compute-weight dynamic-fees-db-read-weight
dynamic-fees-db-write-weight dynamic-fees-excess-conversion-constant dynamic-fees-max-gas-capacity dynamic-fees-max-gas-per-second
dynamic-fees-min-gas-price dynamic-fees-target-gas-per-second fd-limit health-check-averager-halflife http-read-timeout
http-tls-cert-file http-tls-cert-file-content http-tls-key-file http-tls-key-file-content http-write-timeout log-dir log-format
log-rotater-max-age log-rotater-max-files log-rotater-max-size max-stake-duration max-validator-stake min-delegation-fee
min-delegator-stake min-stake-duration min-validator-stake network-compression-type network-health-max-outstanding-request-duration
network-health-max-portion-send-queue-full network-health-max-send-fail-rate network-health-max-time-since-msg-received
network-health-max-time-since-msg-sent network-health-min-conn-peers network-inbound-connection-throttling-cooldown
network-inbound-connection-throttling-max-conns-per-sec network-initial-reconnect-delay network-initial-timeout
network-max-clock-difference network-max-reconnect-delay network-maximum-inbound-timeout network-maximum-timeout network-minimum-timeout
network-no-ingress-connections-grace-period network-outbound-connection-throttling-rps network-outbound-connection-timeout
network-peer-list-bloom-reset-frequency network-peer-list-num-validator-ips network-peer-list-pull-gossip-frequency
network-peer-read-buffer-size network-peer-write-buffer-size network-ping-frequency network-ping-timeout network-read-handshake-timeout
network-tcp-proxy-read-timeout network-timeout-coefficient network-timeout-halflife network-tls-key-log-file-unsafe plugin-dir
process-context-file profile-continuous-freq profile-continuous-max-files profile-dir public-ip-resolution-frequency
public-ip-resolution-service router-health-max-drop-rate router-health-max-outstanding-requests simplex-max-network-delay
simplex-max-rebroadcast-wait snow-commit-threshold snow-concurrent-repolls snow-confidence-quorum-size snow-max-processing
snow-max-time-processing snow-optimal-processing snow-preference-quorum-size snow-quorum-size snow-sample-size
stake-max-consumption-rate stake-min-consumption-rate stake-minting-period stake-supply-cap state-sync-ids state-sync-ips
subnet-config-content subnet-config-dir sybil-protection-disabled-weight system-tracker-cpu-halflife system-tracker-disk-halflife
system-tracker-disk-required-available-space system-tracker-disk-warning-threshold-available-space system-tracker-frequency
system-tracker-processing-halflife throttler-inbound-at-large-alloc-size throttler-inbound-bandwidth-max-burst-size
throttler-inbound-bandwidth-refill-rate throttler-inbound-cpu-max-non-validator-node-usage throttler-inbound-cpu-max-non-validator-usage
throttler-inbound-cpu-max-recheck-delay throttler-inbound-cpu-validator-alloc throttler-inbound-disk-max-non-validator-node-usage
throttler-inbound-disk-max-non-validator-usage throttler-inbound-disk-max-recheck-delay throttler-inbound-disk-validator-alloc
throttler-inbound-node-max-at-large-bytes throttler-inbound-node-max-processing-msgs throttler-inbound-validator-alloc-size
throttler-outbound-at-large-alloc-size throttler-outbound-node-max-at-large-bytes throttler-outbound-validator-alloc-size
tracing-endpoint tracing-exporter-type tracing-headers tracing-sample-rate track-subnets uptime-metric-freq uptime-requirement
validator-fees-capacity validator-fees-excess-conversion-constant validator-fees-min-price validator-fees-target vm-aliases-file
vm-aliases-file-content api-auth-password`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
