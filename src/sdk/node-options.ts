import type { OptionFault } from '../app/advice/known-faults.ts';
import { Fault } from '../base/fault.ts';
import type { LineLevel, LogLevel } from '../base/log/log.ts';

/** Where the log of a node goes, and the flags of `serac help flags` that concern the node, in camel case. */
export type NodeOptions = {
  /**
   * Which lines are logged.
   * @default 'warn'
   * @example createNode({ logLevel: 'debug' })
   */
  readonly logLevel?: LogLevel | undefined;
  /**
   * Receives log lines; by default they are written to stderr.
   * @example createNode({ log: (line, level) => console.log(level, line) })
   */
  readonly log?: ((line: string, level: LineLevel) => void) | undefined;
  // from the tables: begin
  /**
   * `local`, fuji, mainnet or the ID of a custom network.
   * @default 'local'
   * @example createNode({ networkId: 'fuji' })
   */
  readonly networkId?: string | number | undefined;
  /**
   * AvalancheGo's genesis JSON for a custom network.
   * @example createNode({ genesisFile: './genesis.json' })
   */
  readonly genesisFile?: string | undefined;
  /**
   * The genesis JSON in base64; takes precedence over `genesisFile`.
   * @example createNode({ genesisFileContent: 'eyJuZXR3b3JrSUQiOjk5OTl9' })
   */
  readonly genesisFileContent?: string | undefined;
  /**
   * AvalancheGo's JSON of upgrade times and the stop vertex of a custom network; what it leaves out is zero.
   * @example createNode({ upgradeFile: './upgrades.json' })
   */
  readonly upgradeFile?: string | undefined;
  /**
   * The same JSON in base64.
   * @example createNode({ upgradeFileContent: 'e30=' })
   */
  readonly upgradeFileContent?: string | undefined;
  /**
   * Transaction fee in nAVAX (the network's own); has no effect on fuji and mainnet.
   * @example createNode({ txFee: 2000000n })
   */
  readonly txFee?: bigint | number | undefined;
  /**
   * Fee of a CreateAssetTx in nAVAX (the network's own); has no effect on fuji and mainnet.
   * @example createNode({ createAssetTxFee: 10000000n })
   */
  readonly createAssetTxFee?: bigint | number | undefined;
  /**
   * JSON file of additional AVM chains to run.
   * @example createNode({ chains: './chains.json' })
   */
  readonly chains?: string | undefined;
  /**
   * Minimum time between two blocks (0s; 1s for serac join).
   * @example createNode({ minBlockDelay: '1s' })
   */
  readonly minBlockDelay?: string | undefined;
  /**
   * Accounts to derive from the mnemonic and fund in block 1 of a new chain; 0: none, the chain starts at height 0 (10; 0 with `strict`).
   * @example createNode({ accounts: 3 })
   */
  readonly accounts?: number | undefined;
  /**
   * AVAX of each account.
   * @default 10000
   * @example createNode({ balance: '2.5' })
   */
  readonly balance?: string | number | undefined;
  /**
   * Mnemonic of the accounts (test test … junk); the keys of a given one are never shown.
   * @example createNode({ mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow' })
   */
  readonly mnemonic?: string | undefined;
  /**
   * Path of the accounts; the index of an account is appended.
   * @default "m/44'/9000'/0'/0"
   * @example createNode({ derivationPath: "m/44'/60'/0'/0" })
   */
  readonly derivationPath?: string | undefined;
  /**
   * Build a block every so many seconds if transactions wait, instead of as soon as there is one.
   * @example createNode({ blockTime: 2 })
   */
  readonly blockTime?: string | number | undefined;
  /**
   * Build blocks only when dev.mine is called.
   * @default false
   * @example createNode({ noMining: true })
   */
  readonly noMining?: boolean | undefined;
  /**
   * With `blockTime`: also build a block as soon as there is a transaction.
   * @default false
   * @example createNode({ mixedMining: true })
   */
  readonly mixedMining?: boolean | undefined;
  /**
   * How many of the last blocks dev.reorg can replace, and a follower of such a chain takes back; each block then costs more, because the
   * state before it is kept.
   * @default 0
   * @example createNode({ reorgDepth: 64 })
   */
  readonly reorgDepth?: number | undefined;
  /**
   * Node to fork: its outputs are copied when they are first used; its network is used unless `networkId` is given.
   * @example createNode({ forkUrl: 'http://127.0.0.1:9650' })
   */
  readonly forkUrl?: string | undefined;
  /**
   * With `forkUrl`: copy the outputs as they were after this block; the node needs a Data API, which AvalancheGo has not.
   * @example createNode({ forkBlockNumber: 1000 })
   */
  readonly forkBlockNumber?: bigint | number | undefined;
  /**
   * With `forkUrl`: addresses to copy at the start.
   * @example createNode({ forkAddress: ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'] })
   */
  readonly forkAddress?: readonly string[] | undefined;
  /**
   * Directory for state and identity; without it the chain is kept in memory.
   * @example createNode({ dataDir: './chain' })
   */
  readonly dataDir?: string | undefined;
  /**
   * `sqlite` (default with `dataDir`) or memdb (in memory); leveldb and pebbledb are treated as sqlite.
   * @example createNode({ dbType: 'memdb' })
   */
  readonly dbType?: 'sqlite' | 'memdb' | 'leveldb' | 'pebbledb' | undefined;
  /**
   * State file: loaded at start if it exists, saved at exit; for a chain in memory.
   * @example createNode({ state: './state.json' })
   */
  readonly state?: string | undefined;
  /**
   * State file to load at start; it is not changed.
   * @example createNode({ loadState: './fixture.json' })
   */
  readonly loadState?: string | undefined;
  /**
   * State file to save at exit; it is not loaded.
   * @example createNode({ dumpState: './after.json' })
   */
  readonly dumpState?: string | undefined;
  /**
   * Seconds between saves of the state file; 0: only at exit.
   * @default 0
   * @example createNode({ stateInterval: 60 })
   */
  readonly stateInterval?: number | undefined;
  /**
   * Memory for all caches of all processes, in bytes.
   * @default 201326592
   * @example createNode({ cacheBytes: 64000000 })
   */
  readonly cacheBytes?: number | undefined;
  /**
   * Redis or Valkey, redis://user:password@host:6379/0 (TLS: rediss://, with ?cacert=FILE), for rate limits and cached responses shared
   * between processes.
   * @example createNode({ cacheUrl: 'redis://127.0.0.1:6379' })
   */
  readonly cacheUrl?: string | undefined;
  /**
   * Address to listen on.
   * @default '127.0.0.1'
   * @example createNode({ httpHost: '0.0.0.0' })
   */
  readonly httpHost?: string | undefined;
  /**
   * Allowed Host headers; * for all; IP addresses are always allowed.
   * @default ['localhost']
   * @example createNode({ httpAllowedHosts: ['localhost', 'node.example'] })
   */
  readonly httpAllowedHosts?: readonly string[] | undefined;
  /**
   * Allowed CORS origins.
   * @default ['*']
   * @example createNode({ httpAllowedOrigins: ['https://app.example'] })
   */
  readonly httpAllowedOrigins?: readonly string[] | undefined;
  /**
   * Time after which an idle connection is closed, at most 255s (Bun's limit); 0 disables the timeout.
   * @default '120s'
   * @example createNode({ httpIdleTimeout: '30s' })
   */
  readonly httpIdleTimeout?: string | undefined;
  /**
   * Time to report unhealthy, but still serve requests, before stopping.
   * @default '0s'
   * @example createNode({ httpShutdownWait: '1s' })
   */
  readonly httpShutdownWait?: string | undefined;
  /**
   * Maximum time to finish open requests when stopping.
   * @default '10s'
   * @example createNode({ httpShutdownTimeout: '2s' })
   */
  readonly httpShutdownTimeout?: string | undefined;
  /**
   * Answer exactly as AvalancheGo does, including its quirks.
   * @default false
   * @example createNode({ strict: true })
   */
  readonly strict?: boolean | undefined;
  /**
   * Disable endpoints that are unsafe to expose: /ext/health, /ext/dev, info.getNodeID, getNodeIP and getVMs; `rateLimits` also apply to
   * the Node RPC.
   * @default false
   * @example createNode({ publicApi: true })
   */
  readonly publicApi?: boolean | undefined;
  /**
   * Serve /ext/info.
   * @default true
   * @example createNode({ apiInfoEnabled: false })
   */
  readonly apiInfoEnabled?: boolean | undefined;
  /**
   * Serve /ext/health.
   * @default true
   * @example createNode({ apiHealthEnabled: false })
   */
  readonly apiHealthEnabled?: boolean | undefined;
  /**
   * Serve /ext/metrics.
   * @default true
   * @example createNode({ apiMetricsEnabled: false })
   */
  readonly apiMetricsEnabled?: boolean | undefined;
  /**
   * Serve the explorer at / and its pages; needs the Data API.
   * @default true
   * @example createNode({ explorer: false })
   */
  readonly explorer?: boolean | undefined;
  /**
   * Serve the Data API under /v1.
   * @default true
   * @example createNode({ dataApiEnabled: false })
   */
  readonly dataApiEnabled?: boolean | undefined;
  /**
   * Serve the Metrics API under /v1/avg_tps and /v2.
   * @default true
   * @example createNode({ metricsApiEnabled: false })
   */
  readonly metricsApiEnabled?: boolean | undefined;
  /**
   * Name of the network in the Data API; a private network also answers to fuji and testnet.
   * @example createNode({ dataNetworkName: 'devnet' })
   */
  readonly dataNetworkName?: string | undefined;
  /**
   * The server serves /ext/dev and /v1/webhooks to callers that send Authorization: Bearer TOKEN, from anywhere, instead of to programs on
   * this machine; commands that ask a node send it.
   * @example createNode({ devToken: 'open-sesame' })
   */
  readonly devToken?: string | undefined;
  /**
   * Let webhooks send requests to private addresses too, such as 10.0.0.1; without it a developer's chain sends to this machine and to
   * public addresses, other servers to public ones only.
   * @default false
   * @example createNode({ webhookPrivateTargets: true })
   */
  readonly webhookPrivateTargets?: boolean | undefined;
  /**
   * Reject requests to the Data API that have no API key.
   * @default false
   * @example createNode({ requireApiKey: true })
   */
  readonly requireApiKey?: boolean | undefined;
  /**
   * Limit requests per client; on by default, unless the server listens on loopback and has no `trustedProxies`.
   * @example createNode({ rateLimits: 'on' })
   */
  readonly rateLimits?: 'on' | 'off' | undefined;
  /**
   * JSON file of rate limit plans: requests per minute and day, weights of routes.
   * @example createNode({ rateLimitPlans: './plans.json' })
   */
  readonly rateLimitPlans?: string | undefined;
  /**
   * Addresses of proxies, or ranges such as 10.0.0.0/8, whose X-Forwarded-For header is trusted for the client's address.
   * @example createNode({ trustedProxies: ['10.0.0.0/8'] })
   */
  readonly trustedProxies?: readonly string[] | undefined;
  /**
   * Time between two runs of the health checks.
   * @default '30s'
   * @example createNode({ healthCheckFrequency: '5s' })
   */
  readonly healthCheckFrequency?: string | undefined;
  /**
   * Free disk space in percent below which a node with a data directory stops, with exit code 1.
   * @default 3
   * @example createNode({ systemTrackerDiskRequiredAvailableSpacePercentage: 1 })
   */
  readonly systemTrackerDiskRequiredAvailableSpacePercentage?: number | undefined;
  /**
   * Free disk space in percent below which the node is unhealthy.
   * @default 10
   * @example createNode({ systemTrackerDiskWarningAvailableSpacePercentage: 5 })
   */
  readonly systemTrackerDiskWarningAvailableSpacePercentage?: number | undefined;
  /**
   * TLS certificate, PEM; its hash is the node ID.
   * @example createNode({ stakingTlsCertFile: './staker.crt' })
   */
  readonly stakingTlsCertFile?: string | undefined;
  /**
   * Private key of the TLS certificate, PEM.
   * @example createNode({ stakingTlsKeyFile: './staker.key' })
   */
  readonly stakingTlsKeyFile?: string | undefined;
  /**
   * The TLS certificate in base64.
   * @example createNode({ stakingTlsCertFileContent: 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t' })
   */
  readonly stakingTlsCertFileContent?: string | undefined;
  /**
   * The private key of the TLS certificate in base64.
   * @example createNode({ stakingTlsKeyFileContent: 'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t' })
   */
  readonly stakingTlsKeyFileContent?: string | undefined;
  /**
   * Create a new TLS certificate at every start.
   * @default false
   * @example createNode({ stakingEphemeralCertEnabled: true })
   */
  readonly stakingEphemeralCertEnabled?: boolean | undefined;
  /**
   * BLS private key.
   * @example createNode({ stakingSignerKeyFile: './signer.key' })
   */
  readonly stakingSignerKeyFile?: string | undefined;
  /**
   * The BLS private key in base64.
   * @example createNode({ stakingSignerKeyFileContent: 'QWdFc0hVeHlvd0JjQVI4WmhCd1k0UVp1Zw==' })
   */
  readonly stakingSignerKeyFileContent?: string | undefined;
  /**
   * Create a new BLS key at every start.
   * @default false
   * @example createNode({ stakingEphemeralSignerEnabled: true })
   */
  readonly stakingEphemeralSignerEnabled?: boolean | undefined;
  /**
   * IP address at which peers reach this node, also returned by info.getNodeIP.
   * @example createNode({ publicIp: '203.0.113.7' })
   */
  readonly publicIp?: string | undefined;
  /**
   * Port for peers, also returned by info.getNodeIP; only serac join listens on it, at 9651 by default; 0 selects a free port.
   * @example createNode({ stakingPort: 9651 })
   */
  readonly stakingPort?: number | undefined;
  // from the tables: end
};

/** An option of `createNode` that does not exist or has a value that is not allowed. */
export class OptionError extends Fault<OptionFault> {}
