import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consumedIds } from '../src/avm/tx/effects.ts';
import { openChainStore } from './chain-store.ts';
import { createTransferGenerator, growTransferChain } from './transfer-chain.ts';
import { measureAllocation } from './transfer-cost.ts';
import { blocksOf, measureTransferCost } from './transfer-run.ts';

test('the transfers of a list have one input, two outputs and two addresses, and spend no output of the same list', () => {
  for (const spends of ['oldest', 'random'] as const) {
    const generator = createTransferGenerator({ addresses: 20, spends });
    generator.split();
    const txs = [generator.next(300), generator.next(300)].flatMap((one) => one.txs);
    const spent = txs.flatMap((tx) => [...consumedIds(tx)]);
    expect(new Set(spent).size).toBe(600);
    for (const { unsigned } of txs) {
      expect([unsigned.inputs.length, unsigned.outputs.length]).toEqual([1, 2]);
      expect(new Set(unsigned.outputs.flatMap(({ output }) => output.addresses)).size).toBe(2);
    }
  }
});

test('the rows, statements, pages and bytes of transfers are counted on a chain that accepts them', () => {
  const dir = mkdtempSync(join(tmpdir(), 'serac-transfer-cost-'));
  const generator = createTransferGenerator({ addresses: 50, spends: 'random' });
  const chain = openChainStore(dir, 'write', { skipDiskSync: true });
  growTransferChain(chain, 5, generator);
  expect(chain.state.height()).toBe(5n);
  chain.close();

  const counts = { warmUp: 1, cpu: 1, pages: 1, counted: 1, allocation: 0 };
  const blocks = Array.from({ length: 5 }, () => generator.next(10).txs.map(({ bytes }) => bytes));
  const { single, perTransfer, pages, singlePages, bytes, cpu } = measureTransferCost(dir, blocks, counts);
  // A transfer adds itself; a block adds a row for the block, whatever its transfers.
  expect(single.rows).toMatchObject({ tx: 1, block: 1, asset_stat: 1, progress: 1 });
  // A transfer is listed under its addresses only, and a block of one transfer has no rows for its time, its IDs and its event.
  expect(single.rows.history).toBeLessThanOrEqual(3);
  for (const table of ['span', 'minute', 'block_tx_ids', 'event_log']) expect(single.rows[table] ?? 0).toBe(0);
  expect(perTransfer.rows).toMatchObject({ tx: 1, block: 0.1 });
  expect(perTransfer.statements).toBeLessThan(single.statements);
  // At least the pages of the block, of the transaction, and of its index.
  expect(singlePages).toBeGreaterThanOrEqual(3);
  expect(pages.tx).toBeGreaterThanOrEqual(0.1);
  expect(bytes.tx).toBeGreaterThanOrEqual(0);
  expect(cpu.store).toBeGreaterThan(0);

  const grown = openChainStore(dir, 'read');
  expect(grown.state.height()).toBe(5n + 4n + 3n);
  grown.close();
  rmSync(dir, { recursive: true, force: true });
});

test('a block with one transfer between two addresses writes at most 18 rows', () => {
  const dir = mkdtempSync(join(tmpdir(), 'serac-transfer-rows-'));
  const generator = createTransferGenerator({ addresses: 2, spends: 'oldest' });
  const chain = openChainStore(dir, 'write', { skipDiskSync: true });
  growTransferChain(chain, 5, generator);
  chain.close();
  const blocks = Array.from({ length: 2 }, () => generator.next(10).txs.map(({ bytes }) => bytes));
  const { single } = measureTransferCost(dir, blocks, { warmUp: 1, cpu: 0, pages: 0, counted: 0, allocation: 0 });
  // It depends on the times of the blocks.
  const { active = 0, ...others } = single.rows;
  expect(active).toBeLessThanOrEqual(3);
  const oncePerBlock = { block: 1, tx: 1, spend: 1, asset_stat: 1, progress: 1 };
  expect(others).toEqual({ owner: 4, balance: 2, history: 2, holder: 2, ...oncePerBlock });
  rmSync(dir, { recursive: true, force: true });
});

test('a transfer allocates at most 9 kB until it is stored', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'serac-transfer-allocation-'));
  const generator = createTransferGenerator({ addresses: 50, spends: 'random' });
  const chain = openChainStore(dir, 'write', { skipDiskSync: true });
  growTransferChain(chain, 5, generator);
  chain.close();
  const blocks = Array.from({ length: blocksOf.warmUp + 2 * blocksOf.allocation }, () => generator.next(40).txs);
  const { heap } = await measureAllocation({ dir, signal: new AbortController().signal, program: '' }, dir, blocks);
  const { decode, issue, block, store } = heap;
  const verified = Math.round(decode + issue + block);
  expect(verified).toBeGreaterThan(1000);
  // 13,000 before the rules took their context as an argument and packed values shared a buffer.
  expect(verified).toBeLessThan(9000);
  expect(store).toBeGreaterThan(0);
  rmSync(dir, { recursive: true, force: true });
});
