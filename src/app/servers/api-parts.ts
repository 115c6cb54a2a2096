import { notBootstrapped } from '../../api/http/node-routes.ts';
import type { DataAge } from '../../api/rest/data-age.ts';
import type { LiveReads } from '../../api/rest/live-reads.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import type { ApiHealthDeps, ServedChains } from '../../api/rest/served-chains.ts';
import { createServedChains } from '../../api/rest/served-network.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import type { Follower } from '../../chain/follow/follower.ts';
import type { Fork } from '../../chain/fork/fork.ts';
import type { ExplorerReads } from '../../ledger/index-read/explorer-reads.ts';
import type { IndexReads } from '../../ledger/index-read/index-reads.ts';
import type { Config } from '../config/config.ts';
import { describeFollowedChain } from '../followed/follow.ts';
import { describeNetwork, type NetworkContext } from '../node/network-context.ts';
import type { RunningChain } from '../node/running-chain.ts';
import type { Env } from '../platform/env.ts';
import { backfillFromFork } from '../solo/fork.ts';
import type { ApiSelection } from './api.ts';

/** The parts of a chain of this node that the Data and Metrics APIs need. */
type IndexedChain = {
  readonly spec: { readonly id: Id; readonly aliases: readonly [string, ...string[]] };
  readonly reads: { readonly height: () => bigint; readonly epoch: () => number };
  readonly history: IndexReads | undefined;
  readonly explorer: ExplorerReads | undefined;
  readonly follower?: Follower;
  readonly joined?: Pick<NonNullable<RunningChain['joined']>, 'backfillAddresses' | 'isBootstrapping' | 'bootstrap' | 'vertices'>;
  readonly fork?: Fork | undefined;
  readonly dataAge?: DataAge;
  readonly backfillRevision?: () => number;
};

/**
 * Describes this node's chains to the Data and Metrics APIs. Returns undefined if the node has no history index. `builder`: the ID of the node that
 * proposes all blocks; undefined if others do.
 */
export function createServedChainsOfNode(
  config: Config,
  env: Pick<Env, 'clock' | 'timers'>,
  context: NetworkContext,
  chains: readonly IndexedChain[],
  builder: string | undefined,
  liveOf: (chainID: Id) => LiveReads,
): ServedChains | undefined {
  const byId = new Map(chains.map((chain) => [chain.spec.id, chain]));
  if (chains.some(({ history }) => history === undefined)) return undefined;
  return createServedChains({
    description: describeNetwork(context),
    config,
    subnetID: context.subnetID,
    builder,
    now: () => Number(context.clock.unixSeconds()),
    dataAge: chains[0]?.dataAge,
    chain: (id, alias) => {
      const { history, explorer, reads, follower, joined, fork } = byId.get(id) as IndexedChain;
      return {
        reads: history as IndexReads,
        ...(explorer && { explorer }),
        ...(joined && { vertices: joined.vertices }),
        live: liveOf(id),
        epoch: reads.epoch,
        rpcUrl: `/ext/bc/${alias === 'X' ? alias : idText(id)}`,
        ...(follower === undefined
          ? ({
              status: () => 'OK',
              unavailable: joined && (() => bootstrapReason(joined)),
              backfillAddresses: joined?.backfillAddresses ?? (fork && backfillFromFork(fork)),
              foreignImports: joined && (joined.backfillAddresses === undefined ? 'unknown' : 'looked-up'),
            } as const)
          : describeFollowedChain(follower, env)),
      };
    },
  });
}

/** Why a chain on a network of peers does not answer; undefined when it has reached the tip. */
function bootstrapReason({ isBootstrapping, bootstrap }: NonNullable<IndexedChain['joined']>): string | undefined {
  if (!isBootstrapping()) return undefined;
  const { height, tipHeight } = bootstrap();
  return `${notBootstrapped}: it is at height ${height}${tipHeight === undefined ? '' : ` of ${tipHeight}`}`;
}

/** Returns a function that reads the version of this node's chains: cached responses are valid as long as it does not change. */
export const createChainVersionReader = (chains: readonly IndexedChain[]) => async (): Promise<ChainVersion> => ({
  tip: chains
    .map(
      ({ reads, follower, joined }) => `${reads.height()}${follower?.status().state ?? ''}${joined?.isBootstrapping() === true ? 'b' : ''}`,
    )
    .join(' '),
  past: chains.map(({ reads, backfillRevision }) => `${reads.epoch()}.${backfillRevision?.() ?? 0}`).join(' '),
});

/** The APIs served on the main port: both, or the one without a port of its own; undefined if both have their own port. */
export function apisOnMainPort({ data, stats }: Pick<Config, 'data' | 'stats'>): ApiSelection | undefined {
  if (data.port === undefined) return stats.port === undefined ? 'both' : 'data';
  return stats.port === undefined ? 'metrics' : undefined;
}

/** The enabled APIs that have a port of their own, with that port. */
export const apisOnOwnPorts = ({
  data,
  stats,
}: Pick<Config, 'data' | 'stats'>): { readonly selection: ApiSelection; readonly port: number }[] => [
  ...(data.enabled && data.port !== undefined ? [{ selection: 'data', port: data.port } as const] : []),
  ...(stats.enabled && stats.port !== undefined ? [{ selection: 'metrics', port: stats.port } as const] : []),
];

/** Returns a function that rejects with a `TimeoutError` if work takes longer than a number of milliseconds. */
export const createWithTimeout =
  ({ after }: Pick<Env['timers'], 'after'>): ApiHealthDeps['withTimeout'] =>
  (milliseconds, work) => {
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = after(milliseconds, () =>
      reject(new TimeoutError(`no answer in ${milliseconds} ms`, { code: 'TIMED_OUT', milliseconds })),
    );
    return Promise.race([work, promise]).finally(cancel);
  };

type TimeoutFault = { code: 'TIMED_OUT'; milliseconds: number };
class TimeoutError extends Fault<TimeoutFault> {}
