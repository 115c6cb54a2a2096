import { parseUpgradeFile } from '../../avm/genesis/upgrade-file.ts';
import { getNetwork, isPublicNetwork, type Network, type Upgrades } from '../../avm/network.ts';
import { type AccountOptions, defaultAccounts, testMnemonic } from '../../avm/wallet/accounts.ts';
import { isLoopbackHost } from '../../base/bytes/ip-address.ts';
import type { LogLevel } from '../../base/log/log.ts';
import type { DatabaseConfig } from '../../cluster/hosts/database-config.ts';
import { parseDatabaseUrl } from '../../cluster/postgres/database-url.ts';
import type { IdentityOptions } from '../../network/identity/identity.ts';
import { networkFlags } from '../../network/peers/network-flags.ts';
import type { Command } from './command.ts';
import type { Options } from './flag-table.ts';
import { type JoinConfig, joinConfigFrom } from './join-config.ts';

/** Which network and chain this is, who decides its blocks, and who this node is on it. */
export type NetworkConfig = {
  readonly network: Network;
  readonly genesis: GenesisSource;
  /** JSON file of additional AVM chains. */
  readonly chainsFile: string | undefined;
  readonly mode: Mode;
  /** The node whose X-Chain is forked, the block whose outputs are copied (undefined: the last one), and the addresses that are copied at the start. */
  readonly fork: { readonly url: string; readonly height: bigint | undefined; readonly addresses: readonly string[] } | undefined;
  readonly identity: IdentityOptions;
  readonly peerAddress: { readonly publicIP: string; readonly port: number };
};

/** Where state is stored, and how much memory and disk there is for it. */
export type StorageConfig = {
  readonly dataDir: string | undefined;
  readonly store: 'memory' | 'sqlite';
  /** The state files of a chain in memory: the one that is loaded at start, and the one that is saved. */
  readonly state: StateFiles | undefined;
  /** PostgreSQL for `serac index`, `serac api` and `serac keys`. */
  readonly database: DatabaseConfig | undefined;
  /** The URL of Redis or Valkey; undefined: the memory of this process is used. */
  readonly cacheUrl: string | undefined;
  /** Bytes of memory for all caches of all processes; see app/node/cache-budget.ts. */
  readonly cacheBytes: number;
  /** Free disk space in percent: below `required` the node stops, below `warning` it is unhealthy. */
  readonly disk: { readonly required: number; readonly warning: number };
};

/** The developer's chain. */
type DevConfig = {
  readonly minBlockDelay: Milliseconds;
  /** The accounts of the developer's chain, and the nAVAX with which each is funded on a new chain. */
  readonly accounts: AccountOptions & { readonly balance: bigint };
  /** When blocks are built: as soon as there is a transaction, every so many milliseconds (0: never), or both. */
  readonly mining: { readonly automine: boolean; readonly interval: Milliseconds };
  /** How many of the last blocks `dev.reorg` can replace here, or on the followed node. */
  readonly reorgDepth: number;
  /** Whether the followed node is trusted to have verified its blocks. */
  readonly trustsNode: boolean;
  /** The token that callers of `/ext/dev` and `/v1/webhooks` must send; undefined: only programs on this machine may call it. */
  readonly devToken: string | undefined;
};

/** How many processes serve, where, and to whom. */
export type ServerConfig = {
  /** The number of reader processes; 0 where there can be none. */
  readonly workers: number | 'auto';
  readonly http: HttpConfig;
  readonly access: AccessConfig;
  readonly healthCheckFrequency: Milliseconds;
};

/** What is served. */
export type InterfaceConfig = {
  readonly apis: { readonly info: boolean; readonly health: boolean; readonly metrics: boolean };
  readonly strict: boolean;
  readonly data: ApiConfig;
  readonly metricsApi: ApiConfig;
  readonly publicApi: boolean;
  /** Whether webhooks may send requests to private addresses. */
  readonly webhookPrivateTargets: boolean;
  /** Whether the pages of the explorer are served. */
  readonly explorer: boolean;
  /** The flags as `GET /ext/settings` shows them; absent: there is no such route. */
  readonly settings?: readonly Setting[];
};

/** What the process tells its operator. */
export type TerminalConfig = {
  /** Where process ID and URL of the running node are written; undefined: nowhere. */
  readonly processContextFile: string | undefined;
  readonly logLevel: LogLevel;
  readonly banner: 'text' | 'json' | 'none';
};

/** The checked configuration of a process. Created from flags by `configFrom`, or by hand in a test. */
export type Config = NetworkConfig & StorageConfig & DevConfig & ServerConfig & InterfaceConfig & TerminalConfig;

