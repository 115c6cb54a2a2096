import type { LazyKey } from '../../api/health/checks.ts';
import type { AcpVotes, PeerAcps, PeerInfo } from '../../api/rpc/info.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import { networkState, ownRegistration, ownUptime, peerRows, routerState, upgradeState } from '../../network/peers/peer-info.ts';
import type { Peers } from '../../network/peers/peers.ts';
import type { RegisteredStakes } from '../../network/protocol/validators.ts';
import type { Config } from '../config/config.ts';
import type { JoinConfig } from '../config/join-config.ts';
import { formatNodeAddress, type PeerReadings } from '../node/peer-readings.ts';
import type { Env } from '../platform/env.ts';

/** Reads what the Node RPC and the health checks say about the peers of a joined node. */
export function createJoinedReadings({
  config,
  join,
  env,
  peers,
  stakes,
  blsKey,
  aliasOf,
  port,
  networking,
}: {
  readonly config: Config;
  readonly join: JoinConfig;
  readonly env: Env;
  readonly peers: Peers;
  readonly stakes: RegisteredStakes;
  /** The BLS key of this node. */
  readonly blsKey: LazyKey;
  readonly aliasOf: (chain: Id) => string;
  /** The port at which this node listens for peers. */
  readonly port: () => number;
  readonly networking: PeerReadings['networking'];
}): PeerReadings {
  const { network, router } = peers;
  const { minPeers, maxTimeSinceReceived, maxTimeSinceSent, maxSendFailRate, maxOutstandingRequests, maxOutstandingDuration } =
    join.network;
  const rows = (): PeerInfo[] => peerRows(network.peers(), router, aliasOf);
  return {
    peers: rows,
    acps: () => countAcps(network.peers(), rows(), stakes),
    uptime: () => ownUptime(network.self, network.peers(), stakes, join.network.uptimeRequirement),
    nodeAddress: () => formatNodeAddress({ publicIP: join.publicIP, port: port() }),
    needsPeers: 'from' in join.validators,
    network: () => networkState(network, stakes, env.clock.unixNanos()),
    router: () => routerState(router, env.clock.monotonic()),
    upgrade: () => upgradeState(network.peers(), stakes, config.network.upgrades.graniteTime),
    // Without sybil protection a node is a validator with its own key, and registers no keys of others.
    registration: () => ('from' in join.validators ? ownRegistration(network.self, stakes) : { publicKey: blsKey }),
    networking,
    limits: {
      network: {
        peers: minPeers,
        maxSinceReceived: nanoseconds(maxTimeSinceReceived),
        maxSinceSent: nanoseconds(maxTimeSinceSent),
        sendFailRate: maxSendFailRate,
      },
      router: { requests: maxOutstandingRequests, duration: nanoseconds(maxOutstandingDuration) },
      chain: {
        processingBlocks: join.healthy.processingBlocks,
        processingTime: nanoseconds(join.healthy.processingTime),
        // AvalancheGo: snow/consensus/snowball/parameters.go, MinPercentConnectedHealthy.
        percentConnected: (join.chain.engineParameters.alphaConfidence / join.chain.engineParameters.k) * 0.8 + 0.2,
      },
    },
  };
}

const nanoseconds = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1e6));

/** Votes on ACPs by the stake of connected validators. AvalancheGo: api/info/service.go, Acps. */
function countAcps(
  peers: readonly { readonly node: NodeId }[],
  rows: readonly PeerAcps[],
  stakes: Pick<RegisteredStakes, 'of'>,
): AcpVotes[] {
  const weights = new Map(peers.map(({ node }) => [nodeIdText(node), stakes.of(node)]));
  const voters = rows.filter(({ nodeID }) => (weights.get(nodeID) ?? 0n) > 0n);
  const acps = new Set(voters.flatMap(({ supportedACPs, objectedACPs }) => [...supportedACPs, ...objectedACPs]));
  const sum = (nodeIDs: readonly string[]): bigint => nodeIDs.reduce((total, nodeID) => total + (weights.get(nodeID) ?? 0n), 0n);
  return [...acps].map((acp) => {
    const supporters = voters.filter(({ supportedACPs }) => supportedACPs.includes(acp)).map(({ nodeID }) => nodeID);
    const objectors = voters.filter(({ objectedACPs }) => objectedACPs.includes(acp)).map(({ nodeID }) => nodeID);
    // AvalancheGo counts abstentions only for ACPs that are not activated yet; there are none.
    return { acp, supportWeight: sum(supporters), supporters, objectWeight: sum(objectors), objectors, abstainWeight: 0n };
  });
}
