import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { prng } from '../../ledger/state/random-chain.fixture.ts';
import { renderBalances } from './render-balance.fixture.ts';
import type { AssetBalance } from './sum-balances.ts';
import { writeBalances } from './write-balance.ts';

test('written balances equal the plain rendering', () => {
  const random = prng(7);
  const pick = (n: number): number => Math.floor(random() * n);
  const anyId = (): Id => Array.from({ length: 64 }, () => pick(16).toString(16)).join('') as Id;
  const names = ['Avalanche', 'quote " and \\', 'ä€😀', '\u0000\n\u2028', ''];
  const labelOf = (id: Id) => ({
    assetId: id,
    name: names[Number.parseInt(id[0] as string, 16) % 5] as string,
    symbol: '"',
    denomination: 9,
  });
  const anyBalance = (): AssetBalance => ({
    asset: anyId(),
    type: pick(2) === 0 ? 'secp256k1' : 'nft',
    sharedWith: pick(2) === 0 ? undefined : anyId(),
    amount: BigInt(pick(2 ** 30)) ** BigInt(1 + pick(3)),
    count: pick(2 ** 30),
  });
  const part = () => Array.from({ length: pick(4) }, anyBalance);
  for (let round = 0; round < 200; round++) {
    const balances = { unlocked: part(), locked: part(), atomicMemoryUnlocked: part(), atomicMemoryLocked: part() };
    for (const mayBeImported of [false, true])
      expect(writeBalances(balances, labelOf, mayBeImported)).toBe(JSON.stringify(renderBalances(balances, labelOf, mayBeImported)));
  }
});
