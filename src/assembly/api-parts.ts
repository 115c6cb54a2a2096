import type { Stamp } from '../api/answer-cache.ts';
import type { HealthDeps, Served } from '../api/served.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import { Fault } from '../fault.ts';
import type { IndexReads } from '../index/reads.ts';
import { aboutOf, servedFrom } from './about.ts';
import type { Side } from './api.ts';
import type { Env } from './env.ts';
import type { Frame } from './frame.ts';

/** A chain of this node, as far as the Data and Metrics interfaces need it. */
export type IndexedHere = {
  readonly spec: { readonly id: Id; readonly aliases: readonly [string, ...string[]] };
  readonly reads: { readonly height: () => bigint };
  readonly history: IndexReads | undefined;
};

/** What a node serves of its own chains; undefined if it keeps no index. */
export function servedHere(config: Config, env: Env, frame: Frame, chains: readonly IndexedHere[], builder: string): Served | undefined {
  const histories = new Map(chains.flatMap(({ spec, history }) => (history === undefined ? [] : [[spec.id, history]])));
  if (histories.size < chains.length) return undefined;
  return servedFrom({
    about: aboutOf(frame),
    config,
    subnetID: frame.subnetID,
    builder,
    now: () => Number(env.clock.unixSeconds()),
    chain: (id, alias) => ({
      reads: histories.get(id) as IndexReads,
      rpcUrl: `/ext/bc/${alias === 'X' ? alias : idText(id)}`,
      status: () => 'OK',
      complete: undefined,
    }),
  });
}

/** Answers change when a chain of this node does. */
export const stampOf = (chains: readonly IndexedHere[]) => (): Stamp => ({
  tip: chains.map(({ reads }) => reads.height()).join(' '),
  past: '',
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

/** They write and look at what the writing process has, so that one answers them. */
export const healthPaths = ['v1', 'v2'].flatMap((version) => [`/${version}/health-check`, `/${version}/live-check`]);

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
