import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { type IpRange, unmapIp } from '../../../base/bytes/ip-address.ts';
import { bunFfi } from '../../../base/bytes/runtime-modules.ts';
import { attempt } from '../../../base/fault.ts';
import { type ConnectionLimit, countHandles, type OpenConnection, selectExcess } from '../connection-limit.ts';
import { findCLibrary } from '../init-process.ts';

/**
 * Keeps the connections of a port within a limit, on Linux. Bun accepts every connection, tells nobody before its first request, and tries without
 * pause once the process has no handle left. So the handles are counted every 20 ms to 1 s, the more often the fewer are left, and connections above
 * the limit are shut down, after which Bun closes them. Returns a function that ends it.
 */
export function guardConnections(port: number, limit: ConnectionLimit, proxies: readonly IpRange[]): () => void {
  // With this handle in reserve the list of handles can be read when there is no other.
  let spare = attempt(openSpare);
  let calls: SocketCalls | undefined;
  let timer: ReturnType<typeof setTimeout>;
  const closeExcess = (open: number): void => {
    if (spare !== undefined) closeSync(spare);
    spare = undefined;
    calls ??= loadSocketCalls();
    const handles = readdirSync('/proc/self/fd').map(Number);
    spare = attempt(openSpare);
    const connections = handles.flatMap((handle) => calls?.describe(handle, port) ?? []);
    const { ofAddress, ofAll } = selectExcess(connections, limit.maxPerAddress, proxies, open - limit.maxHandles);
    for (const connection of ofAddress) limit.count(connection);
    for (const _ of ofAll) limit.count('all');
    for (const { handle } of [...ofAddress, ...ofAll]) calls.shutDown(handle);
  };
  const look = (): void => {
    const began = performance.now();
    const open = countHandles();
    try {
      if (open - limit.ownHandles > limit.maxPerAddress) closeExcess(open);
    } catch (error) {
      limit.fail(error);
    }
    const wait = Math.min(maxWait, Math.max(minWait, (limit.maxHandles - open) / handlesPerMillisecond));
    timer = setTimeout(look, Math.max(wait, (performance.now() - began) * 20));
    timer.unref();
  };
  look();
  return () => {
    clearTimeout(timer);
    if (spare !== undefined) closeSync(spare);
  };
}

const openSpare = (): number => openSync('/dev/null', 'r');

/** Milliseconds between two counts, and connections that may be accepted in one. */
const [minWait, maxWait] = [20, 1000];
const handlesPerMillisecond = 50;

type Connection = OpenConnection & { readonly handle: number };

type SocketCalls = ReturnType<typeof loadSocketCalls>;

/** Loads what the C library knows about sockets. */
function loadSocketCalls() {
  const ffi = bunFfi() as NonNullable<ReturnType<typeof bunFfi>>;
  const { symbols } = ffi.dlopen(findCLibrary(readFileSync('/proc/self/maps', 'utf8')), {
    getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    shutdown: { args: ['i32', 'i32'], returns: 'i32' },
  });
  const bytes = new Uint8Array(256);
  const view = new DataView(bytes.buffer);
  const size = new Uint32Array(1);
  const reset = (): Uint32Array => {
    bytes.fill(0);
    size[0] = bytes.length;
    return size;
  };
  /** Milliseconds since the last byte; 0 where TCP_INFO is not known. */
  const readIdle = (handle: number): number =>
    symbols.getsockopt(handle, tcpLevel, tcpInfo, bytes, reset()) === 0
      ? Math.min(view.getUint32(lastDataSent, true), view.getUint32(lastDataReceived, true))
      : 0;
  return {
    /** The connection of a handle; undefined if it is none of this port. */
    describe: (handle: number, port: number): Connection | undefined => {
      if (symbols.getsockname(handle, bytes, reset()) !== 0 || !families.includes(view.getUint16(0, true)) || view.getUint16(2) !== port)
        return undefined;
      if (symbols.getpeername(handle, bytes, reset()) !== 0) return undefined;
      const address = view.getUint16(0, true) === ipv4 ? bytes.slice(4, 8) : unmapIp(bytes.slice(8, 24));
      return { handle, address, idle: readIdle(handle) };
    },
    shutDown: (handle: number): void => void symbols.shutdown(handle, bothDirections),
  };
}

/** Numbers of Linux: address families, and the option of a socket that tells about its TCP connection (netinet/tcp.h). */
const ipv4 = 2;
const families: readonly number[] = [ipv4, 10];
const [tcpLevel, tcpInfo] = [6, 11];
const [lastDataSent, lastDataReceived] = [44, 52];
const bothDirections = 2;
