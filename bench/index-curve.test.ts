import { expect, test } from 'bun:test';
import { parseBlock } from '../src/avm/tx/block.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { UtxoRef } from '../src/avm/tx/input.ts';
import { unsignedBytes } from '../src/avm/tx/tx.ts';
import { refId, type Utxo } from '../src/avm/tx/utxo.ts';
import { hash160, sha256 } from '../src/base/bytes/hash.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { type Id, zeroId } from '../src/base/bytes/id.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { ewoqGenesisUtxo, localChainParams } from '../test/wallet-kit.ts';
import { createGrowingChain, txsPerBlock } from './growing-chain.ts';
import { rangeEnds } from './index-curve.ts';

test('the ranges of a load end at half powers of ten, and at its last transaction', () => {
  expect(rangeEnds(1_000_000)).toEqual([10_000, 31_623, 100_000, 316_228, 1_000_000]);
  expect(rangeEnds(50_000)).toEqual([10_000, 31_623, 50_000]);
});

test('a growing chain spends each output once, loses fees only, adds addresses, and signs the first transaction of each sender', () => {
  const blocks = 6;
  const chain = createGrowingChain(blocks * txsPerBlock);
  const unspent = new Map<Id, Utxo>([[ewoqGenesisUtxo.id, ewoqGenesisUtxo]]);
  const senders = new Set<string>();
  const owners = new Set<string>();
  let parent = { id: zeroId, height: 0n, time: 0n };
  for (let height = 1; height <= blocks; height++) {
    const block = parseBlock(chain.nextBlock(parent).bytes);
    expect([block.parentID, block.height, block.txs.length]).toEqual([parent.id, BigInt(height), height === 1 ? 1 : txsPerBlock]);
    parent = block;
    for (const tx of block.txs) {
      const { spent, created } = effectsOf(tx);
      expect(spent.length).toBe(1);
      const input = unspent.get(refId(spent[0] as UtxoRef)) as Utxo;
      expect(amountOf(input) - created.reduce((sum, utxo) => sum + amountOf(utxo), 0n)).toBeGreaterThanOrEqual(localChainParams.txFee);
      const sender = input.output.addresses[0] as string;
      if (!senders.has(sender)) expect(signerOf(tx)).toBe(sender);
      senders.add(sender);
      unspent.delete(input.id);
      for (const utxo of created) {
        unspent.set(utxo.id, utxo);
        owners.add(utxo.output.addresses[0] as string);
      }
    }
  }
  expect(owners.size).toBe(1000 + Math.ceil(((blocks - 1) * txsPerBlock) / 10));
});

const amountOf = (utxo: Utxo): bigint => (utxo.output as { readonly amount: bigint }).amount;

function signerOf(tx: Parameters<typeof unsignedBytes>[0]): string {
  const [credential] = tx.credentials;
  const signature = (credential as { readonly signatures: readonly Uint8Array[] }).signatures[0] as Uint8Array;
  const key = recoverNative(sha256(unsignedBytes(tx)), signature.subarray(0, 64), signature[64] as number);
  return toHex(hash160(key as Uint8Array));
}
