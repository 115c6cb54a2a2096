import { ipVersion } from '../../base/bytes/runtime-modules.ts';
import { unmapIp } from '../protocol/signed-ip.ts';

/** The bytes of an IP address in text, 4 or 16; undefined if it is none. IPv4-mapped IPv6 becomes IPv4. */
export function parseIp(text: string): Uint8Array | undefined {
  if (ipVersion(text) === 4) return Uint8Array.from(text.split('.').map(Number));
  if (ipVersion(text) !== 6 || text.includes('%')) return undefined;
  // The URL parser writes an IPv6 address as groups of hex digits, and the end of an IPv4-mapped one too.
  const groups = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const [head = [], tail = []] = groups.map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  const all = [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return unmapIp(Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff])));
}

/** An IP address as text, as Go writes it. */
export function ipText(ip: Uint8Array): string {
  if (ip.length === 4) return ip.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => (((ip[2 * i] as number) << 8) | (ip[2 * i + 1] as number)).toString(16));
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
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
