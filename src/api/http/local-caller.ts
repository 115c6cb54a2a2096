import { ipVersion } from '../../base/bytes/runtime-modules.ts';
import { stripPort } from './allowed-hosts.ts';
import type { HttpRequest } from './message.ts';

/**
 * Whether a request comes from a program on this machine, not through a proxy and not from a web page of another origin. It needs a loopback
 * remote address, a loopback `Host`, no forwarding header, and no `Origin` other than the server's own. A request without a socket was relayed
 * by another process of this node, which has checked it already (see app/workers/relay.ts).
 */
export function isLocalRequest(request: HttpRequest): boolean {
  if (request.remoteAddress === undefined) return true;
  const host = request.header('host') ?? '';
  return (
    isLoopbackAddress(request.remoteAddress() ?? '') &&
    isLoopbackHost(stripPort(host)) &&
    isOwnOrigin(request.header('origin'), host) &&
    forwardingHeaders.every((name) => request.header(name) === null)
  );
}

/** Headers that proxies, load balancers and CDNs add to a forwarded request. */
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

/** A dual-stack socket reports an IPv4 client as an IPv4-mapped IPv6 address. */
const isLoopbackAddress = (address: string): boolean => isLoopbackHost(address.toLowerCase().replace(/^::ffff:/, ''));

/** `ipVersion` excludes names such as 127.example.org. */
const isLoopbackHost = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || host === '::1' || (ipVersion(host) === 4 && host.startsWith('127.'));

/** Browsers send `Origin` with every POST; its text is `null` for a page without an origin. */
const isOwnOrigin = (origin: string | null, host: string): boolean =>
  origin === null || origin.toLowerCase() === `http://${host.toLowerCase()}`;
