import { ipVersion } from '../../base/bytes/runtime-modules.ts';

/**
 * Creates a check of the Host header: an IP address, an empty or missing header, or a listed name is allowed. This protects against DNS
 * rebinding, where a web page reaches the node under a host name of its own. AvalancheGo: api/server/allowed_hosts.go.
 */
export function createHostCheck(allowed: readonly string[]): (host: string | null) => boolean {
  if (allowed.includes('*')) return () => true;
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  // Clients send the same Host again and again, so the last allowed one is cached.
  let lastAllowed = '';
  return (header) => {
    if (header === null || header === '' || header === lastAllowed) return true;
    const host = stripPort(header);
    const isAllowed = isIPAddress(host) || names.has(host.toLowerCase());
    if (isAllowed) lastAllowed = header;
    return isAllowed;
  };
}

/** Removes the port by the rules of Go's net.SplitHostPort; text that does not follow them is returned unchanged. */
export function stripPort(header: string): string {
  const found = /^(?:\[([^[\]]*)\]|([^:[\]]*)):[^:[\]]*$/.exec(header);
  return found === null ? header : (found[1] ?? found[2] ?? '');
}

/** Go's net.ParseIP does not accept IPv6 zones. */
const isIPAddress = (host: string): boolean => ipVersion(host) !== 0 && !host.includes('%');
