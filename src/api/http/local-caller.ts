import { isLoopbackHost } from '../../base/bytes/ip-address.ts';
import { stripPort } from './allowed-hosts.ts';
import type { HttpRequest } from './message.ts';
import { ownHeaders } from './own-headers.ts';

/**
 * Whether a request comes from a program on this machine, not through a proxy and not from a web page of another origin. It needs a loopback
 * remote address, a loopback `Host`, no header that a proxy may have added, and no `Origin` other than the server's own. A request without a socket was relayed
 * by another process of this node, which has checked it already (see app/processes/relay.ts).
 */
export function isLocalRequest(request: HttpRequest): boolean {
  if (request.remoteAddress === undefined) return true;
  const host = request.header('host') ?? '';
  return (
    isLoopbackHost(request.remoteAddress() ?? '') &&
    isLoopbackHost(stripPort(host)) &&
    isOwnOrigin(request.header('origin'), host) &&
    hasOnlyLocalHeaders(request)
  );
}

/**
 * Whether a request has only headers that programs and browsers send themselves. Proxies, load balancers and CDNs add others, and nobody knows
 * them all: so every other header counts as one of a proxy.
 */
const hasOnlyLocalHeaders = ({ headerNames }: HttpRequest): boolean => {
  for (const name of headerNames?.() ?? unknownHeaders) if (!localHeaders.test(name)) return false;
  return true;
};

const unknownHeaders = ['unknown'];

const localHeaders = new RegExp(
  `^(?:${[
    'host|connection|keep-alive|content-(?:type|length|encoding)|transfer-encoding|expect|te|date',
    'accept|accept-.*|user-agent|authorization|cookie|origin|referer|cache-control|pragma|range|if-.*|last-event-id',
    'sec-.*|dnt|priority|save-data|upgrade-insecure-requests|upgrade|http2-settings|postman-token',
    // The last one is sent by AvaCloud's SDK.
    ...ownHeaders,
    'x-app-component',
  ].join('|')})$`,
  'i',
);

/** Browsers send `Origin` with every POST; its text is `null` for a page without an origin. */
const isOwnOrigin = (origin: string | null, host: string): boolean =>
  origin === null || origin.toLowerCase() === `http://${host.toLowerCase()}`;
