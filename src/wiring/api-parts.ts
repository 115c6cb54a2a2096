import type { ChainVersion } from '../api/response-cache.ts';
import type { HealthDeps, Served } from '../api/served.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import { Fault } from '../fault.ts';
import type { Follower } from '../follow/follower.ts';
import type { IndexReads } from '../index-read/index-reads.ts';
import type { Side } from './api.ts';
import type { Env } from './env.ts';
import { followedChain } from './follow.ts';
import type { NetworkContext } from './network-context.ts';
import { aboutOf, servedFrom } from './served-network.ts';

/** A chain of this node, as far as the Data and Metrics interfaces need it. */
export type IndexedHere = {
  readonly spec: { readonly id: Id; readonly aliases: readonly [string, ...string[]] };
  readonly reads: { readonly height: () => bigint; readonly epoch: () => number };
  readonly history: IndexReads | undefined;
  readonly follower?: Follower;
  readonly learned?: () => number;
};

/** What a node serves of its own chains; undefined if it keeps no index. */
export function servedHere(
  config: Config,
  env: Env,
  frame: NetworkContext,
  chains: readonly IndexedHere[],
  builder: string,
): Served | undefined {
  const byId = new Map(chains.map((chain) => [chain.spec.id, chain]));
  if (chains.some(({ history }) => history === undefined)) return undefined;
  return servedFrom({
    about: aboutOf(frame),
    config,
    subnetID: frame.subnetID,
    // Whoever follows a network does not know who proposed its blocks.
    builder: config.follow === undefined ? builder : undefined,
    now: () => Number(env.clock.unixSeconds()),
    chain: (id, alias) => {
      const { history, follower } = byId.get(id) as IndexedHere;
      return {
        reads: history as IndexReads,
        rpcUrl: `/ext/bc/${alias === 'X' ? alias : idText(id)}`,
        ...(follower === undefined ? ({ status: () => 'OK', complete: undefined } as const) : followedChain(follower)),
      };
    },
  });
}

/** Answers change when a chain of this node does. */
export const stampOf = (chains: readonly IndexedHere[]) => (): ChainVersion => ({
  tip: chains.map(({ reads, follower }) => `${reads.height()}${follower === undefined ? '' : follower.status().state}`).join(' '),
  past: chains.map(({ reads, learned }) => `${reads.epoch()}.${learned?.() ?? 0}`).join(' '),
});

/** What is served on the node's own port: both interfaces, or the one that has no port of its own. */
export function sharedSide({ data, stats }: Pick<Config, 'data' | 'stats'>): Side | undefined {
  if (data.port === undefined) return stats.port === undefined ? 'both' : 'data';
  return stats.port === undefined ? 'metrics' : undefined;
}

export const ownPorts = ({ data, stats }: Pick<Config, 'data' | 'stats'>): { readonly side: Side; readonly port: number }[] => [
  ...(data.enabled && data.port !== undefined ? [{ side: 'data', port: data.port } as const] : []),
  ...(stats.enabled && stats.port !== undefined ? [{ side: 'metrics', port: stats.port } as const] : []),
];

export const timeLimit =
  ({ after }: Pick<Env['timers'], 'after'>): HealthDeps['within'] =>
  (milliseconds, work) => {
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = after(milliseconds, () =>
      reject(new TimeoutError(`no answer in ${milliseconds} ms`, { code: 'TIMED_OUT', milliseconds })),
    );
    return Promise.race([work, promise]).finally(cancel);
  };

export type TimeoutFault = { code: 'TIMED_OUT'; milliseconds: number };
export class TimeoutError extends Fault<TimeoutFault> {}
