import { expect } from 'bun:test';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes, zeroId } from '../../base/bytes/id.ts';
import { txKinds } from '../index/tables.ts';
import { chainID } from '../state/random-chain.fixture.ts';
import type { PinnedBlock } from './index-reads.ts';
import type { ReadsCheck } from './index-under-test.fixture.ts';

/** Blocks and the place of a transaction in them, as the explorer reads them, beside a scan of all transactions. */

const checkIdRanges: ReadsCheck = async ({ chains: { oracle }, explorer }) => {
  const ids = oracle.blocks.map((block) => block.id).toSorted();
  const [low, high] = [ids[1], ids.at(-2)] as [Id, Id];
  const range = { low: idToBytes(low), high: idToBytes(high) };
  expect(await explorer.namesBetween('block', range, 1000)).toEqual(ids.slice(1, -1));
  expect(await explorer.namesBetween('block', range, 2)).toEqual(ids.slice(1, 3));
  const tx = oracle.blocks.flatMap((block) => block.txs)[0]?.id as Id;
  expect(await explorer.namesBetween('tx', { low: idToBytes(tx), high: idToBytes(tx) }, 5)).toEqual([tx]);
  const own = oracle.allTxs
    .flatMap(({ emitted }) => emitted)
    .filter(({ createdOn, consumedOn }) => createdOn === chainID && consumedOn === chainID);
  const outputs = own.map(({ utxo }) => utxo.id).toSorted();
  const output = outputs[Math.floor(outputs.length / 2)] as Id;
  const near = { low: idToBytes(output).fill(0, 4), high: idToBytes(output).fill(255, 4) };
  expect(await explorer.namesBetween('utxo', near, 5)).toContain(output);
  expect(await explorer.namesBetween('utxo', { low: near.low, high: idToBytes(output) }, 5)).toContain(output);
  // Too wide for outputs.
  expect(await explorer.namesBetween('utxo', { low: idToBytes(output).fill(0), high: near.high }, 5)).toEqual([]);
};

const checkBlocks: ReadsCheck = async ({ chains: { oracle }, explorer, reads }) => {
  const pin = await reads.tip();
  const expected = oracle.blocks.map((block) => ({
    height: Number(block.height),
    id: block.id,
    time: Number(block.time),
    bytes: block.bytes.length,
    fees: oracle.counted((time) => time === Number(block.time)).fees,
    txs: Object.fromEntries(Object.keys(txKinds).map((kind) => [kind, block.txs.filter(({ unsigned }) => unsigned.kind === kind).length])),
  }));
  const upward = await explorer.blockSumsAfter(-1, 1000);
  // Several blocks of one second share the fees that the oracle counts.
  const withoutFees = (all: readonly object[]) => all.map((one) => ({ ...one, fees: undefined, firstTx: undefined }));
  expect(withoutFees(upward)).toEqual(withoutFees(expected));
  // Before block 1 are the assets of genesis, which belong to no block.
  const firstTxs = upward.slice(1).map(({ firstTx }) => firstTx);
  expect(firstTxs.slice(1).map((next, i) => next - (firstTxs[i] as number))).toEqual(
    oracle.blocks.slice(1, -1).map(({ txs }) => txs.length),
  );
  const total = (all: readonly { fees: bigint }[]) => all.reduce((sum, { fees }) => sum + fees, 0n);
  expect(total(upward)).toBe(oracle.counted(() => true).fees);
  expect(await explorer.blockSums(1000, 1000)).toEqual(upward.toReversed());
  expect(await explorer.blockSums(7, 3)).toEqual([upward[7], upward[6], upward[5]] as never);
  expect(await explorer.blockSumsAfter(upward.length - 3, 9)).toEqual(upward.slice(-2));
  for (const block of oracle.blocks) {
    const found = await explorer.blockTxs({ id: block.id });
    expect(found?.count).toBe(block.txs.length);
    const seqs = block.txs.map((_, i) => (found?.firstTx ?? 0) + i);
    expect((await reads.txs(seqs, pin)).map(({ tx }) => toHex(tx.id))).toEqual(block.txs.map(({ id }) => id));
    expect(await explorer.blockTxs({ height: Number(block.height) })).toEqual(found);
  }
  expect(await explorer.blockTxs({ height: 10_000 })).toBeUndefined();
};

const checkPositions: ReadsCheck = async ({ chains: { oracle }, explorer }) => {
  const pins = oracle.pins();
  const last = pins[pins.length - 1] as PinnedBlock;
  for (const { tx, block } of oracle.allTxs) {
    const index = block.txs.findIndex(({ id }) => id === tx.id);
    const isInBlock = block.height > 0n;
    expect(await explorer.txPosition(tx.id, last)).toEqual({
      height: Number(block.height),
      blockID: block.id,
      index: isInBlock ? index : undefined,
      count: block.txs.length,
      previous: isInBlock ? block.txs[index - 1]?.id : undefined,
      next: isInBlock ? block.txs[index + 1]?.id : undefined,
    });
    if (isInBlock) expect(await explorer.txPosition(tx.id, pins[Number(block.height) - 1] as PinnedBlock)).toBeUndefined();
  }
  expect(await explorer.txPosition(zeroId, last)).toBeUndefined();
};

export const blockChecks: readonly ReadsCheck[] = [checkIdRanges, checkBlocks, checkPositions];
