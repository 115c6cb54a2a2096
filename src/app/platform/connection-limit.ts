import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type IpRange, ipText, isInRange } from '../../base/bytes/ip-address.ts';
import { attempt } from '../../base/fault.ts';
import type { Outcome } from '../../base/health/result.ts';

/**
 * How many connections the servers of this process may have, from the number of files and sockets (handles) that the system lets it open. Without
 * handles a process cannot accept connections, nor start another process, nor open a file. The limits are enforced by bun/connection-guard.ts and
 * node/serve.ts, which close connections and record each one here.
 */
export type ConnectionLimit = ReturnType<typeof createConnectionLimit>;

/** The handles that a process may have open, and has; undefined where the system does not say it: only Linux does. */
export type HandleCounts = { readonly limit: number; readonly open: number };

export function readHandles(): HandleCounts | undefined {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(attempt(() => readFileSync('/proc/self/limits', 'utf8')) ?? '') ?? [];
  return limit === undefined ? undefined : { limit: Number(limit), open: countHandles() };
}

/** Handles that are open. Since Linux 6.2 it is the size of the folder; listing it needs a handle itself. */
export const countHandles = (): number => statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length;

/** Milliseconds between two log lines about the same limit. */
const lineInterval = 60_000;

/** Milliseconds until the health check succeeds again, after the last connection was closed because there were too many in all. */
const recovery = 10_000;

/** Milliseconds between two calls of the listener of `onChange`, while connections are being closed. */
const listenInterval = 1000;

/** `handles`: before there are connections. `now` and `after`: milliseconds of a clock that never goes back. */
export function createConnectionLimit(
  handles: HandleCounts,
  log: (line: string, level: 'warn') => void,
  now: () => number,
  after: (ms: number, run: () => void) => unknown,
) {
  /** Handles that connections do not get: for files, processes, peers and databases. */
  const reserve = Math.min(256, Math.max(16, Math.floor(handles.limit / 4)));
  const max = Math.max(8, handles.limit - reserve - handles.open);
  // A proxy that is not named with --trusted-proxies has the connections of many clients.
  const maxPerAddress = Math.max(4, Math.floor(max / 2));
  const remedy = `this process may have ${handles.limit} files and sockets open; raise that limit (ulimit -n) to allow more`;
  const effect = `those without traffic for longest are closed; ${remedy}`;
  const lineAt = new Map<string, number>();
  const logOnce = (kind: 'address' | 'all' | 'failure', text: string): void => {
    if (now() - (lineAt.get(kind) ?? Number.NEGATIVE_INFINITY) < lineInterval) return;
    lineAt.set(kind, now());
    log(text, 'warn');
  };
  let closed = 0;
  let closedAt = Number.NEGATIVE_INFINITY;
  let fullAt = Number.NEGATIVE_INFINITY;
  let listener = (): void => {};
  let isNotifying = false;
  /** Calls the listener every second, until the health check has succeeded again. */
  const notify = (): void => {
    listener();
    isNotifying = now() - closedAt < recovery + listenInterval;
    if (isNotifying) after(listenInterval, notify);
  };
  return {
    max,
    maxPerAddress,
    /** Handles that may be open before connections are closed, and those that were open at the start. */
    maxHandles: handles.limit - reserve,
    ownHandles: handles.open,
    /** Records that a connection was closed: its address has too many, or all addresses together have. */
    count: (reason: { readonly address: Uint8Array } | 'all'): void => {
      closed++;
      closedAt = now();
      if (reason === 'all') {
        fullAt = now();
        logOnce('all', `there are more than ${max} connections; ${effect}`);
      } else logOnce('address', `${ipText(reason.address)} has more than ${maxPerAddress} connections; ${effect}`);
      if (isNotifying) return;
      isNotifying = true;
      after(0, notify);
    },
    /** Logs that the limit could not be enforced. */
    fail: (error: unknown): void => logOnce('failure', `cannot limit the number of connections: ${error}`),
    /** Health check: fails while all connections are in use. One address alone cannot make it fail. */
    check: (): Outcome => {
      const details = { max, maxPerAddress, closed, handles: handles.limit };
      return { details, error: now() - fullAt < recovery ? `all ${max} connections are in use: ${remedy}` : undefined };
    },
    /** Sets the function that is called when the result of the check may have changed. */
    onChange: (called: () => void): void => {
      listener = called;
    },
  };
}

/** The addresses that count as one: an IPv4 address, or the /64 of an IPv6 address, which one host may have as a whole. */
export const addressGroup = (ip: Uint8Array): string => (ip.length === 4 ? ip : ip.subarray(0, 8)).join('.');

/** Whether an address is that of a trusted proxy: it has the connections of all clients, and only the limit of all addresses holds for it. */
export const isProxy = (ip: Uint8Array, proxies: readonly IpRange[]): boolean => proxies.some((range) => isInRange(ip, range));

/** An open connection. `idle`: milliseconds since the last byte in either direction. */
export type OpenConnection = { readonly address: Uint8Array; readonly idle: number };

/**
 * Returns the connections to close: of each address those above its limit, and of all others so many that `excess` are closed. Those that were
 * idle for longest come first, so a client that sends requests keeps its connection, although others hold connections that they do not use.
 */
export function selectExcess<C extends OpenConnection>(
  connections: readonly C[],
  maxPerAddress: number,
  proxies: readonly IpRange[],
  excess: number,
): { readonly ofAddress: readonly C[]; readonly ofAll: readonly C[] } {
  const byIdle = [...connections].sort((a, b) => b.idle - a.idle);
  const counts = new Map<string, number>();
  for (const { address } of byIdle) counts.set(addressGroup(address), (counts.get(addressGroup(address)) ?? 0) + 1);
  const ofAddress = byIdle.filter(({ address }) => {
    const group = addressGroup(address);
    const count = counts.get(group) ?? 0;
    if (count <= maxPerAddress || isProxy(address, proxies)) return false;
    counts.set(group, count - 1);
    return true;
  });
  const others = new Set(byIdle);
  for (const connection of ofAddress) others.delete(connection);
  return { ofAddress, ofAll: [...others].slice(0, Math.max(0, excess - ofAddress.length)) };
}
