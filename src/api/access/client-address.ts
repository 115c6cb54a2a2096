import { ipText, parseIp } from '../../base/bytes/ip-address.ts';

/**
 * The client that requests from an address are counted for. One customer of an IPv6 network usually has a whole /64 of addresses, so a /64 is
 * one client. An IPv4-mapped IPv6 address counts as the IPv4 address.
 */
export function clientOfAddress(address: string): string {
  // Without a colon it is an IPv4 address, as most are, or other text.
  const ip = address.includes(':') ? parseIp(removeZone(address)) : undefined;
  if (ip === undefined) return removeZone(address).slice(0, maxLength);
  return ip.length === 4 ? ipText(ip) : `${ipText(ip.map((byte, i) => (i < 8 ? byte : 0)))}/64`;
}

/**
 * The network whose clients together are admitted `networkShare` times what one client is: the /48 of an IPv6 address, since many providers let one
 * customer have up to that much. Undefined for other addresses.
 */
export function networkOfAddress(address: string): string | undefined {
  const ip = address.includes(':') ? parseIp(removeZone(address)) : undefined;
  return ip?.length === 16 ? `${ipText(ip.map((byte, i) => (i < 6 ? byte : 0)))}/48` : undefined;
}

export const networkShare = 8;

/** Characters. No address is longer; other text is cut. */
const maxLength = 64;

/** An address without its zone, such as `%eth0`. */
export const removeZone = (address: string): string => address.split('%', 1)[0] ?? '';
