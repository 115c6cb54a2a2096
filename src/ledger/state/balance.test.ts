import { describe, expect, test } from 'bun:test';
import type { Output } from '../../avm/tx/output.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { compare } from '../../base/bytes/octets.ts';
import {
  addSums,
  amountFromBytes,
  amountToBytes,
  balanceKeyText,
  belowLocktimes,
  createBalanceDeltas,
  hasOutputs,
  noSums,
  ownersOf,
  ownPart,
  partFromBytes,
  partToBytes,
  sharedPart,
} from './balance.ts';

const [alice, bob] = ['aa'.repeat(20), 'bb'.repeat(20)] as [Address, Address];
const [gold, silver] = ['01'.repeat(32), '02'.repeat(32)] as [Id, Id];
const owned = (addresses: Address[], locktime = 0n) => ({ locktime, threshold: 1, addresses });
const units = (amount: bigint, addresses: Address[], locktime = 0n): Output => ({
  kind: 'secp256k1fx.TransferOutput',
  amount,
  ...owned(addresses, locktime),
});
const utxo = (output: Output, assetID = gold) => makeUtxo(zeroId, 0, assetID, output);
const delta = (address: Address, part: bigint, amount: bigint, count: number, nfts = 0, assetID = gold) => ({
  ...{ address, assetID, part, amount, count, nfts },
});

describe('deltas of balances', () => {
  test('of an output with one owner: its own, and that of its lock time', () => {
    const deltas = createBalanceDeltas();
    deltas.add(utxo(units(5n, [alice])));
    deltas.add(utxo(units(7n, [alice], 99n)));
    deltas.add(utxo(units(1n, [alice]), silver));
    deltas.remove(utxo(units(2n, [bob])));
    expect(deltas.deltas()).toEqual([
      delta(alice, ownPart, 12n, 2),
      delta(alice, 99n, 7n, 1),
      delta(alice, ownPart, 1n, 1, 0, silver),
      delta(bob, ownPart, -2n, -1),
    ]);
  });

  test('of an output with several owners: one for each, whatever the lock time; an owner that is named twice counts once', () => {
    const deltas = createBalanceDeltas();
    deltas.add(utxo(units(5n, [alice, bob], 99n)));
    deltas.add(utxo(units(3n, [alice, alice])));
    expect(deltas.deltas()).toEqual([delta(alice, sharedPart, 8n, 2), delta(bob, sharedPart, 5n, 1)]);
  });

  test('of NFTs and properties: their number, only with one owner; mint outputs do not count', () => {
    const deltas = createBalanceDeltas();
    deltas.add(utxo({ kind: 'nftfx.TransferOutput', groupID: 1, payload: new Uint8Array(0), ...owned([alice]) }));
    deltas.add(utxo({ kind: 'propertyfx.OwnedOutput', ...owned([alice], 5n) }));
    deltas.add(utxo({ kind: 'propertyfx.OwnedOutput', ...owned([alice, bob]) }));
    deltas.add(utxo({ kind: 'secp256k1fx.MintOutput', ...owned([alice]) }));
    deltas.add(utxo({ kind: 'nftfx.MintOutput', groupID: 1, ...owned([alice]) }));
    deltas.remove(utxo({ kind: 'propertyfx.OwnedOutput', ...owned([bob]) }));
    expect(deltas.deltas()).toEqual([delta(alice, ownPart, 0n, 0, 2), delta(alice, 5n, 0n, 0, 1), delta(bob, ownPart, 0n, 0, -1)]);
  });

  test('only of the given addresses, if some are given', () => {
    const deltas = createBalanceDeltas();
    deltas.add(utxo(units(5n, [alice, bob])), [bob]);
    expect(deltas.deltas()).toEqual([delta(bob, sharedPart, 5n, 1)]);
    expect([[...ownersOf(utxo(units(1n, [alice])))], [...ownersOf(utxo(units(1n, [bob, alice, bob])))]]).toEqual([[alice], [bob, alice]]);
  });
});

test('sums are added to none or to others; a balance without outputs has none', () => {
  const sums = { amount: 1n, count: 2, nfts: 3 };
  expect([addSums(undefined, sums), addSums(sums, { amount: -1n, count: 5, nfts: -3 })]).toEqual([sums, { amount: 0n, count: 7, nfts: 0 }]);
  expect([hasOutputs(noSums), hasOutputs({ ...noSums, count: 1 }), hasOutputs({ ...noSums, nfts: 1 })]).toEqual([false, true, true]);
});

test('parts are stored in the order: own, lock times, shared; they are read as they were', () => {
  const parts = [ownPart, 1n, 255n, 256n, 2n ** 64n - 1n, sharedPart];
  expect(parts.map((part) => partFromBytes(partToBytes(part)))).toEqual(parts);
  for (const [i, part] of parts.slice(1).entries()) expect(compare(partToBytes(parts[i] as bigint), partToBytes(part))).toBeLessThan(0);
  expect([compare(belowLocktimes, partToBytes(1n)) < 0, compare(belowLocktimes, partToBytes(ownPart)) > 0]).toEqual([true, true]);
  const keys = [ownPart, 5n, sharedPart].map((part) => balanceKeyText(alice, gold, part));
  expect([new Set(keys).size, keys.every((key) => key.startsWith(alice + gold))]).toEqual([3, true]);
});

test('amounts of every length are stored without leading zeros and read again', () => {
  expect(amountToBytes(0n)).toHaveLength(0);
  for (let bits = 0n; bits < 128n; bits++)
    for (const amount of [2n ** bits, 2n ** bits - 1n, (2n ** bits * 5n) / 3n]) {
      const stored = amountToBytes(amount);
      expect([amountFromBytes(stored), stored.length]).toEqual([amount, Math.ceil(amount.toString(2).length / 8) * Number(amount > 0n)]);
    }
  const kept = amountToBytes(258n);
  amountToBytes(7n);
  expect([...kept]).toEqual([1, 2]);
});
