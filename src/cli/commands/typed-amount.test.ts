import { expect, test } from 'bun:test';
import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { addChainPrefix } from './address-spellings.ts';
import { findAsset } from './asset-labels.ts';
import { assetOfUnit, joinUnit, readTypedAmount, toSmallestUnit } from './typed-amount.ts';

const avax = { symbol: 'AVAX', denomination: 9 };
const gold = { symbol: 'GLD', denomination: '2' };
const read = (text: string, units: typeof avax | typeof gold): bigint => toSmallestUnit(readTypedAmount(text), units);

test('a number counts whole units; only nAVAX counts the smallest', () => {
  for (const [text, amount] of [
    ['5', 5_000_000_000n],
    ['1.5', 1_500_000_000n],
    ['5AVAX', 5_000_000_000n],
    ['5 AVAX', 5_000_000_000n],
    ['5nAVAX', 5n],
    ['0.000000001', 1n],
    ['5 avax', 5_000_000_000n],
    ['5Avax', 5_000_000_000n],
    ['5 nAvax', 5n],
    ['5navax', 5n],
  ] as const)
    expect([text, read(text, avax)]).toEqual([text, amount]);
  expect(read('1000', gold)).toBe(100_000n);
  expect(() => read('1.5nAVAX', avax)).toThrow('the smallest unit');
  expect(() => read('5nGLD', gold)).toThrow('is in nGLD, but the asset is GLD');
  expect(() => read('1.001', gold)).toThrow('more decimals than GLD');
  for (const text of ['', 'x', '1e9', '-5', '1,000', '5 AVAX more', '5.']) expect(() => readTypedAmount(text)).toThrow('is not an amount');
});

test('a unit names an asset in any case', () => {
  for (const [unit, asset] of [
    ['AVAX', 'AVAX'],
    ['avax', 'avax'],
    ['nAVAX', 'AVAX'],
    ['nAvax', 'Avax'],
    ['navax', 'avax'],
    ['NAVAX', 'AVAX'],
    ['nGLD', 'GLD'],
    // A symbol of four letters may begin with N.
    ['ngld', 'ngld'],
    ['NGLD', 'NGLD'],
  ] as const)
    expect([unit, assetOfUnit(unit)]).toEqual([unit, asset]);
});

test('a unit in the next argument belongs to the amount; an address does not', () => {
  expect(joinUnit(['A', '5', 'AVAX'], 1)).toEqual(['A', '5 AVAX']);
  expect(joinUnit(['P', '5', 'nAVAX', 'A'], 1)).toEqual(['P', '5 nAVAX', 'A']);
  expect(joinUnit(['P', '5', 'P-local1abc'], 1)).toEqual(['P', '5', 'P-local1abc']);
  expect(joinUnit(['A', '5GLD', 'GLD'], 1)).toEqual(['A', '5GLD', 'GLD']);
});

test('a chain prefix is added only to an address without one', () => {
  const bare = 'local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
  expect([addChainPrefix(bare), addChainPrefix(bare, 'C'), addChainPrefix(`P-${bare}`), addChainPrefix('bogus')]).toEqual([
    `X-${bare}`,
    `C-${bare}`,
    `P-${bare}`,
    'bogus',
  ]);
});

test('a symbol is looked up with one call; only a node without dev methods is asked twice', async () => {
  const calls: string[] = [];
  const createClient = (hasDev: boolean): RpcClient => ({
    url: '',
    request: () => Promise.reject(new Error('not used')),
    readText: () => Promise.reject(new Error('not used')),
    call: async (_, method) => {
      calls.push(method);
      if (method.startsWith('dev.') && !hasDev) throw new SeracError('no', { code: 'NODE_HTTP', url: '/ext/dev', status: 404 });
      return { assetID: '1', name: 'Gold', ...gold };
    },
  });
  await findAsset(createClient(true), 'GLD');
  expect(calls.splice(0)).toEqual(['dev.getAsset']);
  await findAsset(createClient(false), '1');
  expect(calls).toEqual(['dev.getAsset', 'avm.getAssetDescription']);
});
