import type { Config } from '../config.ts';
import type { Differences } from '../differences.ts';
import type { Handler } from '../http/message.ts';
import { createRouter, type Route } from '../http/router.ts';
import type { LongWork } from '../timing/long-work.ts';
import { type ApiParts, createApis, type Side } from './api.ts';
import { ownPorts, sharedSide, timeLimit } from './api-parts.ts';
import type { Env } from './env.ts';

export type HandlerParts = Omit<ApiParts, 'config' | 'version' | 'recoverKey' | 'health'> & {
  readonly health: Omit<ApiParts['health'], 'within'>;
  /** Empty where no node answers. */
  readonly nodeID: string;
  readonly differences: Differences;
  readonly longWork: LongWork;
  /** Paths of the main port beside the Data and Metrics interfaces. */
  readonly routes: Iterable<readonly [path: string, route: Route]>;
  /** Paths that every other port has too. */
  readonly everywhere?: Iterable<readonly [path: string, route: Route]>;
};

/** What a process answers on each of its ports. */
export type Handlers = {
  readonly main: Handler;
  /** The interfaces that have a port of their own. */
  readonly own: readonly { readonly side: Side; readonly port: number; readonly handler: Handler }[];
};

/** Joins the router, the Node RPC and the Data and Metrics interfaces; the same for the writer, its readers and `serac api`. */
export function createHandlers(config: Config, env: Env, parts: HandlerParts): Handlers {
  const { nodeID, differences, longWork, routes, everywhere = [], report } = parts;
  const apis = createApis({
    ...parts,
    config,
    version: env.version,
    recoverKey: env.recoverKey,
    health: { ...parts.health, within: timeLimit(env.timers) },
  });
  const { allowedHosts, allowedOrigins } = config.http;
  const mode = { differences, report, longWork };
  const handlerOf = (side: Side | undefined, paths: HandlerParts['routes']): Handler => {
    const { under, pages } = apis(side);
    return createRouter({ routes: new Map([...pages, ...paths]), under, nodeID, allowedHosts, allowedOrigins, mode });
  };
  return {
    main: handlerOf(sharedSide(config), routes),
    own: ownPorts(config).map(({ side, port }) => ({ side, port, handler: handlerOf(side, everywhere) })),
  };
}
