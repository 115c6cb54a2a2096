import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pChain } from '../../../test/local-chain.ts';
import vectors from '../../../vectors/outer-chain.json' with { type: 'json' };
import { makeBlock, parseBlock } from '../../avm/tx/block.ts';
import { parseUtxo } from '../../avm/tx/utxo.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { parseOuterBlock } from '../proposervm/outer-block.ts';
import { utxosOf } from './captured-utxos.fixture.ts';
import { acceptBlock, codeOf, openOuterChain, type TestChain, testClock } from './outer-chain.fixture.ts';

/** A chain of blocks of a real AvalancheGo, executed here. */
const blocks = vectors.blocks.map(fromHex);
const outerBlocks = blocks.map(parseOuterBlock);
const captureEnd = Number(outerBlocks.at(-1)!.timestamp) * 1000;
const folder = mkdtempSync(join(tmpdir(), 'serac-outer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function expectSameChain({ state, vm }: TestChain): void {
  expect(utxosOf(state, Object.keys(vectors.utxos))).toEqual(vectors.utxos);
  expect(vm.lastAccepted()).toBe(outerBlocks.at(-1)!.id);
  for (const [i, { id, bytes, timestamp }] of outerBlocks.entries()) {
    expect(vm.blockIdAtHeight(BigInt(i + 1))).toBe(id);
    expect(toHex(vm.blockBytes(id) as Uint8Array)).toBe(toHex(bytes));
    expect(vm.block(id)).toMatchObject({ id, height: BigInt(i + 1), time: timestamp });
  }
}

const deposit = (chain: TestChain): void => {
  for (const utxo of vectors.fromP) chain.deposit(pChain, parseUtxo(fromHex(utxo)));
};

test('the capture has every kind of transaction, a first block without epoch, and blocks of two epochs', () => {
  expect([...vectors.kinds].sort()).toEqual(['BaseTx', 'CreateAssetTx', 'ExportTx', 'ImportTx', 'OperationTx']);
  const epochs = new Set(outerBlocks.map(({ epoch }) => epoch?.number));
  expect(epochs).toEqual(new Set([undefined, 1n, 2n]));
  expect(outerBlocks[0]!.epoch).toBeUndefined();
});

describe('executing the captured chain', () => {
  test('in normal operation, each block when it was made; again after a restart', async () => {
    const clock = testClock();
    const path = join(folder, 'chain.sqlite');
    const chain = openOuterChain(clock, { path });
    deposit(chain);
    expect(toHex(chain.vm.blockBytes(chain.vm.lastAccepted()) as Uint8Array)).toBe(vectors.first);
    for (const [i, bytes] of blocks.entries()) {
      clock.ms = Number(outerBlocks[i]!.timestamp) * 1000;
      const block = chain.vm.parse(bytes);
      await chain.vm.preverify(block);
      acceptBlock(chain.vm, block);
    }
    expectSameChain(chain);
    chain.close();
    const again = openOuterChain(clock, { path });
    expectSameChain(again);
    // The inner blocks are stored once.
    const [row] = again.store.db.prepare<{ n: number }>('SELECT sum(length(before) + length(after)) AS n FROM outer_block').all();
    expect(row!.n).toBe(outerBlocks.reduce((sum, { bytes, inner }) => sum + bytes.length - inner.length, 0));
    again.close();
  });

  test('while bootstrapping, without the outputs of the P-Chain, many blocks in one commit', () => {
    const chain = openOuterChain({ ms: captureEnd });
    chain.vm.setBootstrapping(true);
    let batch: Id[] = [];
    for (const bytes of blocks) {
      const block = chain.vm.parse(bytes);
      chain.vm.verify(block);
      batch.push(block.id);
      if (batch.length < 10) continue;
      chain.vm.accept(batch);
      batch = [];
    }
    chain.vm.accept(batch);
    chain.vm.setBootstrapping(false);
    expectSameChain(chain);
    chain.close();
  });

  test('in normal operation, a node that does not run the P-Chain can verify only the signatures of an import', () => {
    const [strict, joined] = [false, true].map((acceptUnknownImports) => openOuterChain({ ms: captureEnd }, { acceptUnknownImports }));
    const accept = ({ vm }: TestChain) =>
      codeOf(() => {
        for (const bytes of blocks) acceptBlock(vm, vm.parse(bytes));
      });
    expect(accept(strict!)).toBe('BLOCK_BAD_TX');
    expect(accept(joined!)).toBe('none');
    expectSameChain(joined!);
    // An output cannot be imported a second time.
    const { id: parentID, height, time } = joined!.state.lastAccepted();
    const imports = outerBlocks.flatMap(({ inner }) => parseBlock(inner).txs).filter(({ unsigned }) => unsigned.kind === 'ImportTx');
    expect(imports.length).toBeGreaterThan(0);
    for (const tx of imports)
      expect(codeOf(() => joined!.chain.verify(makeBlock({ parentID, height: height + 1n, time, txs: [tx] })))).toBe('BLOCK_BAD_TX');
    strict!.close();
    joined!.close();
  });

  test('with the clock more than ten seconds behind, a block is refused', () => {
    const chain = openOuterChain({ ms: Number(outerBlocks[0]!.timestamp) * 1000 - 10_001 });
    expect(codeOf(() => chain.vm.verify(chain.vm.parse(blocks[0]!)))).toBe('OUTER_TOO_FAR_AHEAD');
    chain.close();
  });
});
