import type { Id } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import type { ProofOfPossession } from '../identity/bls.ts';
import { infoMethods } from '../rpc/info.ts';
import { combineServices, createService, type Services } from '../rpc/method.ts';
import { nodeVersions } from '../rpc/versions.ts';
import type { Env } from '../wiring/env.ts';
import type { NetworkContext } from '../wiring/network-context.ts';
import type { PeerReadings } from '../wiring-chains/peer-readings.ts';

export type NodeIdentity = {
  readonly nodeID: string;
  readonly proofOfPossession: () => Promise<ProofOfPossession>;
  /** Whether a chain runs here and is bootstrapped. */
  readonly isBootstrapped: (chain: Id) => boolean;
  readonly readings: PeerReadings;
};

/** Methods that `--public-api` disables. */
const privateMethods = new Set(['getNodeID', 'getNodeIP', 'getVMs']);

export function createInfoService(
  config: Config,
  env: Env,
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
