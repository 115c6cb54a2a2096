/**
 * Refuses connections to other machines, in every story and snippet (bunfig.toml loads it first): a client that calls the internet fails its
 * story, also if it ignores the error. Allowed are this machine and the host of SERAC_URL.
 */
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

/** The hosts that were refused so far. */
export const refusedHosts: string[] = [];

const ownHosts = new Set(['localhost', '127.0.0.1', '::1', '[::1]', '0.0.0.0', '']);
if (process.env.SERAC_URL) ownHosts.add(new URL(process.env.SERAC_URL).hostname);

/** Throws unless the host is this machine. */
function check(host: unknown): void {
  const name = String(host ?? '').replace(/:\d+$/, '');
  if (ownHosts.has(name)) return;
  refusedHosts.push(name);
  // The exit code of a snippet that swallows the error.
  process.exitCode = 97;
  throw new Error(`a client called ${name}; stories send nothing to other machines`);
}

type AnyFunction = (...args: never[]) => unknown;

/** Replaces a function by one that checks the host of a call first. */
function guard<K extends string>(target: { [name in K]: AnyFunction }, name: K, hostOf: (args: readonly unknown[]) => unknown): void {
  const original = target[name];
  target[name] = function (this: unknown, ...args: never[]) {
    check(hostOf(args));
    return original.apply(this, args);
  };
}

type HostOptions = { readonly host?: unknown; readonly hostname?: unknown; readonly path?: unknown };

const isUrl = (value: unknown): value is string | URL => typeof value === 'string' || value instanceof URL;
const hostOfOptions = ({ hostname, host }: HostOptions): unknown => hostname ?? host;
const hostOfRequest = ([first, second]: readonly unknown[]): unknown =>
  isUrl(first) ? (hostOfOptions((second ?? {}) as HostOptions) ?? new URL(first).hostname) : hostOfOptions(first as HostOptions);

for (const protocol of [http, https] as never as { [name in 'request' | 'get']: AnyFunction }[]) {
  guard(protocol, 'request', hostOfRequest);
  guard(protocol, 'get', hostOfRequest);
}
guard(globalThis as never as { fetch: AnyFunction }, 'fetch', ([input]) => new URL(isUrl(input) ? input : (input as Request).url).hostname);
guard(dns as never as { lookup: AnyFunction }, 'lookup', ([host]) => host);
guard(dns.promises as never as { lookup: AnyFunction }, 'lookup', ([host]) => host);
guard(net.Socket.prototype as never as { connect: AnyFunction }, 'connect', ([first, second]) => {
  const options = (Array.isArray(first) ? first[0] : first) as HostOptions | number | string;
  if (typeof options === 'object') return options.path === undefined ? hostOfOptions(options) : '';
  return typeof second === 'string' ? second : '';
});
globalThis.WebSocket = class extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    check(new URL(url).hostname);
    super(url, protocols);
  }
};
