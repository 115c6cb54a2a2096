import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { clientOfAddress } from './client-address.ts';

test('an IPv4 address is one client, an IPv6 /64 is one client', () => {
  const cases: [string, string][] = [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:7f00:1', '127.0.0.1'],
    ['0:0:0:0:0:ffff:10.1.2.3', '10.1.2.3'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::5', '2001:db8:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['not an address', 'not an address'],
    ['x'.repeat(500), 'x'.repeat(64)],
  ];
  for (const [address, client] of cases) expect(clientOfAddress(address)).toBe(client);
});

test('all addresses of a /64 are one client, in any spelling', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 }), (address, host) => {
      const client = clientOfAddress(address);
      fc.pre(client.endsWith('/64'));
      const other = `${client.slice(0, -'::/64'.length)}:${host.map((group) => group.toString(16)).join(':')}`;
      fc.pre(clientOfAddress(other).endsWith('/64'));
      expect(clientOfAddress(other)).toBe(client);
    }),
  );
});

test('any text gives a client name of bounded length', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => expect(clientOfAddress(text).length).toBeLessThanOrEqual(64)));
});
