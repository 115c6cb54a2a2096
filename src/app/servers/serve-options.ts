import { parseIpRange } from '../../base/bytes/ip-address.ts';
import type { Config, ServerConfig } from '../config/config.ts';
import type { ServeOptions } from '../platform/serve.ts';
import type { ApiSelection } from './api.ts';

/** The maximum number of bytes of request bodies that one port of one process buffers at the same time. */
const maxBodyMemory = 64 * 1024 * 1024;

export const serveOptions = ({ http, access }: ServerConfig): Omit<ServeOptions, 'handler'> => ({
  host: http.host,
  port: http.port,
  maxBodyMemory: maxBodyMemory,
  readsBodyWhole: isNodeRpc,
  idleTimeout: Math.ceil(http.idleTimeout / 1000),
  grace: http.shutdownTimeout,
  trustedProxies: access.trustedProxies.flatMap((text) => parseIpRange(text) ?? []),
});

/** Nearly all bodies of Node RPC calls are small. The Data and Metrics APIs have few bodies, and read them last. */
const isNodeRpc = (path: string): boolean => path.startsWith('/ext/');

/** The URL of a port on the host that the node listens on. */
export const urlOf = ({ http: { host } }: Pick<Config, 'http'>, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The APIs served on the main port: both, or the one without a port of its own; undefined if both have their own port. */
export function apisOnMainPort({ data, metricsApi }: Pick<Config, 'data' | 'metricsApi'>): ApiSelection | undefined {
  if (data.port === undefined) return metricsApi.port === undefined ? 'both' : 'data';
  return metricsApi.port === undefined ? 'metrics' : undefined;
}

/** The enabled APIs that have a port of their own, with that port. */
export const apisOnOwnPorts = ({
  data,
  metricsApi,
}: Pick<Config, 'data' | 'metricsApi'>): { readonly selection: ApiSelection; readonly port: number }[] => [
  ...(data.enabled && data.port !== undefined ? [{ selection: 'data', port: data.port } as const] : []),
  ...(metricsApi.enabled && metricsApi.port !== undefined ? [{ selection: 'metrics', port: metricsApi.port } as const] : []),
];
