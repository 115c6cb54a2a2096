import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ipText, parseIp } from '../../base/bytes/ip-address.ts';
import { clientOfAddress, networkOfAddress } from './client-address.ts';

test('an IPv4 address is one client, an IPv6 /64 is one client', () => {
  const cases: [string, string][] = [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:7f00:1', '127.0.0.1'],
    ['0:0:0:0:0:ffff:10.1.2.3', '10.1.2.3'],
    ['::1', '::/64'],
    ['::', '::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::5', '2001:db8::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['', ''],
    ['not an address', 'not an address'],
    ['x'.repeat(500), 'x'.repeat(64)],
  ];
  for (const [address, client] of cases) expect(clientOfAddress(address)).toBe(client);
});

test('an IPv6 address has a network, its /48; an IPv4 address and other text have none', () => {
  expect(networkOfAddress('2001:db8:1:2:3:4:5:6%eth0')).toBe('2001:db8:1::/48');
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '', 'not: an address']) expect(networkOfAddress(address)).toBeUndefined();
});

test('all addresses of a /64 are one client, in any spelling', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.uint8Array({ minLength: 8, maxLength: 8 }), (address, host) => {
      const ip = parseIp(address) as Uint8Array;
      const other = Uint8Array.of(...ip.subarray(0, 8), ...host);
      fc.pre(ip.length === 16 && parseIp(ipText(other))?.length === 16);
      expect(clientOfAddress(ipText(other))).toBe(clientOfAddress(address));
    }),
  );
});

test('any text gives a client name of bounded length', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => expect(clientOfAddress(text).length).toBeLessThanOrEqual(64)));
});
