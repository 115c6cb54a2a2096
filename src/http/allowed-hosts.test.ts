import { expect, test } from 'bun:test';
import { hostCheck } from './allowed-hosts.ts';

test('addresses, nothing, and listed names pass', () => {
  const isAllowed = hostCheck(['localhost', 'Node.Example']);
  for (const host of [
    'localhost',
    'LOCALHOST:9650',
    'localhost:',
    'node.example:1',
    '127.0.0.1',
    '10.0.0.1:9650',
    '[::1]:9650',
    '::1',
    '',
    null,
  ])
    expect([host, isAllowed(host)]).toEqual([host, true]);
  // As the peer has it, an IPv6 address in brackets passes only with a port.
  for (const host of [
    'evil.example',
    'localhost.evil',
    'localhost:1:2',
    '[localhost]',
    '[::1]',
    '[fe80::1%eth0]:1',
    ':9650',
    '1.2.3',
    '01.2.3.4',
    ' localhost',
    'a/b',
  ])
    expect([host, isAllowed(host)]).toEqual([host, false]);
});

test('a star lets every name pass, an empty list none', () => {
  expect(hostCheck(['a', '*'])('evil.example')).toBe(true);
  expect(hostCheck([])('localhost')).toBe(false);
  expect(hostCheck([])('127.0.0.1')).toBe(true);
});

test('a good host does not vouch for the next', () => {
  const isAllowed = hostCheck(['localhost']);
  expect(['localhost', 'evil', '', 'localhost', 'evil'].map(isAllowed)).toEqual([true, false, true, true, false]);
});
