import { expect, test } from 'bun:test';
import { createCallerResolver } from './forwarded-caller.ts';

const requestFrom = (remote: string | undefined, forwarded: string | null) => ({ remoteAddress: () => remote, header: () => forwarded });

test('X-Forwarded-For is used only from trusted proxies, and only the entry that a trusted proxy appended', () => {
  const callerOf = createCallerResolver(['10.0.0.1', '10.0.0.2', '2001:DB8::7']);
  expect(callerOf(requestFrom('192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1');
  expect(callerOf(requestFrom('10.0.0.1', '198.51.100.7'))).toBe('198.51.100.7');
  expect(callerOf(requestFrom('::ffff:10.0.0.1', '203.0.113.9, 198.51.100.7, 10.0.0.2'))).toBe('198.51.100.7');
  expect(callerOf(requestFrom('2001:db8:0:0::7', '203.0.113.9, ::FFFF:10.0.0.2'))).toBe('203.0.113.9');
  expect(callerOf(requestFrom('10.0.0.1', null))).toBe('10.0.0.1');
  expect(callerOf(requestFrom(undefined, null))).toBe('');
  expect(callerOf(requestFrom('10.0.0.1', ` 2001:db8::1 `))).toBe('2001:db8::1');
  expect(callerOf(requestFrom('10.0.0.1', `${'1.1.1.1,'.repeat(10_000)}2.2.2.2`))).toBe('2.2.2.2');
});

test('a port in an entry is ignored', () => {
  const callerOf = createCallerResolver(['10.0.0.1', '10.0.0.2', '2001:db8::7']);
  const cases: [string, string][] = [
    ['203.0.113.9, 198.51.100.7:1234', '198.51.100.7'],
    ['203.0.113.9, 198.51.100.7:1234, 10.0.0.2:80', '198.51.100.7'],
    ['203.0.113.9, [2001:db8::9]:1234', '2001:db8::9'],
    ['203.0.113.9, [2001:db8::9]', '2001:db8::9'],
    ['203.0.113.9, 198.51.100.7, [2001:db8::7]:443', '198.51.100.7'],
    ['203.0.113.9, [::ffff:198.51.100.7]:1', '198.51.100.7'],
  ];
  for (const [forwarded, caller] of cases) expect([forwarded, callerOf(requestFrom('10.0.0.1', forwarded))]).toEqual([forwarded, caller]);
});

test('if the last entry is not an address, the proxy address is used, and never an earlier entry', () => {
  const callerOf = createCallerResolver(['10.0.0.1']);
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
    expect([last, callerOf(requestFrom('10.0.0.1', `203.0.113.9, ${last}`))]).toEqual([last, '10.0.0.1']);
});

test('without trusted proxies the header is not read', () => {
  const unread = () => {
    throw new Error('read');
  };
  expect(createCallerResolver([])({ remoteAddress: () => '192.0.2.1', header: unread })).toBe('192.0.2.1');
});

test('a range of trusted proxies: every address of it, and no other', () => {
  const callerOf = createCallerResolver(['10.1.0.0/16', '2001:db8:7::/48', '192.0.2.128/25']);
  const cases: [string, string, string][] = [
    ['10.1.255.3', '198.51.100.7', '198.51.100.7'],
    ['10.2.0.1', '198.51.100.7', '10.2.0.1'],
    ['::ffff:10.1.0.9', '203.0.113.9, 198.51.100.7, 10.1.200.200', '198.51.100.7'],
    ['192.0.2.200', '198.51.100.7, 192.0.2.127', '192.0.2.127'],
    ['2001:db8:7:8::1', '203.0.113.9, 2001:db8:8::1, 2001:db8:7::ffff', '2001:db8:8::1'],
  ];
  for (const [remote, forwarded, caller] of cases) expect(callerOf(requestFrom(remote, forwarded))).toBe(caller);
});