/** Who decides the blocks of the X-Chain: this node alone, another node whose blocks it follows, or a network of peers that it joins. */
type Mode = { readonly kind: 'solo' } | { readonly kind: 'follow'; readonly url: string } | ({ readonly kind: 'join' } & JoinConfig);

/** The value of a flag and where it comes from: a flag, an environment variable, the config file or the default. Secrets are not shown. */
export type Setting = { readonly flag: string; readonly value: unknown; readonly source: string };

export type StateFiles = {
  /** `isRequired`: it must exist. */
  readonly load: { readonly path: string; readonly isRequired: boolean } | undefined;
  readonly save: string | undefined;
  /** Time between saves; 0: it is saved at exit only. */
  readonly interval: Milliseconds;
};

/** Milliseconds; may be a fraction, as Go durations can be shorter than 1 ms. */
type Milliseconds = number;

/** Where the genesis comes from: the network's own, or genesis JSON in AvalancheGo's format from a file or in base64. */
type GenesisSource =
  | { readonly kind: 'network' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'content'; readonly base64: string };

/** The Data or Metrics API. `port` is its separate port; undefined: the main port. */
type ApiConfig = { readonly enabled: boolean; readonly port: number | undefined };

type AccessConfig = {
  /** The name of the network in the Data API; undefined: the network's own name. */
  readonly networkName: string | undefined;
  readonly requireKey: boolean;
  readonly rateLimits: boolean;
  readonly plansFile: string | undefined;
  /** Addresses of proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly string[];
};

type HttpConfig = {
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly idleTimeout: Milliseconds;
  readonly shutdownWait: Milliseconds;
  readonly shutdownTimeout: Milliseconds;
};

/** Creates the configuration from options that have been checked. */
export function configFrom(options: Options, command: Command = { name: 'dev', args: [] }, readText?: ReadText): Config {
  const dataDir = options['data-dir'];
  return {
    network: selectNetwork(options, readText),
    genesis: genesisSource(options),
    chainsFile: options.chains,
    dataDir,
    store: dataDir === undefined || options['db-type'] === 'memdb' ? 'memory' : 'sqlite',
    state: stateFiles(options),
    workers: mayHaveReaders(options, command) ? options.workers : 0,
    minBlockDelay: options['min-block-delay'] ?? (command.name === 'join' ? 1000 : 0),
    accounts: {
      count: options.accounts ?? (options.strict ? 0 : defaultAccounts),
      balance: options.balance,
      mnemonic: options.mnemonic ?? testMnemonic,
      derivationPath: options['derivation-path'],
    },
    mining: {
      automine: !options['no-mining'] && (options['block-time'] === undefined || options['mixed-mining']),
      interval: (options['block-time'] ?? 0) * 1000,
    },
    reorgDepth: options['reorg-depth'],
    trustsNode: options['trust-node'],
    devToken: options['dev-token'],
    http: {
      // Empty means all network interfaces. AvalancheGo: config/flags.go.
      host: options['http-host'] || '0.0.0.0',
      port: options['http-port'],
      allowedHosts: options['http-allowed-hosts'],
      allowedOrigins: options['http-allowed-origins'],
      idleTimeout: options['http-idle-timeout'],
      shutdownWait: options['http-shutdown-wait'],
      shutdownTimeout: options['http-shutdown-timeout'],
    },
    apis: { info: options['api-info-enabled'], health: options['api-health-enabled'], metrics: options['api-metrics-enabled'] },
    strict: options.strict,
    data: { enabled: options['data-api-enabled'], port: options['data-port'] },
    metricsApi: { enabled: options['metrics-api-enabled'], port: options['metrics-port'] },
    access: {
      networkName: options['data-network-name'],
      requireKey: options['require-api-key'],
      rateLimits: options['rate-limits'] === undefined ? isExposed(options) : options['rate-limits'] === 'on',
      plansFile: options['rate-limit-plans'],
      trustedProxies: options['trusted-proxies'],
    },
    mode: selectMode(options, command),
    fork:
      command.name === 'dev' && options['fork-url'] !== undefined
        ? { url: options['fork-url'], height: options['fork-block-number'], addresses: options['fork-address'] ?? [] }
        : undefined,
    database: databaseFrom(options),
    cacheUrl: options['cache-url'],
    cacheBytes: options['cache-bytes'],
    publicApi: options['public-api'],
    webhookPrivateTargets: options['webhook-private-targets'],
    explorer: options.explorer,
    healthCheckFrequency: options['health-check-frequency'],
    disk: {
      required: options['system-tracker-disk-required-available-space-percentage'],
      warning: options['system-tracker-disk-warning-available-space-percentage'],
    },
    identity: identityOptions(options),
    processContextFile: processContextFile(options),
    peerAddress: {
      publicIP: options['public-ip'],
      port: options['staking-port'] ?? (options.strict ? networkFlags.stakingPort.default : 0),
    },
    logLevel: options['log-display-level'] ?? (options.verbose && options['log-level'] === 'info' ? 'debug' : options['log-level']),
    banner: options.silent ? 'none' : options.json ? 'json' : 'text',
  };
}

/**
 * Whether a node can have reader processes. A chain in memory cannot. A follower, a joined node and a fork have none: requests to other nodes must be
 * made once, not once per process.
 */
const mayHaveReaders = (options: Options, { name }: Command): boolean =>
  options['data-dir'] !== undefined &&
  options['db-type'] !== 'memdb' &&
  name !== 'follow' &&
  name !== 'join' &&
  name !== 'index' &&
  options['fork-url'] === undefined;

function selectMode(options: Options, { name, args: [url = ''] }: Command): Mode {
  if (name === 'join') return { kind: 'join', ...joinConfigFrom(options) };
  return name === 'follow' || name === 'index' ? { kind: 'follow', url } : { kind: 'solo' };
}

/** The file of the process context: as in AvalancheGo, in the data directory. A node in the background has one beside its log otherwise. */
function processContextFile(options: Options): string | undefined {
  if (options['process-context-file'] !== undefined) return options['process-context-file'];
  if (options['data-dir'] !== undefined) return `${options['data-dir']}/process.json`;
  return options['log-file'] === undefined ? undefined : `${options['log-file']}.process.json`;
}

/** Whether the server can be reached from other machines, directly or through a proxy. */
const isExposed = (options: Options): boolean => !isLoopbackHost(options['http-host']) || options['trusted-proxies'].length > 0;

/** Selects the network, with the fees of the flags; public networks keep their fees. AvalancheGo: config/config.go, getTxFeeConfig. */
function selectNetwork(options: Options, readText: ReadText | undefined): Network {
  const known = getNetwork(options['network-id']);
  if (isPublicNetwork(known.id)) return known;
  const upgrades = readUpgrades(options, readText);
  const network = upgrades === undefined ? known : { ...known, upgrades };
  const { txFee, createAssetTxFee } = network.fees;
  return { ...network, fees: { txFee: options['tx-fee'] ?? txFee, createAssetTxFee: options['create-asset-tx-fee'] ?? createAssetTxFee } };
}

/** Reads a file whose path is a flag. */
type ReadText = (path: string) => string;

function readUpgrades(options: Options, readText: ReadText | undefined): Upgrades | undefined {
  const [path, content] = [options['upgrade-file'], options['upgrade-file-content']];
  if (path !== undefined) return readText && parseUpgradeFile(readText(path));
  return content === undefined ? undefined : parseUpgradeFile(Buffer.from(content, 'base64').toString('utf8'));
}

function genesisSource(options: Options): GenesisSource {
  const base64 = options['genesis-file-content'];
  const path = options['genesis-file'];
  if (base64 !== undefined) return { kind: 'content', base64 };
  return path === undefined ? { kind: 'network' } : { kind: 'file', path };
}

function databaseFrom(options: Options): DatabaseConfig | undefined {
  const url = options['database-url'];
  if (url === undefined) return undefined;
  return {
    url,
    listenUrl: options['database-listen-url'],
    poolSize: options['database-pool-size'],
    statementTimeout: options['database-timeout'],
    readsReplicas: parseDatabaseUrl(url).reads === 'replicas',
    maxLag: options['database-max-lag'],
    partitionSize: options['database-partition-size'],
    isDistributed: options.distribute,
  };
}

function stateFiles(options: Options): StateFiles | undefined {
  const [both, load, save] = [options.state, options['load-state'], options['dump-state']];
  if (both === undefined && load === undefined && save === undefined) return undefined;
  const path = load ?? both;
  return {
    load: path === undefined ? undefined : { path, isRequired: load !== undefined },
    save: save ?? both,
    interval: options['state-interval'] * 1000,
  };
}

const identityOptions = (options: Options): IdentityOptions => ({
  dataDir: options['data-dir'],
  tlsCertFile: options['staking-tls-cert-file'],
  tlsKeyFile: options['staking-tls-key-file'],
  tlsCertContent: options['staking-tls-cert-file-content'],
  tlsKeyContent: options['staking-tls-key-file-content'],
  ephemeralCert: options['staking-ephemeral-cert-enabled'],
  signerKeyFile: options['staking-signer-key-file'],
  signerKeyContent: options['staking-signer-key-file-content'],
  ephemeralSigner: options['staking-ephemeral-signer-enabled'],
});
