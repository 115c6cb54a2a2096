import { idText } from '../../base/bytes/id.ts';
import type { NodeChain } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import type { BannerInfo } from '../output/banner-info.ts';
import type { NodePorts } from './node-ports.ts';

export type NodeDescription = Omit<BannerInfo, 'readySeconds' | 'warnings'>;

/** What the banner says about a node: what every node has, and what its parts add. */
export function describeNode(
  { config, env, context, identity, parts, readers }: NodeCore,
  x: NodeChain,
  apis: BannerInfo['apis'],
  ports: NodePorts,
): NodeDescription {
  const [{ id }, ...others] = context.specs;
  return {
    version: env.version,
    nodeID: identity.nodeID,
    network: config.network,
    url: ports.url(),
    xBlockchainID: idText(id),
    height: x.reads.height(),
    stateDir: config.store === 'memory' ? undefined : config.dataDir,
    stateFile: config.state?.save,
    mining: config.mining,
    apis,
    data: ports.apiUrl('data'),
    metricsApi: ports.apiUrl('metricsApi'),
    following: undefined,
    strict: config.strict,
    funded: undefined,
    accounts: [],
    mnemonic: undefined,
    chains: others.map(({ id: chainID, aliases: [alias] }) => ({ alias, blockchainID: idText(chainID) })),
    workers: readers.count,
    ...parts.banner(),
  };
}
