import { type IpRange, isInRange, isLoopbackIp, parseIp, parseIpRange } from '../../base/bytes/ip-address.ts';
import { ipVersion } from '../../base/bytes/runtime-modules.ts';
import { webhookLimits } from '../contract/webhook-schemas.ts';
import { WebhookError } from './fault.ts';

/** Which addresses requests may go to: `public` ones; also those of this machine (`loopback`); any (`private`). */
export type TargetPolicy = 'public' | 'loopback' | 'private';

/**
 * Reads the URL of a webhook. Throws a `WebhookError` unless it is http or https without credentials, and, if its host is an IP address,
 * unless the policy allows that. A host name is checked when it is resolved, before every request (`checkTargetAddress`).
 */
export function parseTarget(text: string, policy: TargetPolicy): URL {
  const bad = (reason: string) => new WebhookError(`url ${reason}`, { code: 'WEBHOOK_BAD_URL', url: text.slice(0, webhookLimits.url) });
  if (text.length > webhookLimits.url) throw bad(`must not be longer than ${webhookLimits.url} characters`);
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw bad('must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw bad('must not contain a user name or password');
  const host = hostOf(url);
  if (host === '') throw bad('must have a host');
  if (ipVersion(host) !== 0) checkTargetAddress(host, host, policy);
  // Names that no public DNS may resolve to another machine: RFC 6761, 6.3.
  else if (policy === 'public' && /(^|\.)localhost\.?$/.test(host)) throw privateTarget(host, 'this machine');
  return url;
}

/** The host of a URL, an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

/** Throws a `WebhookError` if requests to an address are not allowed. */
export function checkTargetAddress(host: string, address: string, policy: TargetPolicy): void {
  if (policy === 'private') return;
  const ip = parseIp(address);
  if (ip !== undefined && (isPublicAddress(ip) || (policy === 'loopback' && isLoopbackIp(ip)))) return;
  throw privateTarget(host, address);
}

const privateTarget = (host: string, address: string) =>
  new WebhookError(
    `${host}${host === address ? '' : ` (${address})`} is not a public address: this server sends no requests to private ones; its operator allows them with --webhook-private-targets`,
    { code: 'WEBHOOK_PRIVATE_TARGET', host, address },
  );

/**
 * Ranges of IPv4 that are not on the public Internet: IANA's registry of special-purpose addresses, multicast and reserved; and 168.63.129.16, at
 * which every virtual machine of Azure reaches services of its host.
 */
const privateRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
].map((text) => parseIpRange(text) as IpRange);

/**
 * Whether an address is on the public Internet. Of IPv6 only global unicast is (2000::/3), without documentation (2001:db8::/32, 3fff::/20),
 * protocol assignments with Teredo (2001::/23) and 6to4 (2002::/16), whose addresses contain an IPv4 address.
 */
function isPublicAddress(ip: Uint8Array): boolean {
  if (ip.length === 4) return !privateRanges.some((range) => isInRange(ip, range));
  const [a = 0, b = 0, c = 0, d = 0] = ip;
  if (a >> 5 !== 1) return false;
  if (a === 0x20 && b === 0x01) return !(c <= 1 || (c === 0x0d && d === 0xb8));
  return !(a === 0x20 && b === 0x02) && !(a === 0x3f && b === 0xff && c >> 4 === 0);
}

/** The policy for the webhooks of an API key: who has the key may be on another machine, so "this machine" is not theirs. */
export const policyForOwner = (policy: TargetPolicy, owner: string | undefined): TargetPolicy =>
  owner !== undefined && policy === 'loopback' ? 'public' : policy;
