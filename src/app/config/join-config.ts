import { isPublicNetwork } from '../../avm/network.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { ipVersion } from '../../base/bytes/runtime-modules.ts';
import type { EngineParameters } from '../../network/consensus/engine-parameters.ts';
import type { ServedLimits } from '../../network/consensus/getter.ts';
import type { Beacon } from '../../network/peers/beacons.ts';
import { listFirstPeers, parseBeacons, parseNodeIds } from '../../network/peers/beacons.ts';
import { type NetworkOptions, networkFlags } from '../../network/peers/network-flags.ts';
import { parseVersion, type Version } from '../../network/protocol/handshake.ts';
import type { Options } from './flag-table.ts';
import { readQuorums } from './peer-rules.ts';

/** How a node joins a network of peers. */
export type JoinConfig = {
  /**
   * Where validators come from: trusted nodes that run the P-Chain, or, without sybil protection, nodes with one weight each: those named, else this
   * node and the connected peers.
   */
  readonly validators: { readonly from: readonly string[] } | { readonly weight: bigint; readonly named?: readonly NodeId[] };
  /** The first peers that were given: `--bootstrap-ips` and `--bootstrap-ids`. */
  readonly beacons: readonly Beacon[];
  /** The first peers of a public network, if none were given; some of them are dialled. */
  readonly builtInBeacons: readonly Beacon[];
  /** The address at which peers reach this node. */
  readonly publicIP: string;
  /** Answers for the P- and C-Chain without verifying: for throw-away networks. */
  readonly echoOtherChains: boolean;
  /** Serves `dev.*` methods: for throw-away networks. */
  readonly devMethods: boolean;
  /** Joins even with the key of a validator with noticeable stake. */
  readonly force: boolean;
  readonly network: NetworkOptions;
  /** The version that peers are told; undefined: that of the AvalancheGo this program is compatible with. */
  readonly peerVersion: Version | undefined;
  readonly chain: {
    readonly engineParameters: EngineParameters;
    /** What peers that bootstrap get in one answer, and how long requests wait. */
    readonly served: ServedLimits;
    /** Most blocks that are used of one answer while this node bootstraps. */
    readonly maxReceived: number;
  };
  /** More or older undecided blocks make the node unhealthy. Milliseconds. */
  readonly healthy: { readonly processingBlocks: number; readonly processingTime: number };
};

/** Creates the configuration of a joined node from options that have been checked (app/config/peer-rules.ts). */
export function joinConfigFrom(options: Options): JoinConfig {
  const quorums = readQuorums(options);
  const from = options['validators-from'];
  const stakingHost = options['staking-host'] ?? '';
  const beacons = parseBeacons(options['bootstrap-ips'].join(), options['bootstrap-ids'].join());
  return {
    validators:
      options['sybil-protection-enabled'] && from !== undefined
        ? { from }
        : {
            weight: BigInt(options['sybil-protection-disabled-weight']),
            named: options.validators && parseNodeIds('--validators', options.validators.join()),
          },
    beacons,
    builtInBeacons: beacons.length === 0 ? listFirstPeers(options['network-id']) : [],
    // Without an address of its own, a node that listens everywhere can be reached from this machine only.
    publicIP: options['public-ip'] || (ipVersion(stakingHost) === 0 || /^[0:.]+$/.test(stakingHost) ? '127.0.0.1' : stakingHost),
    echoOtherChains: options['echo-other-chains'],
    devMethods: options['dev-methods'],
    force: options.force,
    network: {
      ...readNetworkOptions(options),
      allowPrivateIps: options['network-allow-private-ips'] ?? !isPublicNetwork(options['network-id']),
      stakingHost,
    },
    peerVersion: options['peer-version'] === undefined ? undefined : parseVersion(options['peer-version']),
    chain: {
      engineParameters: {
        k: options['snow-sample-size'],
        alphaPreference: quorums.preference,
        alphaConfidence: quorums.confidence,
        beta: options['snow-commit-threshold'],
        concurrentRepolls: options['snow-concurrent-repolls'],
        optimalProcessing: options['snow-optimal-processing'],
        frontierPollInterval: options['consensus-frontier-poll-frequency'],
      },
      served: {
        blocks: options['bootstrap-ancestors-max-containers-sent'],
        milliseconds: options['bootstrap-max-time-get-ancestors'],
        maxWait: options['network-maximum-inbound-timeout'],
      },
      maxReceived: options['bootstrap-ancestors-max-containers-received'],
    },
    healthy: { processingBlocks: options['snow-max-processing'], processingTime: options['snow-max-time-processing'] },
  };
}

/** The options of the network layer, each from the flag that its table names. */
const readNetworkOptions = (options: Options): NetworkOptions =>
  Object.fromEntries(
    Object.entries(networkFlags).map(([name, { flag, default: value }]) => [name, options[flag as keyof Options] ?? value]),
  ) as unknown as NetworkOptions;
