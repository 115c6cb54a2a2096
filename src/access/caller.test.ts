import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { callerOf } from './caller.ts';

test('an IPv4 address is itself, an IPv6 address its /64', () => {
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
  for (const [address, caller] of cases) expect(callerOf(address)).toBe(caller);
});

test('all addresses of a /64 are one caller, however they are written', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 }), (address, host) => {
      const caller = callerOf(address);
      fc.pre(caller.endsWith('/64'));
      const other = `${caller.slice(0, -'::/64'.length)}:${host.map((group) => group.toString(16)).join(':')}`;
      fc.pre(callerOf(other).endsWith('/64'));
      expect(callerOf(other)).toBe(caller);
    }),
  );
});

test('any text is a caller of bounded length', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => expect(callerOf(text).length).toBeLessThanOrEqual(64)));
});
