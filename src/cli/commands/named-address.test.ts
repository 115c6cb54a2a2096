import { expect, test } from 'bun:test';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { localId } from '../../avm/network.ts';
import type { Address } from '../../base/bytes/address.ts';
import { spellAddress } from './address-spellings.ts';
import { readAccounts, readLabels, requireAddress, resolveAddress } from './named-address.ts';

const address = (n: number): string => spellAddress(n.toString(16).padStart(40, '0') as Address, localId).own;
const accounts = [0, 1].map((n) => ({ index: n, address: address(n), privateKey: 'PrivateKey-x', balance: '5' }));
const labels = [{ address: address(7), name: 'alice' }];

/** A node with two accounts and a label, or one without `dev.*` methods. */
const nodeWith = (results: { readonly [method: string]: object }): RpcClient =>
  ({
    call: async (_: string, method: string) => {
      if (results[method] === undefined) throw new Error('403');
      return results[method];
    },
  }) as unknown as RpcClient;
const dev = nodeWith({ 'dev.accounts': { accounts, total: 2 }, 'dev.labels': { labels } });
const other = nodeWith({});

test('an account is named by its number, an address by any spelling, and a label by its name', async () => {
  expect((await readAccounts(dev)).map((one) => one.address)).toEqual([address(0), address(1)]);
  expect((await readLabels(dev)).map(({ name }) => name)).toEqual(['alice']);
  expect([await resolveAddress(dev, '1'), await resolveAddress(dev, '1', 'P')]).toEqual([address(1), address(1).replace('X', 'P')]);
  expect([await resolveAddress(dev, '2'), await resolveAddress(dev, 'bob')]).toEqual([undefined, undefined]);
  expect([await resolveAddress(dev, 'alice'), await resolveAddress(dev, 'alice', 'C')]).toEqual([address(7), address(7).replace('X', 'C')]);
  expect([await resolveAddress(other, address(3).slice(2)), await resolveAddress(other, address(3).slice(2), 'P')]).toEqual([
    address(3),
    address(3).replace('X', 'P'),
  ]);
  expect(await resolveAddress(other, '1')).toBeUndefined();
});

test('what names no address is refused; a node with accounts says how many it has', async () => {
  expect(await requireAddress(dev, '0')).toBe(address(0));
  await expect(requireAddress(dev, 'bob')).rejects.toThrow(
    '"bob" is not an address, an account (0 to 1) or a label; an address looks like X-local1…',
  );
  await expect(requireAddress(other, '0')).rejects.toThrow('"0" is not an address; an address looks like');
});
