import { infoMethods } from '../../api/rpc/info.ts';
import { combineServices, createService, type Services } from '../../api/rpc/method.ts';
import { nodeVersions } from '../../api/rpc/versions.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { ProofOfPossession } from '../../network/identity/bls.ts';
import type { InterfaceConfig } from '../config/config.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { PeerReadings } from '../node/peer-readings.ts';
import type { ProcessEnv } from '../platform/env.ts';

type NodeIdentity = {
  readonly nodeID: string;
  readonly proofOfPossession: () => Promise<ProofOfPossession>;
  /** Whether a chain runs here and is bootstrapped. */
  readonly isBootstrapped: (chain: Id) => boolean;
  readonly readings: PeerReadings;
};

/** Methods that `--public-api` disables. */
const privateMethods = new Set(['getNodeID', 'getNodeIP', 'getVMs']);

export function createInfoService(
  config: InterfaceConfig,
  env: ProcessEnv,
  { chain, differences }: NetworkContext,
  { readings, ...identity }: NodeIdentity,
): Services {
  const rows = config.publicApi
    ? Object.fromEntries(Object.entries(infoMethods).filter(([name]) => !privateMethods.has(name)))
    : infoMethods;
  return combineServices(
    createService('info', rows, {
      ...identity,
      versions: nodeVersions(env.version, !differences.nodeVersion),
      gitCommit: env.gitCommit,
      nodeIP: readings.nodeAddress,
      network: chain.network,
      aliases: chain.aliases,
      peers: readings.peers,
      acps: readings.acps,
      uptime: readings.uptime,
    }),
  );
}
