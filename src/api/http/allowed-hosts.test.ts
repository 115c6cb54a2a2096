import { expect, test } from 'bun:test';
import { createHostCheck } from './allowed-hosts.ts';

test('IP addresses, an empty or missing Host, and listed names are allowed', () => {
  const isAllowed = createHostCheck(['localhost', 'Node.Example']);
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
  // As in AvalancheGo, an IPv6 address in brackets is allowed only with a port.
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

test('`*` allows every name, an empty list none', () => {
  expect(createHostCheck(['a', '*'])('evil.example')).toBe(true);
  expect(createHostCheck([])('localhost')).toBe(false);
  expect(createHostCheck([])('127.0.0.1')).toBe(true);
});

test('a rejected host stays rejected after an allowed one', () => {
  const isAllowed = createHostCheck(['localhost']);
  expect(['localhost', 'evil', '', 'localhost', 'evil'].map(isAllowed)).toEqual([true, false, true, true, false]);
});
