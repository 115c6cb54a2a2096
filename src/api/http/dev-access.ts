import { createHash, timingSafeEqual } from 'node:crypto';
import { isLocalRequest } from './local-caller.ts';
import type { HttpRequest } from './message.ts';
import type { HttpRoute } from './router.ts';

/** Who may use the routes of the developer's chain. */
export type DevAccess = Required<Pick<HttpRoute, 'isAllowed' | 'refusal'>>;

/**
 * Without a token: programs on this machine, see local-caller.ts. With one: callers that send it, from anywhere. A request without a socket
 * was relayed by another process of this node, which has checked it already (see app/processes/relay.ts).
 */
export function createDevAccess(token: string | undefined): DevAccess {
  if (token === undefined) return { isAllowed: isLocalRequest, refusal: localRefusal };
  const expected = hash(token);
  return {
    isAllowed: (request: HttpRequest) =>
      request.remoteAddress === undefined || timingSafeEqual(hash(readToken(request.header('authorization') ?? '')), expected),
    refusal: 'this caller is not allowed here: send the header "Authorization: Bearer T" with the T of --dev-token\n',
  };
}

/**
 * The same callers without web pages of other origins. For a route that does work on GET: a browser sends no `Origin` with an image, a frame
 * or a link, but it says where the request comes from in `Sec-Fetch-Site`, and mostly in `Referer`. Programs send neither.
 */
export const withoutOtherPages = ({ isAllowed, refusal }: DevAccess): DevAccess => ({
  isAllowed: (request) => isAllowed(request) && isOwnPage(request),
  refusal,
});

function isOwnPage({ header }: HttpRequest): boolean {
  const site = header('sec-fetch-site');
  // `none`: a person has typed the address.
  if (site !== null) return site === 'same-origin' || site === 'none';
  const referer = header('referer');
  return referer === null || `${referer}/`.toLowerCase().startsWith(`http://${(header('host') ?? '').toLowerCase()}/`);
}

const localRefusal =
  'this caller is not allowed here: only programs on this machine are, not through a proxy and not from a page of another origin; a header such as X-Forwarded-For, X-Request-ID or traceparent counts as one of a proxy; with --dev-token callers send a token instead\n';

/** The token of an Authorization header; empty if there is none. The name of the scheme may be in lower case: RFC 9110, 11.1. */
const readToken = (header: string): string => /^bearer +(\S+)$/i.exec(header)?.[1] ?? '';

/** Hashes have equal lengths, so that comparing them takes the same time for any text. */
const hash = (text: string): Uint8Array => createHash('sha256').update(text).digest();
