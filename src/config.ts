import type { Command } from './cli/command.ts';
import type { Options } from './cli/flags.ts';
import type { LogLevel } from './cli/log.ts';
import type { IdentityOptions } from './identity/identity.ts';
import { isPublic, type Network, networkOf } from './network.ts';

/** All that a start is told, checked and in the program's own words. Made from flags by `configFrom`, or by hand in a test. */
export type Config = {
  readonly network: Network;
  readonly genesis: GenesisSource;
  /** JSON file of further AVM chains. */
  readonly chainsFile: string | undefined;
  readonly dataDir: string | undefined;
  readonly store: 'memory' | 'sqlite';
  readonly workers: number | 'auto';
  readonly minBlockDelay: Milliseconds;
  readonly http: HttpConfig;
  readonly apis: { readonly info: boolean; readonly health: boolean; readonly metrics: boolean };
  readonly strict: boolean;
  readonly data: ApiConfig;
  readonly stats: ApiConfig;
  readonly access: AccessConfig;
  /** A node whose X-Chain is followed instead of deciding blocks here. */
  readonly follow: string | undefined;
  /** PostgreSQL of `serac index` and `serac api`. */
  readonly databaseUrl: string | undefined;
  /** Redis or Valkey; without it, this process's memory. */
  readonly cacheUrl: string | undefined;
  readonly publicApi: boolean;
  readonly healthCheckFrequency: Milliseconds;
  /** Free space in per cent of the disk: below the first the node stops, below the second it is unhealthy. */
  readonly disk: { readonly required: number; readonly warning: number };
  readonly identity: IdentityOptions;
  readonly peerAddress: { readonly publicIP: string; readonly port: number };
  readonly logLevel: LogLevel;
  readonly banner: 'text' | 'json' | 'none';
};

/** Whole or not: a duration of Go's may be shorter than one. */
export type Milliseconds = number;

/** The network's own, or AvalancheGo's genesis JSON from a file or as base64. */
export type GenesisSource =
  | { readonly kind: 'network' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'content'; readonly base64: string };

/** The Data or the Metrics interface. `port`: one of its own; undefined: that of the node. */
export type ApiConfig = { readonly enabled: boolean; readonly port: number | undefined };

export type AccessConfig = {
  /** What the Data interface calls the network; undefined: its own name. */
  readonly networkName: string | undefined;
  readonly requireKey: boolean;
  readonly rateLimits: boolean;
  readonly plansFile: string | undefined;
  /** Addresses whose X-Forwarded-For tells who calls. */
  readonly trustedProxies: readonly string[];
};

export type HttpConfig = {
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly idleTimeout: Milliseconds;
  readonly shutdownWait: Milliseconds;
  readonly shutdownTimeout: Milliseconds;
};

/** The options have been checked, alone and together: this only gives them their places. */
export function configFrom(options: Options, command: Command = { name: 'run', words: [] }): Config {
  const dataDir = options['data-dir'];
  return {
    network: chosenNetwork(options),
    genesis: genesisSource(options),
    chainsFile: options.chains,
    dataDir,
    store: dataDir === undefined || options['db-type'] === 'memdb' ? 'memory' : 'sqlite',
    workers: options.workers,
    minBlockDelay: options['min-block-delay'],
    http: {
      // Empty means every interface. Peer: config/flags.go.
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
    stats: { enabled: options['metrics-api-enabled'], port: options['metrics-port'] },
    access: {
      networkName: options['data-network-name'],
      requireKey: options['require-api-key'],
      rateLimits: options['rate-limits'] === undefined ? isExposed(options) : options['rate-limits'] === 'on',
      plansFile: options['rate-limit-plans'],
      trustedProxies: options['trusted-proxies'],
    },
    follow: command.name === 'follow' || command.name === 'index' ? command.words[0] : undefined,
    databaseUrl: options['database-url'],
    cacheUrl: options['cache-url'],
    publicApi: options['public-api'],
    healthCheckFrequency: options['health-check-frequency'],
    disk: {
      required: options['system-tracker-disk-required-available-space-percentage'],
      warning: options['system-tracker-disk-warning-available-space-percentage'],
    },
    identity: identityOptions(options),
    peerAddress: { publicIP: options['public-ip'], port: options['staking-port'] },
    logLevel: options['log-display-level'] ?? options['log-level'],
    banner: options.silent ? 'none' : options.json ? 'json' : 'text',
  };
}

/** Only callers on this machine can reach it. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/** Callers from other machines can reach it, directly or through a proxy. */
const isExposed = (options: Options): boolean => !isLoopback(options['http-host']) || options['trusted-proxies'].length > 0;

/** Fees may be chosen where no public money is. Peer: config.getTxFeeConfig. */
function chosenNetwork(options: Options): Network {
  const network = networkOf(options['network-id']);
  if (isPublic(network.id)) return network;
  const { txFee, createAssetTxFee } = network.fees;
  return { ...network, fees: { txFee: options['tx-fee'] ?? txFee, createAssetTxFee: options['create-asset-tx-fee'] ?? createAssetTxFee } };
}

function genesisSource(options: Options): GenesisSource {
  const base64 = options['genesis-file-content'];
  const path = options['genesis-file'];
  if (base64 !== undefined) return { kind: 'content', base64 };
  return path === undefined ? { kind: 'network' } : { kind: 'file', path };
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
