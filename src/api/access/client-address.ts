import { ipVersion } from '../../base/bytes/runtime-modules.ts';

/**
 * The client that requests from an address are counted for. One customer of an IPv6 network usually has a whole /64 of addresses, so a /64 is
 * one client. An IPv4-mapped IPv6 address counts as the IPv4 address.
 */
export function clientOfAddress(address: string): string {
  const bare = removeZone(address);
  if (ipVersion(bare) !== 6) return bare.slice(0, maxLength);
  const groups = groupsOf(bare);
  return mappedIPv4(groups) ?? `${hex(groups.slice(0, 4))}::/64`;
}

/** The canonical spelling of an address: IPv4-mapped IPv6 as IPv4, IPv6 as eight groups without leading zeros. Other text is unchanged. */
export function canonicalAddress(address: string): string {
  const bare = removeZone(address);
  if (ipVersion(bare) !== 6) return bare;
  const groups = groupsOf(bare);
  return mappedIPv4(groups) ?? hex(groups);
}

/** Characters. No address is longer; other text is cut. */
const maxLength = 64;

const removeZone = (address: string): string => address.split('%', 1)[0] ?? '';

const hex = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':');

function mappedIPv4(groups: readonly number[]): string | undefined {
  if (groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return undefined;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

/** The eight numbers of a well-formed IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const [front, back] = [readGroups(head), readGroups(tail ?? '')];
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function readGroups(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
