import { expect, test } from 'bun:test';
import { callerThrough } from './caller.ts';

const from = (peer: string | undefined, forwarded: string | null) => ({ caller: () => peer, header: () => forwarded });

test('only our own proxies are believed, and only what they saw themselves', () => {
  const of = callerThrough(new Set(['10.0.0.1', '10.0.0.2']));
  expect(of(from('192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1');
  expect(of(from('10.0.0.1', '198.51.100.7'))).toBe('198.51.100.7');
  expect(of(from('::ffff:10.0.0.1', '203.0.113.9, 198.51.100.7, 10.0.0.2'))).toBe('198.51.100.7');
  expect(of(from('10.0.0.1', 'nonsense'))).toBe('10.0.0.1');
  expect(of(from('10.0.0.1', null))).toBe('10.0.0.1');
  expect(of(from(undefined, null))).toBe('');
  expect(of(from('10.0.0.1', ` 2001:db8::1 `))).toBe('2001:db8::1');
  expect(of(from('10.0.0.1', `${'1.1.1.1,'.repeat(10_000)}2.2.2.2`))).toBe('2.2.2.2');
});
