import { expect, test } from 'bun:test';
import { callerThrough } from './forwarded-caller.ts';

const from = (peer: string | undefined, forwarded: string | null) => ({ caller: () => peer, header: () => forwarded });

test('only trusted proxies are believed, and only what they saw themselves', () => {
  const of = callerThrough(['10.0.0.1', '10.0.0.2', '2001:DB8::7']);
  expect(of(from('192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1');
  expect(of(from('10.0.0.1', '198.51.100.7'))).toBe('198.51.100.7');
  expect(of(from('::ffff:10.0.0.1', '203.0.113.9, 198.51.100.7, 10.0.0.2'))).toBe('198.51.100.7');
  expect(of(from('2001:db8:0:0::7', '203.0.113.9, ::FFFF:10.0.0.2'))).toBe('203.0.113.9');
  expect(of(from('10.0.0.1', null))).toBe('10.0.0.1');
  expect(of(from(undefined, null))).toBe('');
  expect(of(from('10.0.0.1', ` 2001:db8::1 `))).toBe('2001:db8:0:0:0:0:0:1');
  expect(of(from('10.0.0.1', `${'1.1.1.1,'.repeat(10_000)}2.2.2.2`))).toBe('2.2.2.2');
});

test('a proxy that appends a port names the same caller', () => {
  const of = callerThrough(['10.0.0.1', '10.0.0.2', '2001:db8::7']);
  const cases: [string, string][] = [
    ['203.0.113.9, 198.51.100.7:1234', '198.51.100.7'],
    ['203.0.113.9, 198.51.100.7:1234, 10.0.0.2:80', '198.51.100.7'],
    ['203.0.113.9, [2001:db8::9]:1234', '2001:db8:0:0:0:0:0:9'],
    ['203.0.113.9, [2001:db8::9]', '2001:db8:0:0:0:0:0:9'],
    ['203.0.113.9, 198.51.100.7, [2001:db8::7]:443', '198.51.100.7'],
    ['203.0.113.9, [::ffff:198.51.100.7]:1', '198.51.100.7'],
  ];
  for (const [forwarded, caller] of cases) expect([forwarded, of(from('10.0.0.1', forwarded))]).toEqual([forwarded, caller]);
});

test('what a caller wrote never counts: if the last entry is no address, the proxy is counted', () => {
  const of = callerThrough(['10.0.0.1']);
  for (const last of [
    'nonsense',
    'unknown',
    '_hidden',
    '',
    '198.51.100.7:',
    '198.51.100.7:123456',
    '1.2.3:80',
    '[198.51.100',
    'for=1.2.3.4',
    '"1.2.3.4"',
  ])
    expect([last, of(from('10.0.0.1', `203.0.113.9, ${last}`))]).toEqual([last, '10.0.0.1']);
});

test('without trusted proxies the header is not read', () => {
  const unread = () => {
    throw new Error('read');
  };
  expect(callerThrough([])({ caller: () => '192.0.2.1', header: unread })).toBe('192.0.2.1');
});
