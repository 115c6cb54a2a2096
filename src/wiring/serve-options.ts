import type { Config } from '../config.ts';
import type { ServeOptions } from '../platform/serve.ts';

/** Bytes of request bodies that one port of one process holds at once. */
const maxBodies = 64 * 1024 * 1024;

export const serveOptions = ({ http }: Config): Omit<ServeOptions, 'handler'> => ({
  host: http.host,
  port: http.port,
  maxBodies,
  readsAhead: isNodeRpc,
  idleTimeout: Math.ceil(http.idleTimeout / 1000),
  grace: http.shutdownTimeout,
});

/** Only the Node RPC: the Data and Metrics interfaces check key and rate limit before they read a body. */
const isNodeRpc = (path: string): boolean => path.startsWith('/ext/');

/** Where a port of this host is reached. */
export const urlOf = ({ http: { host } }: Pick<Config, 'http'>, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
