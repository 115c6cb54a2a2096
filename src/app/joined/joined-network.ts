import { peerVersionOf } from '../../api/rpc/versions.ts';
import { parseIp } from '../../base/bytes/ip-address.ts';
import { type NodeId, nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { type Closing, openTogether } from '../../base/closing.ts';
import type { Check } from '../../base/health/result.ts';
import type { MetricRegistry } from '../../base/metrics/registry.ts';
import { createEchoChain } from '../../network/consensus/echo-chain.ts';
import { certificatePem, privateKeyPem } from '../../network/identity/certificate.ts';
import type { Identity } from '../../network/identity/identity.ts';
import { formatNetworking } from '../../network/joined-chain/chain-health.ts';
import { registerChainMetrics } from '../../network/joined-chain/chain-metrics.ts';
import type { JoinedChain } from '../../network/joined-chain/joined-chain.ts';
import { sampleFirstPeers } from '../../network/peers/beacons.ts';
import { ownKeyOutcome } from '../../network/peers/own-key-alert.ts';
import { registerPeerMetrics } from '../../network/peers/peer-metrics.ts';
import { createPeers } from '../../network/peers/peers.ts';
import { type RegisteredStakes, stakesOf } from '../../network/protocol/validators.ts';
import type { Config } from '../config/config.ts';
import type { JoinConfig } from '../config/join-config.ts';
import type { SharedChainDeps } from '../node/avm-chain.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { NodeStore, OpenedChain } from '../node/node-store.ts';
import type { PeerReadings } from '../node/peer-readings.ts';
import type { AvmChainSpec } from '../node/running-chain.ts';
import { formatError } from '../output/error-log.ts';
import type { Env } from '../platform/env.ts';
import { showBootstrap } from './bootstrap-progress.ts';
import { parseUpgradeTime, startChainOnNetwork } from './chain-on-network.ts';
import { openJoinedExports } from './joined-exports.ts';
import { type JoinedImports, openJoinedImports } from './joined-imports.ts';
import { createJoinedReadings } from './joined-readings.ts';
import { JoinError, type JoinedValidators, openValidators } from './joined-validators.ts';
import { openTrustedRemotes } from './trusted-remotes.ts';

/** The network of peers that this node joins. */
export type JoinedNetwork = {
  readonly readings: PeerReadings;
  /** Runs the X-Chain on the network. */
  readonly runChain: (spec: AvmChainSpec, opened: OpenedChain, chainDeps: SharedChainDeps) => ReturnType<typeof startChainOnNetwork>;
  /** Finds out which exports of the X-Chain other chains have imported; undefined without a trusted node or without an index. */
  readonly openExports: (opened: OpenedChain) => ReturnType<typeof openJoinedExports> | undefined;
  /** Listens for peers and connects to the first ones. */
  readonly start: () => Promise<void>;
  readonly registerMetrics: (registry: MetricRegistry) => void;
  /** Fails while another node with this node's staking key is on the network. */
  readonly stakingKeyCheck: Check;
  /** Fails while the nodes of `--validators-from` do not answer, do not agree or are stale; undefined without any. */
  readonly validatorsCheck: Check | undefined;
  /** Cuts this node off from nodes. */
  readonly blockPeers: (nodes: ReadonlySet<NodeId>) => void;
  readonly delayPeers: (nodes: ReadonlySet<NodeId>, milliseconds: number) => void;
  /** What other chains export; undefined without a trusted node. */
  readonly imports: JoinedImports | undefined;
  readonly close: () => Promise<void>;
};

export type JoinDeps = {
  readonly config: Config;
  readonly env: Env;
  readonly context: NetworkContext;
  readonly identity: Identity;
  readonly store: NodeStore;
  /** The node must stop, for this reason. */
  readonly onFatal: (reason: string) => void;
};

export const openJoinedNetwork = (join: JoinConfig, deps: JoinDeps): Promise<JoinedNetwork> =>
  openTogether(deps.env, (opened) => openNetworkParts(join, deps, opened));

async function openNetworkParts(join: JoinConfig, deps: JoinDeps, opened: Closing): Promise<JoinedNetwork> {
  const { config, env, context, identity, store, onFatal } = deps;
  const { network } = config;
  const validatorsDeps = {
    networkID: network.id,
    env,
    store: store.store,
    genesis: context.genesis.p.validators,
    onFatal: (error: JoinError) => onFatal(error.message),
  };
  const source = opened.add(await openValidators(join, nodeIdOfCertificate(identity.certificate), validatorsDeps));
  const stakes = stakesOf(source.validators.current, source.publicKeyOf);
  const peers = opened.add(await openPeers(join, deps, source, stakes));
  if (join.echoOtherChains)
    for (const { id, genesisBlockID } of [context.p, context.c])
      peers.addChain(id, createEchoChain({ chainId: id, firstBlock: genesisBlockID, transport: peers.transport }));

  const aliasOf = context.chain.aliases.primary;
  let chain: JoinedChain | undefined;
  let referredPChainHeight = (): bigint | undefined => undefined;
  let port = join.network.stakingPort;
  const trusted = 'from' in join.validators ? openTrustedRemotes(join.validators.from, env, network.hrp) : undefined;
  if (trusted !== undefined) opened.add(trusted);
  const imports = trusted && openJoinedImports({ remote: trusted.reads, env, context, store });
  if (imports !== undefined) opened.add(imports);
  return {
    readings: createJoinedReadings({
      config,
      join,
      env,
      peers,
      stakes,
      blsKey: identity.signer.publicKey,
      aliasOf,
      port: () => port,
      networking: () => (chain === undefined ? noValidators : formatNetworking(chain.networking())),
    }),
    runChain: (spec, opened, chainDeps) => {
      const running = startChainOnNetwork({
        spec,
        opened,
        chainDeps,
        join,
        env,
        network,
        store: store.store,
        identity,
        validators: source,
        transport: peers.transport,
        imports,
        onFatal: (error) => onFatal(`a decided block cannot be stored: ${formatError(error)}`),
      });
      chain = running.joined;
      referredPChainHeight = running.referredPChainHeight;
      peers.addChain(spec.id, chain.handler);
      return running;
    },
    openExports: ({ index }) => trusted && index && openJoinedExports(trusted.retriedReads, env, context, index.exported),
    start: async () => {
      ({ port } = await peers.start().catch((cause: unknown) => {
        throw listenError(join.network, cause);
      }));
      if (chain !== undefined) opened.add({ close: showBootstrap(chain, peers.network, source, env) });
    },
    registerMetrics: (registry) => {
      registerPeerMetrics(registry, peers, aliasOf, env.clock.unixNanos);
      registerChainMetrics(registry, () => (chain === undefined ? [] : [['X', chain]]));
    },
    stakingKeyCheck: () => ownKeyOutcome(peers.network.ownKeySighting(), env.clock.unixSeconds()),
    validatorsCheck: source.createCheck && trusted?.withDisagreement(source.createCheck(() => referredPChainHeight())),
    blockPeers: peers.network.block,
    delayPeers: peers.network.delay,
    imports,
    close: opened.close,
  };
}

/** The connections of this node, which are not open yet. */
async function openPeers(
  join: JoinConfig,
  { config: { network, strict }, env, identity }: JoinDeps,
  { membership }: Pick<JoinedValidators, 'membership'>,
  stakes: RegisteredStakes,
) {
  return createPeers({
    identity,
    publicIp: parseIp(join.publicIP) as Uint8Array,
    rules: {
      networkId: network.id,
      compatibility: {
        version: { ...peerVersionOf(env.version, strict), ...join.peerVersion },
        minimum: { major: 1, minor: 13, patch: 0 },
        minimumAfterUpgrade: { major: 1, minor: 14, patch: 0 },
        upgradeTime: parseUpgradeTime(network.upgrades.graniteTime),
      },
      // AvalancheGo: utils/constants/acps.go, CurrentACPs.
      currentAcps: new Set(),
    },
    options: join.network,
    sockets: await env.openPeerSockets(certificatePem(identity), privateKeyPem(identity)),
    timing: {
      now: env.clock.monotonic,
      cpuTime: () => 1000 * env.process().cpuSeconds,
      unixSeconds: env.clock.unixSeconds,
      after: env.timers.after,
      soon: env.timers.soon,
      randomBytes: env.random,
    },
    stakes,
    log: (line, level) => env.log(`${line}`, level),
    firstPeers: join.beacons.length > 0 ? { dialled: join.beacons, spare: [] } : sampleFirstPeers(join.builtInBeacons, env.random),
    sybilProtection: 'from' in join.validators,
    membership,
  });
}

function listenError({ stakingHost, stakingPort }: JoinConfig['network'], cause: unknown): JoinError {
  const { code } = cause as { code?: string };
  const why = code === 'EADDRINUSE' ? 'another program listens there' : (code ?? String(cause));
  return new JoinError(
    `cannot listen for peers at ${stakingHost || '*'}:${stakingPort} (${why}); choose with --staking-host and --staking-port`,
    code === 'EADDRINUSE' ? { code: 'JOIN_PORT_TAKEN', port: stakingPort } : { code: 'JOIN_CANNOT_LISTEN', port: stakingPort },
  );
}

const noValidators = { disconnectedValidators: [], percentConnected: 1 };
