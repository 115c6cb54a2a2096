import { expect, test } from 'bun:test';
import { camelCase, nodeFlags } from './options-config.ts';

test('options are the flags of a chain, without those of processes, ports, keys and the program', () => {
  const names = nodeFlags.map(([name]) => name);
  for (const name of ['accounts', 'data-dir', 'network-id']) expect(names).toContain(name);
  for (const name of ['workers', 'http-port', 'data-port', 'metrics-port', 'database-url', 'help', 'config', 'json'])
    expect(names).not.toContain(name);
  expect(nodeFlags.filter(([, { group }]) => group === 'Program' || group === 'Keys')).toEqual([]);
  expect(camelCase('max-tx-fee')).toBe('maxTxFee');
});
