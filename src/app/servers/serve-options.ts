import { parseIpRange } from '../../base/bytes/ip-address.ts';
import type { Config, ServerConfig } from '../config/config.ts';
import type { ServeOptions } from '../platform/serve.ts';

/** The maximum number of bytes of request bodies that one port of one process buffers at the same time. */
const maxBodyMemory = 64 * 1024 * 1024;

export const serveOptions = ({ http, access }: ServerConfig): Omit<ServeOptions, 'handler'> => ({
  host: http.host,
  port: http.port,
  maxBodyMemory: maxBodyMemory,
  readsBodyAhead: isNodeRpc,
  idleTimeout: Math.ceil(http.idleTimeout / 1000),
  grace: http.shutdownTimeout,
  trustedProxies: access.trustedProxies.flatMap((text) => parseIpRange(text) ?? []),
});

/** Bodies of Node RPC calls are read ahead. The Data and Metrics APIs check API key and rate limit before they read a body. */
const isNodeRpc = (path: string): boolean => path.startsWith('/ext/');

/** The URL of a port on the host that the node listens on. */
export const urlOf = ({ http: { host } }: Pick<Config, 'http'>, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
