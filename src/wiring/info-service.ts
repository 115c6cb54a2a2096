import type { Id } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import type { ProofOfPossession } from '../identity/bls.ts';
import { info } from '../rpc/info.ts';
import { type Services, service, servicesOf } from '../rpc/method.ts';
import { nodeVersions } from '../rpc/versions.ts';
import type { Env } from './env.ts';
import type { NetworkContext } from './network-context.ts';

export type Who = {
  readonly nodeID: string;
  readonly proofOfPossession: () => Promise<ProofOfPossession>;
  /** Whether a chain runs here and has all its blocks. */
  readonly isBootstrapped: (chain: Id) => boolean;
};

/** What a public endpoint does not tell. */
const privateMethods = new Set(['getNodeID', 'getNodeIP', 'getVMs']);

export function infoService(config: Config, env: Env, { chain, differences }: NetworkContext, who: Who): Services {
  const rows = config.publicApi ? Object.fromEntries(Object.entries(info).filter(([name]) => !privateMethods.has(name))) : info;
  const { publicIP, port } = config.peerAddress;
  return servicesOf(
    service('info', rows, {
      ...who,
      versions: nodeVersions(env.version, !differences.nodeVersion),
      gitCommit: env.gitCommit,
      // Nobody listens there until the node has peers; it is where they would find it.
      nodeIP: () => `${publicIP === '' ? '127.0.0.1' : publicIP}:${port}`,
      network: chain.network,
      aliases: chain.aliases,
      peers: () => [],
      acps: () => [],
      // Alone in its network it is the only validator and counts itself as always up. A node that follows another one validates nothing.
      uptime: () => (config.follow === undefined ? { rewardingStake: 100, weightedAverage: 100 } : undefined),
    }),
  );
}
