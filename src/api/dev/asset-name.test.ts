import { expect, test } from 'bun:test';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { resolveAsset } from './asset-name.ts';
import { DevError } from './fault.ts';

const names = {
  assetAliases: new Map<string, Id>([['AVAX', zeroId]]),
  findAssetsBySymbol: (symbol: string) => (symbol === 'GLD' ? [zeroId] : []),
};

function faultOf(text: string): unknown {
  try {
    return resolveAsset(text, names);
  } catch (error) {
    return error instanceof DevError ? error.fault : error;
  }
}

test('an unknown symbol suggests an alias with one letter more, less or other', () => {
  expect(resolveAsset('AVAX', names)).toBe(zeroId);
  for (const text of ['GLD', 'gld', 'avax']) expect(resolveAsset(text, names)).toBe(zeroId);
  for (const [text, didYouMean] of [
    ['avx', 'AVAX'],
    ['AVAXX', 'AVAX'],
    ['BTC', undefined],
    ['A'.repeat(100_000), undefined],
  ] as const)
    expect(faultOf(text)).toMatchObject({ code: 'DEV_UNKNOWN_ASSET', didYouMean });
});
