import type { FlagDefinition } from './flag-definition.ts';

/** Flags of what a node serves, to whom, of its health and of its identity. */
export const serverFlags = {
  'http-host': { group: 'HTTP', kind: 'text', default: '127.0.0.1', help: 'address to listen on' },
  'http-port': { group: 'HTTP', kind: 'integer', default: '9650', max: 65535, help: 'port to listen on; 0 selects a free port' },
  'http-allowed-hosts': {
    group: 'HTTP',
    kind: 'list',
    default: 'localhost',
    help: 'allowed Host headers; * for all; IP addresses are always allowed',
  },
  'http-allowed-origins': { group: 'HTTP', kind: 'list', default: '*', help: 'allowed CORS origins' },
  'http-idle-timeout': {
    group: 'HTTP',
    kind: 'duration',
    default: '120s',
    max: 255_000,
    help: "time after which an idle connection is closed, at most 255s (Bun's limit); 0 disables the timeout",
  },
  'http-shutdown-wait': {
    group: 'HTTP',
    kind: 'duration',
    default: '0s',
    help: 'time to report unhealthy, but still serve requests, before stopping',
  },
  'http-shutdown-timeout': { group: 'HTTP', kind: 'duration', default: '10s', help: 'maximum time to finish open requests when stopping' },

  strict: { group: 'APIs', kind: 'boolean', default: 'false', help: 'answer exactly as AvalancheGo does, including its quirks' },
  'public-api': {
    group: 'APIs',
    kind: 'boolean',
    default: 'false',
    help: 'disable endpoints that are unsafe to expose: /ext/health, /ext/dev, info.getNodeID, getNodeIP and getVMs; --rate-limits also apply to the Node RPC',
  },
  'api-info-enabled': { group: 'APIs', kind: 'boolean', default: 'true', help: 'serve /ext/info' },
  'api-health-enabled': { group: 'APIs', kind: 'boolean', default: 'true', help: 'serve /ext/health' },
  'api-metrics-enabled': { group: 'APIs', kind: 'boolean', default: 'true', help: 'serve /ext/metrics' },
  explorer: {
    group: 'APIs',
    kind: 'boolean',
    default: 'true',
    help: 'serve the explorer at / and its pages; needs the Data API',
  },
  'data-api-enabled': { group: 'APIs', kind: 'boolean', default: 'true', help: 'serve the Data API under /v1' },
  'metrics-api-enabled': {
    group: 'APIs',
    kind: 'boolean',
    default: 'true',
    help: 'serve the Metrics API under /v1/avg_tps and /v2',
  },
  'data-port': {
    group: 'APIs',
    kind: 'integer',
    max: 65535,
    help: 'separate port for the Data API; without it, --http-port',
  },
  'metrics-port': { group: 'APIs', kind: 'integer', max: 65535, help: 'separate port for the Metrics API; without it, --http-port' },
  'data-network-name': {
    group: 'APIs',
    kind: 'text',
    help: 'name of the network in the Data API; a private network also answers to fuji and testnet',
  },

  'dev-token': {
    group: 'Access',
    kind: 'text',
    commands: ['dev', 'follow', 'join', 'api', 'client'],
    help: 'the server serves /ext/dev and /v1/webhooks to callers that send Authorization: Bearer TOKEN, from anywhere, instead of to programs on this machine; commands that ask a node send it',
  },
  'webhook-private-targets': {
    group: 'Access',
    kind: 'boolean',
    default: 'false',
    help: "let webhooks send requests to private addresses too, such as 10.0.0.1; without it a developer's chain sends to this machine and to public addresses, other servers to public ones only",
  },
  'require-api-key': {
    group: 'Access',
    kind: 'boolean',
    default: 'false',
    help: 'reject requests to the Data API that have no API key',
  },
  'rate-limits': {
    group: 'Access',
    kind: 'choice',
    allowed: ['on', 'off'],
    help: 'limit requests per client; on by default, unless the server listens on loopback and has no --trusted-proxies',
  },
  'rate-limit-plans': {
    group: 'Access',
    commands: ['server', 'keys'],
    kind: 'path',
    help: 'JSON file of rate limit plans: requests per minute and day, weights of routes',
  },
  'trusted-proxies': {
    group: 'Access',
    kind: 'list',
    default: '',
    help: "addresses of proxies, or ranges such as 10.0.0.0/8, whose X-Forwarded-For header is trusted for the client's address",
  },

  'health-check-frequency': { group: 'Health', kind: 'duration', default: '30s', help: 'time between two runs of the health checks' },
  'system-tracker-disk-required-available-space-percentage': {
    group: 'Health',
    kind: 'integer',
    default: '3',
    max: 50,
    help: 'free disk space in percent below which a node with a data directory stops, with exit code 1',
  },
  'system-tracker-disk-warning-available-space-percentage': {
    group: 'Health',
    kind: 'integer',
    default: '10',
    max: 50,
    help: 'free disk space in percent below which the node is unhealthy',
  },

  'staking-tls-cert-file': { group: 'Identity', kind: 'path', help: 'TLS certificate, PEM; its hash is the node ID' },
  'staking-tls-key-file': { group: 'Identity', kind: 'path', help: 'private key of the TLS certificate, PEM' },
  'staking-tls-cert-file-content': { group: 'Identity', kind: 'text', help: 'the TLS certificate in base64' },
  'staking-tls-key-file-content': { group: 'Identity', kind: 'text', help: 'the private key of the TLS certificate in base64' },
  'staking-ephemeral-cert-enabled': {
    group: 'Identity',
    kind: 'boolean',
    default: 'false',
    help: 'create a new TLS certificate at every start',
  },
  'staking-signer-key-file': { group: 'Identity', kind: 'path', help: 'BLS private key' },
  'staking-signer-key-file-content': { group: 'Identity', kind: 'text', help: 'the BLS private key in base64' },
  'staking-ephemeral-signer-enabled': { group: 'Identity', kind: 'boolean', default: 'false', help: 'create a new BLS key at every start' },
  'public-ip': {
    group: 'Identity',
    kind: 'ip',
    default: '',
    help: 'IP address at which peers reach this node, also returned by info.getNodeIP',
  },
  'staking-port': {
    group: 'Identity',
    kind: 'integer',
    max: 65535,
    help: 'port for peers, also returned by info.getNodeIP; only serac join listens on it, at 9651 by default; 0 selects a free port',
  },
} as const satisfies { readonly [name: string]: FlagDefinition };
