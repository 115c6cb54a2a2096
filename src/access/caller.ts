import { isIPv6 } from 'node:net';

/**
 * Who is counted under an address. One customer of an IPv6 network has a whole /64 of addresses, so those are one caller; an IPv4 address in
 * IPv6 clothes is the IPv4 address.
 */
export function callerOf(address: string): string {
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return bare.slice(0, longest);
  const groups = groupsOf(bare);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** No address is longer; whatever else comes is cut. */
const longest = 64;

/** The eight numbers of a well-formed IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const [front, back] = [numbersOf(head), numbersOf(tail ?? '')];
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function numbersOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
