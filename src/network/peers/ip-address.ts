import { ipText, parseIp } from '../../base/bytes/ip-address.ts';

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
