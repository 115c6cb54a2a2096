import type { Config } from '../config.ts';
import type { ServeOptions } from './env.ts';

/** The largest body that is ever read: many times the largest transaction's text. */
const maxBody = 8 * 1024 * 1024;

export const serveOptions = ({ http }: Config): Omit<ServeOptions, 'handler'> => ({
  host: http.host,
  port: http.port,
  maxBody,
  idleTimeout: Math.ceil(http.idleTimeout / 1000),
  grace: http.shutdownTimeout,
});

/** Where a port of this host is reached. */
export const urlOf = ({ http: { host } }: Pick<Config, 'http'>, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
