import type { LiveReads } from '../../api/rest/live-reads.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import type { ServedChains } from '../../api/rest/served-chains.ts';
import { createServedChains } from '../../api/rest/served-network.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { IndexReads } from '../../ledger/index-read/index-reads.ts';
import type { Config } from '../config/config.ts';
import { describeNetwork, type NetworkContext } from '../node/network-context.ts';
import type { NodeChain } from '../node/node-chain.ts';

/** The parts of a chain of this node that the Data and Metrics APIs need. A reader process has no running chain, only what is stored. */
type IndexedChain = Pick<NodeChain, 'history' | 'explorer' | 'dataAge' | 'origin'> & {
  readonly spec: Pick<NodeChain['spec'], 'id' | 'aliases'>;
  readonly reads: Pick<NodeChain['reads'], 'height' | 'epoch'>;
};

/**
 * Describes this node's chains to the Data and Metrics APIs. Returns undefined if the node has no history index. `builder`: the ID of the node that
 * proposes all blocks; undefined if others do.
 */
export function createServedChainsOfNode({
  config,
  context,
  chains,
  builder,
  liveOf,
}: {
  readonly config: Config;
  readonly context: NetworkContext;
  readonly chains: readonly IndexedChain[];
  readonly builder: string | undefined;
  readonly liveOf: (chainID: Id) => LiveReads;
}): ServedChains | undefined {
  const byId = new Map(chains.map((chain) => [chain.spec.id, chain]));
  if (chains.some(({ history }) => history === undefined)) return undefined;
  return createServedChains({
    description: describeNetwork(context),
    networkName: config.access.networkName,
    subnetID: context.subnetID,
    builder,
    now: () => Number(context.clock.unixSeconds()),
    dataAge: chains[0]?.dataAge,
    chain: (id, alias) => {
      const { history, explorer, reads, origin } = byId.get(id) as IndexedChain;
      return {
        reads: history as IndexReads,
        explorer,
        vertices: origin.vertices,
        live: liveOf(id),
        epoch: reads.epoch,
        rpcUrl: `/ext/bc/${alias === 'X' ? alias : idText(id)}`,
        status: origin.status,
        unavailable: origin.unavailable,
        backfillAddresses: origin.backfillAddresses,
        foreignImports: origin.foreignImports,
      };
    },
  });
}

/** Returns a function that reads the version of this node's chains: cached responses are valid as long as it does not change. */
export const createChainVersionReader = (chains: readonly VersionedChain[]) => async (): Promise<ChainVersion> => ({
  tip: chains
    .map(
      ({ reads, follower, joined }) => `${reads.height()}${follower?.status().state ?? ''}${joined?.isBootstrapping() === true ? 'b' : ''}`,
    )
    .join(' '),
  past: chains.map(({ reads, backfillRevision }) => `${reads.epoch()}.${backfillRevision?.() ?? 0}`).join(' '),
});

type VersionedChain = Pick<NodeChain, 'follower' | 'joined' | 'backfillRevision'> & {
  readonly reads: Pick<NodeChain['reads'], 'height' | 'epoch'>;
};
