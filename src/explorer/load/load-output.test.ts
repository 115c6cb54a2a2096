import { expect, test } from 'bun:test';
import type { Utxo } from '../../api/contract/answers.ts';
import { loadOutput } from './load-output.ts';
import { createTestSource, testChainPath, testContext } from './test-source.fixture.ts';

/** An output of an NFT that was created by transaction `n` and is moved by the next one. */
const nft = (n: number, payload = '0x01'): Utxo =>
  ({
    utxoId: `u${n}`,
    utxoType: 'transfer',
    asset: { assetId: 'a', type: 'nft' },
    groupId: 1,
    payload,
    creationTxHash: `t${n}`,
    consumingTxHash: `t${n + 1}`,
  }) as unknown as Utxo;

/** A chain in which transactions 1 to `last` each move the NFT, and another NFT of the same asset. */
const chainOf = (last: number) =>
  createTestSource((path) => {
    const [, kind, n] = /^.+\/(utxos|transactions)\/[ut](\d+)$/.exec(path) ?? [];
    const number = Number(n);
    if (kind === undefined || !path.startsWith(testChainPath) || number < 1 || number > last) return undefined;
    return kind === 'utxos'
      ? nft(number)
      : {
          blockHeight: 100 + number,
          consumedUtxos: number === 1 ? [] : [nft(number - 1, '0x02'), nft(number - 1)],
          emittedUtxos: [nft(number, '0x02'), nft(number)],
        };
  }).source;

const ownersOf = (data: Awaited<ReturnType<typeof loadOutput>>) => data?.owners.map(({ utxoId }) => utxoId);

test('an NFT is followed back to its mint and on to its owner', async () => {
  const data = await loadOutput(chainOf(4), testContext, 'u2');
  expect([ownersOf(data), data?.createdIn, data?.spentIn, data?.hasMoreOwners]).toEqual([['u1', 'u2', 'u3', 'u4'], 102, 103, false]);
  expect(await loadOutput(chainOf(4), testContext, 'u9')).toBeUndefined();
});

test('25 transfers are followed in each direction', async () => {
  const data = await loadOutput(chainOf(70), testContext, 'u35');
  expect([ownersOf(data)?.[0], ownersOf(data)?.at(-1), data?.hasMoreOwners]).toEqual(['u10', 'u60', true]);
  const fewer = await loadOutput(chainOf(25), testContext, 'u1');
  expect([ownersOf(fewer)?.length, fewer?.hasMoreOwners]).toEqual([25, false]);
});
