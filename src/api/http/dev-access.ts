import { createHash, timingSafeEqual } from 'node:crypto';
import { isLocalRequest } from './local-caller.ts';
import type { HttpRequest } from './message.ts';
import type { HttpRoute } from './router.ts';

/** Who may use the routes of the developer's chain. */
export type DevAccess = Required<Pick<HttpRoute, 'isAllowed' | 'refusal'>>;

/**
 * Without a token: programs on this machine, see local-caller.ts. With one: callers that send it, from anywhere. A request without a socket
 * was relayed by another process of this node, which has checked it already (see app/workers/relay.ts).
 */
export function createDevAccess(token: string | undefined): DevAccess {
  if (token === undefined) return { isAllowed: isLocalRequest, refusal: 'this caller is not allowed here\n' };
  const expected = hash(token);
  return {
    isAllowed: (request: HttpRequest) =>
      request.remoteAddress === undefined || timingSafeEqual(hash(readToken(request.header('authorization') ?? '')), expected),
    refusal: 'this caller is not allowed here: send the header "Authorization: Bearer T" with the T of --dev-token\n',
  };
}

/** The token of an Authorization header; empty if there is none. The name of the scheme may be in lower case: RFC 9110, 11.1. */
const readToken = (header: string): string => /^bearer +(\S+)$/i.exec(header)?.[1] ?? '';

/** Hashes have equal lengths, so that comparing them takes the same time for any text. */
const hash = (text: string): Uint8Array => createHash('sha256').update(text).digest();
