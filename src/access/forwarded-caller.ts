import { isIP } from 'node:net';
import { plainAddress } from './caller.ts';

/** What a request tells about where it comes from. */
type Connection = { caller?(): string | undefined; header(name: string): string | null };

/**
 * Address of the caller, for the rate limits: the other end of the connection or, if that is a trusted proxy, the address the proxy saw. Each
 * proxy appends the address it saw to `X-Forwarded-For`, so the last entry that is no trusted proxy is the caller; callers can write
 * anything before it. If that entry is no address, the caller is not known and the proxy itself is counted.
 */
export function callerThrough(trusted: readonly string[]): (request: Connection) => string {
  const proxies = new Set(trusted.map(plainAddress));
  if (proxies.size === 0) return (request) => request.caller?.() ?? '';
  return (request) => {
    const peer = plainAddress(request.caller?.() ?? '');
    if (!proxies.has(peer)) return peer;
    const entries = (request.header('x-forwarded-for') ?? '').split(',').slice(-maxEntries);
    for (const entry of entries.reverse()) {
      const address = addressIn(entry.trim());
      if (address === undefined) return peer;
      if (!proxies.has(address)) return address;
    }
    return peer;
  };
}

const maxEntries = 32;

/** The address of an entry, which some proxies write with a port: `192.0.2.1:1234`, `[2001:db8::1]:1234`, `[2001:db8::1]`. */
function addressIn(entry: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^[\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? [];
  const address = bracketed ?? dotted ?? entry;
  return isIP(address) === 0 ? undefined : plainAddress(address);
}
