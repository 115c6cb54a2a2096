import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ipText, isInRange, isLoopbackHost, mapIp, parseIp, parseIpRange, unmapIp } from './ip-address.ts';

const isIn = (address: string, range: string): boolean | undefined => {
  const [ip, found] = [parseIp(address), parseIpRange(range)];
  return ip === undefined || found === undefined ? undefined : isInRange(ip, found);
};

test('a range has the addresses with the same first bits', () => {
  for (const [address, range, expected] of [
    ['10.200.0.1', '10.0.0.0/8', true],
    ['11.0.0.0', '10.0.0.0/8', false],
    ['100.127.255.255', '100.64.0.0/10', true],
    ['100.128.0.0', '100.64.0.0/10', false],
    ['1.2.3.4', '1.2.3.4', true],
    ['1.2.3.5', '1.2.3.4/32', false],
    ['1.2.3.5', '0.0.0.0/0', true],
    ['2001:db8:0:1::', '2001:db8::/63', true],
    ['2001:db8:0:2::', '2001:db8::/63', false],
    ['::1', '0.0.0.0/0', false],
    ['::ffff:10.0.0.1', '10.0.0.0/8', true],
  ] as const)
    expect([address, range, isIn(address, range)]).toEqual([address, range, expected]);
});

test('other text is not a range', () => {
  for (const text of [
    '',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/1e1',
    'proxy',
    'fe80::1%eth0/64',
  ])
    expect([text, parseIpRange(text)]).toEqual([text, undefined]);
});

describe('this machine', () => {
  test('localhost and loopback addresses', () => {
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::FFFF:7f00:1'])
      expect([host, isLoopbackHost(host)]).toEqual([host, true]);
  });
  test('names and addresses that only look like them', () => {
    for (const host of ['127.example.org', '127.0.0.1.example.org', '128.0.0.1', '::', '::2', 'localhost.example.org', '', '0.0.0.0'])
      expect([host, isLoopbackHost(host)]).toEqual([host, false]);
  });
});

test('an address may end as IPv4, also one that the URL parser of Bun refuses', () => {
  expect(parseIp('::0:0:0:0:0.0.0.0')).toEqual(new Uint8Array(16));
  expect([...(parseIp('64:ff9b::1.2.3.4') as Uint8Array).subarray(12)]).toEqual([1, 2, 3, 4]);
});

test('text and bytes of an address are the same one', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const ip = parseIp(text) as Uint8Array;
      expect([...(parseIp(ipText(ip)) as Uint8Array)]).toEqual([...ip]);
      expect([...unmapIp(mapIp(ip))]).toEqual([...ip]);
    }),
  );
});
