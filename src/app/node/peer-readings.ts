import type { LazyKey, RegisteredValidator } from '../../api/health/checks.ts';
import type { NetworkLimits, NetworkState, RouterLimits, RouterState, UpgradeState } from '../../api/health/network-checks.ts';
import type { AcpVotes, PeerInfo, Uptime } from '../../api/rpc/info.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { ChainHealthState, ChainLimits } from '../../base/health/chain-check.ts';
import type { Config, NetworkConfig } from '../config/config.ts';

/** What the Node RPC and the health checks read about the peers of this node. */
export type PeerReadings = {
  readonly peers: () => readonly PeerInfo[];
  readonly acps: () => readonly AcpVotes[];
  /** Undefined if this node is not a validator. */
  readonly uptime: () => Uptime | undefined;
  /** IP address and port that peers connect to. */
  readonly nodeAddress: () => string;
  /** Whether a node without peers is unhealthy: AvalancheGo's sybil protection. */
  readonly needsPeers: boolean;
  readonly network: () => NetworkState;
  readonly router: () => RouterState;
  readonly upgrade: () => UpgradeState;
  /** This node's entry in the validator set; undefined if it is not a validator. */
  readonly registration: () => RegisteredValidator | undefined;
  /** The connections to the validators of a chain. */
  readonly networking: (chain: Id) => ChainHealthState['networking'];
  /** Limits of the health checks; AvalancheGo's defaults if left out. */
  readonly limits?: {
    readonly network: NetworkLimits;
    readonly router: RouterLimits;
    readonly chain: Omit<ChainLimits, 'acceptanceTime' | 'behindTime'>;
  };
};

/** The readings of a node that decides its own blocks: it has no peers and is the only validator of its network. */
export const createSoloReadings = (config: Config, blsKey: LazyKey): PeerReadings => ({
  ...createFollowerReadings(config),
  uptime: () => ({ rewardingStake: 100, weightedAverage: 100 }),
  registration: () => ({ publicKey: blsKey }),
});

/** The readings of a node without peers that is not a validator. */
export function createFollowerReadings(config: NetworkConfig): PeerReadings {
  const upgrade = { localUpgradeTime: config.network.upgrades.graniteTime, totalWeight: 1n, peers: [] };
  return {
    peers: () => [],
    acps: () => [],
    uptime: () => undefined,
    nodeAddress: () => formatNodeAddress(config.peerAddress),
    needsPeers: false,
    network: () => ({ connectedPeers: 0, sendFailRate: 0 }),
    router: () => ({ outstandingRequests: 0, longestRunningRequest: 0n }),
    upgrade: () => upgrade,
    registration: () => undefined,
    networking: () => ({ disconnectedValidators: [], percentConnected: 1 }),
  };
}

/** An address of a node for its peers, as Go's netip.AddrPort writes it. */
export function formatNodeAddress({ publicIP, port }: Config['peerAddress']): string {
  const address = publicIP === '' ? '127.0.0.1' : publicIP;
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}
