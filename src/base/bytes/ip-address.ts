import { concat, equal } from './octets.ts';
import { ipVersion } from './runtime-modules.ts';

const mappedPrefix = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

/** An IPv4 address of 4 bytes as IPv4-mapped IPv6; every other one unchanged. */
export const mapIp = (ip: Uint8Array): Uint8Array => (ip.length === 4 ? concat([mappedPrefix, ip]) : ip);

/** An IPv4-mapped IPv6 address as IPv4; every other one unchanged. */
export const unmapIp = (ip: Uint8Array): Uint8Array =>
  ip.length === 16 && equal(ip.subarray(0, mappedPrefix.length), mappedPrefix) ? ip.subarray(mappedPrefix.length) : ip;

/** The bytes of an IP address in text, 4 or 16; undefined if it is none. IPv4-mapped IPv6 becomes IPv4. */
export function parseIp(text: string): Uint8Array | undefined {
  if (ipVersion(text) === 4) return Uint8Array.from(text.split('.').map(Number));
  if (ipVersion(text) !== 6 || text.includes('%')) return undefined;
  // Not with the URL parser: that of Bun refuses some addresses that end as IPv4.
  const [head = [], tail = []] = text.split('::').map(readGroups);
  const groups = [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return unmapIp(Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff])));
}

/** Groups of hex digits; the last one may be an IPv4 address, which has two. */
function readGroups(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/** An IP address as text, as Go writes it. */
export function ipText(ip: Uint8Array): string {
  if (ip.length === 4) return ip.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => (((ip[2 * i] as number) << 8) | (ip[2 * i + 1] as number)).toString(16));
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}

/** The addresses that begin with the same bits as `first`. */
export type IpRange = { readonly first: Uint8Array; readonly bits: number };

/** A range as `10.0.0.0/8` or `2001:db8::/32`, or a single address; undefined for other text. */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const first = parseIp(address);
  if (first === undefined || rest.length > 0) return undefined;
  const bits = length === undefined ? 8 * first.length : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  return bits >= 0 && bits <= 8 * first.length ? { first, bits } : undefined;
}

/** Whether an address is in a range. IPv4 addresses are in ranges of IPv4 only. */
export function isInRange(ip: Uint8Array, { first, bits }: IpRange): boolean {
  if (ip.length !== first.length) return false;
  const whole = bits >> 3;
  for (let i = 0; i < whole; i++) if (ip[i] !== first[i]) return false;
  const shift = 8 - (bits & 7);
  return shift === 8 || (ip[whole] as number) >> shift === (first[whole] as number) >> shift;
}

/** Whether an address is this machine: 127.0.0.0/8 or ::1. */
export const isLoopbackIp = (ip: Uint8Array): boolean =>
  ip.length === 4 ? ip[0] === 127 : ip.every((byte, i) => byte === (i === 15 ? 1 : 0));

/** Whether a host is this machine: `localhost` or a loopback address, also as IPv4-mapped IPv6. */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const ip = parseIp(host);
  return ip !== undefined && isLoopbackIp(ip);
}

/** Address and port, as Go's netip.AddrPort writes them. */
export const endpointText = (ip: string, port: number): string => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`;

/** A remote address of a socket, with IPv4-mapped IPv6 as IPv4. */
export function remoteText(ip: string): string {
  const bytes = parseIp(ip.split('%')[0] as string);
  return bytes === undefined ? ip : ipText(bytes);
}

/** Whether an address is a public unicast address. AvalancheGo: utils/ips/ip.go, IsPublic. */
export function isPublicIp(ip: Uint8Array): boolean {
  const [a = 0, b = 0] = ip;
  if (ip.length === 4)
    return !(
      ip.every((byte) => byte === 0) ||
      ip.every((byte) => byte === 255) ||
      a === 127 ||
      (a >= 224 && a <= 239) ||
      (a === 169 && b === 254) ||
      a === 10 ||
      (a === 172 && b >= 16 && b <= 31) ||
      (a === 192 && b === 168)
    );
  const isLast = (value: number) => ip.subarray(0, 15).every((byte) => byte === 0) && ip[15] === value;
  return !(isLast(0) || isLast(1) || a === 0xff || (a === 0xfe && (b & 0xc0) === 0x80) || (a & 0xfe) === 0xfc);
}
