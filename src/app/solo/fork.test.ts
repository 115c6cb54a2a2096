import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { ForkError } from '../../chain/fork/fault.ts';
import type { Env } from '../platform/env.ts';
import { fetchFirstCopies } from './fork.ts';

const [small, large, unreachable] = ['01', '02', '03'].map((byte) => byte.repeat(20) as Address) as [Address, Address, Address];

/** A fork of a node on which one address has too many outputs, and one cannot be read. */
const fork = {
  fetchAddress: async (address: Address) => {
    if (address === large) throw new ForkError('too many outputs', { code: 'FORK_ADDRESS_TOO_LARGE', address, max: 1 });
    if (address === unreachable) throw new Error('no answer');
    return { address, utxos: [], assets: [] };
  },
};

const fetchFirst = async (accounts: readonly Address[], requested: readonly Address[]) => {
  const lines: string[] = [];
  const log = ((line: string, level: string) => void lines.push(`${level}: ${line}`)) as unknown as Env['log'];
  const copies = await fetchFirstCopies(fork, accounts, requested, log);
  return { addresses: copies.map(({ address }) => address), lines };
};

test('an account with too many outputs is empty, with a warning; a requested address is not', async () => {
  expect(await fetchFirst([small, large], [])).toEqual({ addresses: [small, large], lines: ['warn: too many outputs'] });
  await expect(fetchFirst([small], [large])).rejects.toThrow('too many outputs');
});

test('another failure ends the start, and an account that is requested too is fetched once', async () => {
  await expect(fetchFirst([unreachable], [])).rejects.toThrow('no answer');
  expect((await fetchFirst([small], [small])).addresses).toEqual([small]);
});
