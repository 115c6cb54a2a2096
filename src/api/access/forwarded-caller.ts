import { type IpRange, ipText, isInRange, parseIp, parseIpRange } from '../../base/bytes/ip-address.ts';
import { removeZone } from './client-address.ts';

/** The part of a request that the caller's address is read from. */
type Connection = { remoteAddress?(): string | undefined; header(name: string): string | null };

/**
 * Returns a function that gives the caller's address, for the rate limits: the remote address of the connection or, if that is in a range of
 * trusted proxies, the address the proxy saw. Each proxy appends the address it saw to `X-Forwarded-For`, so the last entry that is not a
 * trusted proxy is the caller. Entries before it can be forged and are ignored. If that entry is not an IP address, the address of the proxy is
 * returned.
 */
export function createCallerResolver(trusted: readonly string[]): (request: Connection) => string {
  const ranges = trusted.map((text) => parseIpRange(text) as IpRange);
  if (ranges.length === 0) return (request) => request.remoteAddress?.() ?? '';
  const isProxy = (ip: Uint8Array): boolean => ranges.some((range) => isInRange(ip, range));
  return (request) => {
    const text = request.remoteAddress?.() ?? '';
    const remote = parseIp(removeZone(text));
    if (remote === undefined) return text;
    if (!isProxy(remote)) return ipText(remote);
    const entries = (request.header('x-forwarded-for') ?? '').split(',').slice(-maxEntries);
    for (const entry of entries.reverse()) {
      const ip = readEntry(entry.trim());
      if (ip === undefined) break;
      if (!isProxy(ip)) return ipText(ip);
    }
    return ipText(remote);
  };
}

const maxEntries = 32;

/** The address in an entry of `X-Forwarded-For`. Some proxies add a port: `192.0.2.1:1234`, `[2001:db8::1]:1234`, `[2001:db8::1]`. */
function readEntry(entry: string): Uint8Array | undefined {
  const [, bracketed, dotted] = /^(?:\[([^[\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? [];
  return parseIp(removeZone(bracketed ?? dotted ?? entry));
}
