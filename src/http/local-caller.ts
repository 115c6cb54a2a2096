import { isIPv4 } from 'node:net';
import { withoutPort } from './allowed-hosts.ts';
import type { HttpRequest } from './message.ts';

/**
 * Whether a request comes from a program on this machine, and neither through a proxy nor from a web page of another origin: a loopback
 * caller, a loopback `Host`, no forwarding header, and no `Origin` but the server's own. A request without a socket is this program's own:
 * the process that took it from a socket has checked it (see relay.ts).
 */
export function isLocalCall(request: HttpRequest): boolean {
  if (request.caller === undefined) return true;
  const host = request.header('host') ?? '';
  return (
    isLoopbackAddress(request.caller() ?? '') &&
    isLoopbackHost(withoutPort(host)) &&
    isOwnOrigin(request.header('origin'), host) &&
    forwardingHeaders.every((name) => request.header(name) === null)
  );
}

/** What proxies, load balancers and CDNs add to a request they pass on. */
export const forwardingHeaders: readonly string[] = [
  'forwarded',
  'via',
  'x-forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-original-forwarded-for',
  'x-original-host',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
];

/** IPv4-mapped IPv6 is what a socket of both families shows for an IPv4 caller. */
const isLoopbackAddress = (address: string): boolean => isLoopbackHost(address.toLowerCase().replace(/^::ffff:/, ''));

/** A name such as 127.example.org is no address. */
const isLoopbackHost = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/** Browsers name the origin of every POST; `null` is a page without one. */
const isOwnOrigin = (origin: string | null, host: string): boolean =>
  origin === null || origin.toLowerCase() === `http://${host.toLowerCase()}`;
