import { isIP } from 'node:net';

/**
 * Whether a request may name this host: an address, nothing at all, or a listed name, so that no foreign page can reach
 * the node under a name of its own (DNS rebinding). Peer: api/server/allowed_hosts.go.
 */
export function hostCheck(allowed: readonly string[]): (host: string | null) => boolean {
  if (allowed.includes('*')) return () => true;
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  // Callers keep naming the same host; the last good one is remembered.
  let known = '';
  return (header) => {
    if (header === null || header === '' || header === known) return true;
    const host = withoutPort(header);
    const isAllowed = isAddress(host) || names.has(host.toLowerCase());
    if (isAllowed) known = header;
    return isAllowed;
  };
}

/** The host before a port, by the rules of Go's net.SplitHostPort; what breaks them is taken whole. */
export function withoutPort(header: string): string {
  const found = /^(?:\[([^[\]]*)\]|([^:[\]]*)):[^:[\]]*$/.exec(header);
  return found === null ? header : (found[1] ?? found[2] ?? '');
}

/** Go's net.ParseIP knows no zones. */
const isAddress = (host: string): boolean => isIP(host) !== 0 && !host.includes('%');
