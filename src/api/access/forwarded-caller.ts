import { ipVersion } from '../../base/bytes/runtime-modules.ts';
import { canonicalAddress } from './client-address.ts';

/** The part of a request that the caller's address is read from. */
type Connection = { remoteAddress?(): string | undefined; header(name: string): string | null };

/**
 * Returns a function that gives the caller's address, for the rate limits: the remote address of the connection or, if that is a trusted
 * proxy, the address the proxy saw. Each proxy appends the address it saw to `X-Forwarded-For`, so the last entry that is not a trusted proxy is
 * the caller. Entries before it can be forged and are ignored. If that entry is not an IP address, the address of the proxy is returned.
 */
export function createCallerResolver(trusted: readonly string[]): (request: Connection) => string {
  const proxies = new Set(trusted.map(canonicalAddress));
  if (proxies.size === 0) return (request) => request.remoteAddress?.() ?? '';
  return (request) => {
    const remote = canonicalAddress(request.remoteAddress?.() ?? '');
    if (!proxies.has(remote)) return remote;
    const entries = (request.header('x-forwarded-for') ?? '').split(',').slice(-maxEntries);
    for (const entry of entries.reverse()) {
      const address = readEntry(entry.trim());
      if (address === undefined) return remote;
      if (!proxies.has(address)) return address;
    }
    return remote;
  };
}

const maxEntries = 32;

/** The address in an entry of `X-Forwarded-For`. Some proxies add a port: `192.0.2.1:1234`, `[2001:db8::1]:1234`, `[2001:db8::1]`. */
function readEntry(entry: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^[\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? [];
  const address = bracketed ?? dotted ?? entry;
  return ipVersion(address) === 0 ? undefined : canonicalAddress(address);
}
