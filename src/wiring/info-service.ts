import type { Id } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import type { ProofOfPossession } from '../identity/bls.ts';
import { infoMethods } from '../rpc/info.ts';
import { combineServices, createService, type Services } from '../rpc/method.ts';
import { nodeVersions } from '../rpc/versions.ts';
import type { Env } from './env.ts';
import type { NetworkContext } from './network-context.ts';

export type NodeIdentity = {
  readonly nodeID: string;
  readonly proofOfPossession: () => Promise<ProofOfPossession>;
  /** Whether a chain runs here and is bootstrapped. */
  readonly isBootstrapped: (chain: Id) => boolean;
};

/** Methods that `--public-api` disables. */
const privateMethods = new Set(['getNodeID', 'getNodeIP', 'getVMs']);

export function createInfoService(config: Config, env: Env, { chain, differences }: NetworkContext, identity: NodeIdentity): Services {
  const rows = config.publicApi
    ? Object.fromEntries(Object.entries(infoMethods).filter(([name]) => !privateMethods.has(name)))
    : infoMethods;
  return combineServices(
    createService('info', rows, {
      ...identity,
      versions: nodeVersions(env.version, !differences.nodeVersion),
      gitCommit: env.gitCommit,
      nodeIP: () => nodeAddress(config.peerAddress),
      network: chain.network,
      aliases: chain.aliases,
      peers: () => [],
      acps: () => [],
      // A node that decides its own blocks is the only validator of its network and reports full uptime. A follower is not a validator.
      uptime: () => (config.mode.kind === 'solo' ? { rewardingStake: 100, weightedAverage: 100 } : undefined),
    }),
  );
}

/**
 * The address at which other nodes would connect, as Go's netip.AddrPort writes it. Nothing listens there: this node has no peers.
 */
export function nodeAddress({ publicIP, port }: Config['peerAddress']): string {
  const address = publicIP === '' ? '127.0.0.1' : publicIP;
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}
