import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareCosts, formatCosts, openCostedChain } from './call-cost.ts';
import { prepareDataDir } from './data-dir.ts';
import { formatXAddress } from './fixture.ts';
import { prepareScaleDir } from './scale-dir.ts';

const dir = mkdtempSync(join(tmpdir(), 'serac-costs-'));

test('calls cost CPU time and statements; both chains answer them', async () => {
  const made = await prepareDataDir(join(dir, 'history'), 300, new AbortController().signal);
  const chain = await openCostedChain(made.dir);
  const path = `/v1/networks/local/blockchains/x-chain/transactions?addresses=${formatXAddress(made.hotAddress)}`;
  const costs = await compareCosts({ ours: chain, theirs: chain }, (_, turn) => [{ path: `${path}&startTimestamp=${turn + 1}` }]);
  expect(costs.ours.statements).toBeGreaterThan(2);
  expect(costs.ours.statements).toBe(costs.theirs.statements);
  expect(costs.ours.micros).toBeGreaterThan(0);
  expect(formatCosts('a row', costs)).toMatch(/a row +[\d,]+ +\d+\.\d +[\d,]+ +\d+\.\d +\d+\.\d\d$/);
  chain.close();
});

test('a kept chain of UTXOs is read again with the same sample, and that of a run that was stopped is completed', async () => {
  const load = (name: string, blocks = 20, signal = new AbortController().signal) => prepareScaleDir(join(dir, name), blocks, signal);
  const made = await load('utxos');
  expect(made.perSecond.length).toBe(10);
  expect(made.sample.heights.map(Number)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  expect(await load('utxos')).toEqual(made);
  await expect(load('stopped', 20, AbortSignal.abort())).rejects.toThrow('stopped');
  await expect(load('stopped', 10)).rejects.toThrow('has another chain');
  const completed = await load('stopped');
  expect([completed.perSecond.length, completed.sample]).toEqual([9, made.sample]);
  rmSync(dir, { recursive: true });
});
