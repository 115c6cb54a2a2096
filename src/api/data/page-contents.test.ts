import { describe, expect, test } from 'bun:test';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { encodeStoredUtxo } from '../../ledger/state/stored-utxo.ts';
import { writeJson } from '../rpc/write-json.ts';
import { joinPage } from './json-page.ts';
import { addOwners, addSigners, PageAssets } from './page-contents.ts';
import { assetsOfBalances, sumBalances } from './sum-balances.ts';

const [gold, silver, other] = ['01', '02', '03'].map((two) => two.repeat(32)) as [Id, Id, Id];
const addressOf = (i: number): Address => `${i}`.padStart(40, '0') as Address;
const stored = (owners: number, asset = gold) =>
  encodeStoredUtxo(
    makeUtxo(other, 0, asset, {
      ...{ kind: 'secp256k1fx.TransferOutput', amount: 1n, locktime: 0n, threshold: 1 },
      addresses: Array.from({ length: owners }, (_, i) => addressOf(i)),
    }),
  );

describe('a page', () => {
  const text = (page: object) =>
    Buffer.from(writeJson(joinPage({ name: 'list', pieces: [], nextPageToken: undefined, metadata: {}, ...page } as never))).toString();
  const pieces = ['{"a":1}', '2', '"x"'].map((one) => ({ bytes: Buffer.from(one) }));

  test('joins its items, the token of the next page and further properties', () => {
    expect(text({})).toBe('{"list":[]}');
    expect(text({ pieces })).toBe('{"list":[{"a":1},2,"x"]}');
    expect(text({ pieces: pieces.slice(0, 1), nextPageToken: 't', metadata: { more: 5 } })).toBe(
      '{"nextPageToken":"t","list":[{"a":1}],"more":5}',
    );
    expect(text({ metadata: { more: 5 } })).toBe('{"list":[],"more":5}');
  });

  test('has the assets of its outputs, each once', () => {
    const assets = new PageAssets();
    assets.addOutputs([{ stored: stored(1) }, undefined, { stored: stored(1) }, { stored: stored(1, silver) }, { stored: stored(1) }]);
    expect([...assets.ids]).toEqual([gold, silver]);
  });

  test('has the owners of spent outputs, at most eight of each', () => {
    const signers = new Set<Address>();
    addOwners(signers, stored(9));
    expect([...signers]).toEqual(Array.from({ length: 8 }, (_, i) => addressOf(i)));
    const spent = new Set<Address>();
    addSigners(spent, [undefined, { stored: stored(3) } as never, { stored: stored(3), spent: {} } as never]);
    expect(spent.size).toBe(0);
    addSigners(spent, [{ stored: stored(2), spent: { layout: {} } } as never]);
    expect([...spent]).toEqual([addressOf(0), addressOf(1)]);
  });
});

describe('balances', () => {
  const single = (asset: Id, isLocked: boolean, amount: bigint, count: number, nfts = 0) => ({ asset, isLocked, amount, count, nfts });
  const more = (asset: Id, isLocked: boolean, amount: bigint, sharedWith?: Id, type = 'secp256k1') => ({
    ...{ asset, isLocked, type, sharedWith, amount, count: 1 },
  });

  test('are added up by asset, type and importing chain, in the four lists', () => {
    const sums = sumBalances(
      {
        singleOwner: [single(gold, false, 5n, 2), single(gold, true, 7n, 1), single(silver, false, 0n, 0, 3)],
        others: [
          more(gold, false, 1n),
          more(gold, false, 2n, other),
          more(gold, false, 4n, other),
          more(gold, true, 8n, other),
          more(silver, false, 1n, undefined, 'nft'),
        ],
      } as never,
      silver,
    );
    const short = (list: readonly { asset: Id; type: string; amount: bigint; count: number }[]) =>
      list.map(({ asset, type, amount, count }) => [asset, type, amount, count]);
    expect(short(sums.unlocked)).toEqual([
      [silver, 'nft', 4n, 4],
      [gold, 'secp256k1', 6n, 3],
    ]);
    expect([short(sums.locked), short(sums.atomicMemoryUnlocked), short(sums.atomicMemoryLocked)]).toEqual([
      [[gold, 'secp256k1', 7n, 1]],
      [[gold, 'secp256k1', 6n, 2]],
      [[gold, 'secp256k1', 8n, 1]],
    ]);
    expect(sums.atomicMemoryUnlocked[0]?.sharedWith).toBe(other);
    expect(assetsOfBalances(sums)).toEqual([silver, gold, gold, gold, gold]);
  });

  test('have the fee asset first, others by ID, units before NFTs', () => {
    const singleOwner = [single(silver, false, 1n, 1, 1), single(gold, false, 1n, 1, 1), single(other, false, 1n, 1)];
    const { unlocked } = sumBalances({ singleOwner, others: [] } as never, other);
    expect(unlocked.map(({ asset, type }) => [asset, type] as const)).toEqual([
      [other, 'secp256k1'],
      [gold, 'secp256k1'],
      [gold, 'nft'],
      [silver, 'secp256k1'],
      [silver, 'nft'],
    ]);
  });
});
