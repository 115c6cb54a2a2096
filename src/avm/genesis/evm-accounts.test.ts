import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { parseEvmAccounts } from './evm-accounts.ts';

const one = '8db97c7cece249c2b98bdc0226cc4c2a57bf52fc' as Address;
const two = '01'.repeat(20) as Address;

test('balances in hex or decimal, addresses with or without 0x, in any case', () => {
  const alloc = { [`0X${one.toUpperCase()}`]: { balance: '0x295BE96E64066972000000', nonce: '0x2' }, [two]: { balance: '17' } };
  expect([...(parseEvmAccounts(JSON.stringify({ config: {}, alloc })) ?? [])]).toEqual([
    [one, { balance: 50_000_000_000_000_000_000_000_000n, nonce: 2n }],
    [two, { balance: 17n, nonce: 0n }],
  ]);
  expect(parseEvmAccounts(`{"alloc":{"${two}":{"balance":9007199254740993}}}`)?.get(two)?.balance).toBe(9_007_199_254_740_993n);
  expect(parseEvmAccounts('{}')?.size).toBe(0);
});

test.each([
  '',
  '{',
  '[]',
  '"x"',
  '{"alloc":[]}',
  '{"alloc":{"12":{}}}',
  `{"alloc":{"${two}":{"balance":"much"}}}`,
  `{"alloc":{"${two}":7}}`,
])('undefined for accounts that cannot be read: %s', (text) => expect(parseEvmAccounts(text)).toBeUndefined());
