import { type CommandKind, type CommandName, commandTable } from './command.ts';

/** The definition of a flag. */
export type FlagDefinition = {
  readonly group: FlagGroup;
  /** The commands, or kinds of commands, that accept the flag. If it is left out: all but client commands, which only accept the Program group. */
  readonly commands?: readonly (CommandName | CommandKind)[];
  readonly kind: FlagKind;
  readonly help: string;
  /** The default value, as typed on the command line. A flag without a default is undefined unless it is given. */
  readonly default?: string;
  readonly allowed?: readonly string[];
  /** The maximum of a number, or of a duration in milliseconds. */
  readonly max?: number;
};

export type FlagKind =
  | 'text'
  | 'path'
  | 'choice'
  | 'network'
  | 'integer'
  | 'u64'
  | 'avax'
  | 'boolean'
  | 'duration'
  | 'seconds'
  | 'list'
  | 'ip'
  | 'workers'
  | 'url';

export const flagGroups = [
  'Network',
  'Chain',
  'Storage',
  'HTTP',
  'APIs',
  'Access',
  'Health',
  'Identity',
  'Keys',
  'Client',
  'Program',
] as const;
export type FlagGroup = (typeof flagGroups)[number];

/** From the fewest lines to the most, in AvalancheGo's order. */
export const logLevels = ['off', 'fatal', 'error', 'warn', 'info', 'trace', 'debug', 'verbo'] as const;

/**
 * Every supported flag. The parser, the type of the options and the help text all use this table.
 * Names and defaults are AvalancheGo's where it has the flag. AvalancheGo: config/flags.go.
 */
