import type { Account } from '../../avm/wallet/accounts.ts';
import { idText } from '../../base/bytes/id.ts';
import type { BannerInfo } from '../../cli/banner.ts';
import { readAccounts, readFundedKey } from '../chains/account-list.ts';
import type { NodeChain } from '../chains/node-chains.ts';
import type { Config } from '../config/config.ts';
import type { NetworkContext } from '../setup/network-context.ts';
import { stripCredentials } from '../setup/served-network.ts';
import type { NodeServers } from './node-servers.ts';

export type NodeDescription = Omit<BannerInfo, 'readySeconds' | 'warnings'>;

export type DescribedParts = {
  readonly version: string;
  readonly nodeID: string;
  readonly context: NetworkContext;
  readonly x: NodeChain | undefined;
  readonly accounts: readonly Account[];
  readonly apis: BannerInfo['apis'];
  readonly servers: NodeServers;
  /** The address for peers. */
  readonly stakingAddress: string;
};

/** What the banner says about a node. */
export function describeNode(
  config: Config,
  { version, nodeID, context, x, accounts, apis, servers, stakingAddress }: DescribedParts,
): NodeDescription {
  const { chain, specs } = context;
  const isSolo = config.mode.kind === 'solo';
  return {
    version,
    nodeID,
    network: config.network,
    url: servers.url(),
    xBlockchainID: idText(specs[0].id),
    height: x?.reads.height() ?? 0n,
    stateDir: config.store === 'memory' ? undefined : config.dataDir,
    stateFile: config.state?.save,
    mining: config.mining,
    apis,
    data: servers.apiUrl('data'),
    stats: servers.apiUrl('stats'),
    following: config.mode.kind === 'follow' ? stripCredentials(config.mode.url) : undefined,
    peersAt: config.mode.kind === 'join' ? stakingAddress : undefined,
    strict: config.strict,
    funded: isSolo && x ? readFundedKey(x.reads, chain.now(), context) : undefined,
    accounts: isSolo && x ? readAccounts(x.reads, accounts, chain.now(), context) : [],
    mnemonic: accounts.length > 1 && accounts.every(({ isPublic }) => isPublic) ? config.accounts.mnemonic : undefined,
    chains: specs.slice(1).map(({ id, aliases: [alias] }) => ({ alias, blockchainID: idText(id) })),
    workers: servers.readerCount,
  };
}
