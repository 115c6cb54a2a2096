import { isIP } from 'node:net';
import type { HttpRequest } from '../http/message.ts';

/**
 * Whose request it is, for the rate limits: the other end of the connection or, if that is a proxy of ours, whom the proxy names. Each proxy
 * adds the address it saw at the end of the list, so the last one that is no proxy of ours is the caller; what stands before it is hearsay.
 */
export const callerThrough =
  (proxies: ReadonlySet<string>) =>
  (request: Pick<HttpRequest, 'caller' | 'header'>): string => {
    const peer = plain(request.caller?.() ?? '');
    if (!proxies.has(peer)) return peer;
    const named = (request.header('x-forwarded-for') ?? '')
      .split(',')
      .slice(-maxNamed)
      .map((part) => plain(part.trim()));
    return named.findLast((address) => isIP(address) !== 0 && !proxies.has(address)) ?? peer;
  };

const maxNamed = 32;

/** An IPv4 address in its IPv6 dress is the same one. */
const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address);