export const flagTable = {
  'network-id': { group: 'Network', kind: 'network', default: 'local', help: 'local, fuji, mainnet or the ID of a custom network' },
  'genesis-file': { group: 'Network', kind: 'path', help: "AvalancheGo's genesis JSON for a custom network" },
  'genesis-file-content': { group: 'Network', kind: 'text', help: 'the genesis JSON in base64; takes precedence over --genesis-file' },
  'tx-fee': { group: 'Network', kind: 'u64', help: "transaction fee in nAVAX (the network's own); has no effect on fuji and mainnet" },
  'create-asset-tx-fee': {
    group: 'Network',
    kind: 'u64',
    help: "fee of a CreateAssetTx in nAVAX (the network's own); has no effect on fuji and mainnet",
  },

  chains: { group: 'Chain', kind: 'path', help: 'JSON file of additional AVM chains to run' },
  'min-block-delay': { group: 'Chain', kind: 'duration', default: '0s', help: 'minimum time between two blocks' },
  accounts: {
    group: 'Chain',
    commands: ['dev'],
    kind: 'integer',
    max: 500,
    help: 'accounts to derive from the mnemonic and fund in block 1 of a new chain; 0: none, the chain starts at height 0 (10; 0 with --strict)',
  },
  balance: { group: 'Chain', commands: ['dev'], kind: 'avax', default: '10000', help: 'AVAX of each account' },
  mnemonic: {
    group: 'Chain',
    commands: ['dev'],
    kind: 'text',
    help: 'mnemonic of the accounts (test test … junk); the keys of a given one are never shown',
  },
  'derivation-path': {
    group: 'Chain',
    commands: ['dev'],
    kind: 'text',
    default: "m/44'/9000'/0'/0",
    help: 'path of the accounts; the index of an account is appended',
  },
  'block-time': {
    group: 'Chain',
    kind: 'seconds',
    commands: ['dev'],
    max: 86_400,
    help: 'build a block every so many seconds if transactions wait, instead of as soon as there is one (-b)',
  },
  'no-mining': {
    group: 'Chain',
    kind: 'boolean',
    default: 'false',
    commands: ['dev'],
    help: 'build blocks only when dev.mine is called',
  },
  'mixed-mining': {
    group: 'Chain',
    kind: 'boolean',
    default: 'false',
    commands: ['dev'],
    help: 'with --block-time: also build a block as soon as there is a transaction',
  },
  'fork-url': {
    group: 'Chain',
    kind: 'url',
    commands: ['dev'],
    help: 'node to fork: its outputs are copied when they are first used; its network is used unless --network-id is given (-f)',
  },
  'fork-address': { group: 'Chain', kind: 'list', commands: ['dev'], help: 'with --fork-url: addresses to copy at the start' },

  'data-dir': { group: 'Storage', kind: 'path', help: 'directory for state and identity; without it the chain is kept in memory' },
  'db-type': {
    group: 'Storage',
    kind: 'choice',
    allowed: ['sqlite', 'memdb', 'leveldb', 'pebbledb'],
    help: 'sqlite (default with --data-dir) or memdb (in memory); leveldb and pebbledb are treated as sqlite',
  },
  state: {
    group: 'Storage',
    kind: 'path',
    commands: ['dev'],
    help: 'state file: loaded at start if it exists, saved at exit; for a chain in memory',
  },
  'load-state': { group: 'Storage', kind: 'path', commands: ['dev'], help: 'state file to load at start; it is not changed' },
  'dump-state': { group: 'Storage', kind: 'path', commands: ['dev'], help: 'state file to save at exit; it is not loaded' },
  'state-interval': {
    group: 'Storage',
    kind: 'integer',
    commands: ['dev'],
    default: '0',
    max: 86_400,
    help: 'seconds between saves of the state file; 0: only at exit',
  },
  workers: {
    group: 'Storage',
    kind: 'workers',
    default: 'auto',
    max: 256,
    help: 'number of reader processes beside the writer process, or auto',
  },

  'cache-bytes': {
    group: 'Storage',
    kind: 'integer',
    default: '67108864',
    max: 2 ** 40,
    help: 'memory for all caches of all processes, in bytes',
  },
  'database-url': {
    group: 'Storage',
    kind: 'url',
    commands: ['index', 'api', 'keys'],
    help: 'PostgreSQL database, postgres://user:password@host:5432/name',
  },
  'cache-url': {
    group: 'Storage',
    kind: 'url',
    help: 'Redis or Valkey, redis://host:6379, for rate limits and cached responses shared between processes',
  },

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
    help: 'disable endpoints that are unsafe to expose: /ext/health, /ext/dev, info.getNodeID, getNodeIP and getVMs',
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
    commands: ['dev', 'client'],
    help: 'the node serves /ext/dev to callers that send Authorization: Bearer TOKEN, from anywhere, instead of to programs on this machine; commands that ask a node send it',
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
    kind: 'path',
    help: 'JSON file of rate limit plans: requests per minute and day, weights of routes',
  },

  'trusted-proxies': {
    group: 'Access',
    kind: 'list',
    default: '',
    help: "addresses of proxies whose X-Forwarded-For header is trusted for the client's address",
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
  'public-ip': { group: 'Identity', kind: 'ip', default: '', help: 'IP address that info.getNodeIP returns' },
  'staking-port': {
    group: 'Identity',
    kind: 'integer',
    default: '9651',
    max: 65535,
    help: 'port that info.getNodeIP returns; nothing listens on it',
  },

  name: { group: 'Keys', kind: 'text', commands: ['keys'], help: 'keys create: a name for the key' },
  plan: { group: 'Keys', kind: 'text', commands: ['keys'], help: 'keys create: the rate limit plan (free)' },
  expires: { group: 'Keys', kind: 'text', commands: ['keys'], help: 'keys create: when the key expires: 30d, 12h or 2027-01-31' },
  routes: {
    group: 'Keys',
    kind: 'list',
    commands: ['keys'],
    help: 'keys create: routes the key may use: data, metrics, or names of routes (all)',
  },

  url: { group: 'Client', kind: 'url', commands: ['client'], default: 'http://127.0.0.1:9650', help: 'the node to talk to' },
  from: { group: 'Client', kind: 'text', commands: ['send'], help: 'sender: the number of an account or its address (0)' },
  asset: { group: 'Client', kind: 'text', commands: ['send', 'faucet', 'tail'], help: 'ID or symbol of the asset (AVAX)' },
  memo: { group: 'Client', kind: 'text', commands: ['send'], help: 'memo: text, or bytes as 0x…' },
  locktime: { group: 'Client', kind: 'text', commands: ['send'], help: 'time until which the output is locked: Unix seconds or RFC 3339' },
  denomination: { group: 'Client', kind: 'integer', max: 32, commands: ['asset create'], help: 'number of decimal places (0)' },
  mintable: { group: 'Client', kind: 'boolean', default: 'false', commands: ['asset create'], help: 'more can be minted later' },
  owner: { group: 'Client', kind: 'text', commands: ['asset create'], help: 'address that gets the supply and may mint (account 0)' },
  groups: { group: 'Client', kind: 'integer', max: 1000, commands: ['nft create'], help: 'how many NFTs can be minted (10)' },
  address: { group: 'Client', kind: 'text', commands: ['tail'], help: 'only events of this address' },
  kind: { group: 'Client', kind: 'list', commands: ['tail'], help: 'only events of these kinds: block, tx, mempool, time, …' },

  'log-level': {
    group: 'Program',
    commands: ['server', 'storage'],
    kind: 'choice',
    default: 'info',
    allowed: logLevels,
    help: 'log level; trace adds accepted blocks, debug adds requests',
  },
  'log-display-level': {
    group: 'Program',
    commands: ['server', 'storage'],
    kind: 'choice',
    allowed: logLevels,
    help: 'log level; takes precedence over --log-level',
  },
  'process-context-file': {
    group: 'Program',
    commands: ['dev', 'follow'],
    kind: 'path',
    help: 'file with process ID and URL of the running node (process.json in --data-dir); removed when it stops',
  },
  detach: {
    group: 'Program',
    commands: ['dev', 'follow'],
    kind: 'boolean',
    default: 'false',
    help: 'run in the background; what it prints goes to --log-file',
  },
  wait: {
    group: 'Program',
    commands: ['dev', 'follow'],
    kind: 'boolean',
    default: 'false',
    help: 'with --detach: return when the node is healthy, with exit code 1 if it does not become so within --wait-timeout',
  },
  'wait-timeout': { group: 'Program', commands: ['dev', 'follow'], kind: 'duration', default: '60s', help: 'the longest time of --wait' },
  'log-file': {
    group: 'Program',
    commands: ['dev', 'follow'],
    kind: 'path',
    help: 'with --detach: file to which output is appended (serac.log in --data-dir)',
  },
  verbose: {
    group: 'Program',
    commands: ['server'],
    kind: 'boolean',
    default: 'false',
    help: 'print requests too: the same as --log-level debug (-v)',
  },
  silent: {
    group: 'Program',
    commands: ['server'],
    kind: 'boolean',
    default: 'false',
    help: 'print neither the start banner nor blocks and refused calls',
  },
  json: { group: 'Program', kind: 'boolean', default: 'false', help: 'print JSON instead of text' },
  'config-file': { group: 'Program', kind: 'path', help: 'JSON or YAML file of flag names and values' },
  'config-file-content': { group: 'Program', kind: 'text', help: 'the config file in base64; takes precedence over --config-file' },
  'config-file-content-type': {
    group: 'Program',
    kind: 'choice',
    default: 'json',
    allowed: ['json', 'yaml', 'yml'],
    help: 'format of --config-file-content; a --config-file is YAML if its name ends in .yaml or .yml',
  },
  version: { group: 'Program', kind: 'boolean', default: 'false', help: 'print the version and exit' },
  'version-json': { group: 'Program', kind: 'boolean', default: 'false', help: 'print the version as JSON and exit' },
  help: { group: 'Program', kind: 'boolean', default: 'false', help: 'print this help and exit' },
} as const satisfies { readonly [name: string]: FlagDefinition };

/** Other names of flags: AvalancheGo's, and Anvil's. */
export const flagAliases: { readonly [name: string]: keyof typeof flagTable } = {
  'proposervm-min-block-delay': 'min-block-delay',
  port: 'http-port',
  host: 'http-host',
  quiet: 'silent',
  config: 'config-file',
  token: 'dev-token',
  'rpc-url': 'url',
  'chain-id': 'network-id',
  'no-mine': 'no-mining',
  'allow-origin': 'http-allowed-origins',
};

/** One-letter names, such as `-p`. */
export const shortFlags: { readonly [letter: string]: keyof typeof flagTable } = {
  h: 'help',
  p: 'http-port',
  a: 'accounts',
  m: 'mnemonic',
  b: 'block-time',
  f: 'fork-url',
  s: 'state-interval',
  q: 'silent',
  v: 'verbose',
  V: 'version',
};

/** Whether a command accepts a flag. */
export function acceptsFlag(command: CommandName, { commands, group }: FlagDefinition): boolean {
  const { kind } = commandTable[command];
  if (commands === undefined) return kind !== 'client' || group === 'Program';
  return commands.includes(command) || commands.includes(kind) || command === 'config print';
}
