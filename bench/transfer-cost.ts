import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import collector from '../bin/collector.json' with { type: 'json' };
import type { Tx } from '../src/avm/tx/tx.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { openChainStore } from './chain-store.ts';
import { BenchError } from './fault.ts';
import { isSelected } from './measure.ts';
import type { Options } from './options.ts';
import { alignColumns, type ReportRow } from './report.ts';
import type { BenchEnv } from './servers.ts';
import { createTransferGenerator, growTransferChain, type TransferKind } from './transfer-chain.ts';
import { blocksOf, stages, type TransferAllocation, type TransferCost, txsPerBlock } from './transfer-run.ts';

type Measured = { readonly kind: string; readonly blocks: number; readonly cost: TransferCost; readonly allocation: TransferAllocation };

/** Measures what one transfer with one input and two outputs costs the writer, in a short and in a long chain. `only` selects kinds. */
export async function runTransferCost(env: BenchEnv, options: Options): Promise<readonly ReportRow[]> {
  const measured: Measured[] = [];
  const sizes = [shortChain, options.blocks ?? (options.quick ? 10_000 : 90_000)];
  for (const kind of Object.keys(kinds).filter((name) => isSelected(name, options)))
    for (const blocks of sizes) measured.push(await measureChain(env, kind, blocks));
  console.log(formatSummary(measured));
  console.log(
    `\nby table: rows of a block with one transfer; then per transfer in blocks of ${txsPerBlock}: rows, pages of the log, bytes on disk`,
  );
  console.log(formatTables(measured));
  // The last one is the longest chain, with many addresses: what a busy node comes to.
  const bytes = measured.slice(-1).map(({ cost }) => sum(cost.bytes));
  return [{ name: 'bytes on disk', unit: 'bytes', ours: bytes, theirs: [], target: { atMost: Number.POSITIVE_INFINITY } }];
}

/** Measures the bytes that accepting one transfer between two addresses allocates on the main thread. Rounds differ by less than 1 %, so there is one. */
export async function measureTransferAllocation(env: BenchEnv, options: Options, report: (row: ReportRow) => void): Promise<void> {
  const name = 'bytes allocated by a transfer';
  if (!isSelected(name, options)) return;
  const { dir, generate } = createTransferChain(env, 'two addresses', shortChain);
  const { heap } = await measureAllocation(env, dir, generate(blocksOf.warmUp + 2 * blocksOf.allocation));
  report({ name, unit: 'bytes', ours: [sum(heap)], theirs: [], target: { atMost: 8250 } });
}

const shortChain = 100;

const kinds: Record<string, (blocks: number) => TransferKind> = {
  'two addresses': () => ({ addresses: 2, spends: 'oldest' }),
  'many addresses': (blocks) => ({ addresses: Math.max(1000, Math.floor(blocks / 10)), spends: 'random' }),
};

/** Creates a data directory with a chain; `generate` makes lists of transfers for full blocks that follow. */
function createTransferChain(env: BenchEnv, kind: string, blocks: number) {
  const dir = mkdtempSync(join(env.dir, 'transfer-'));
  console.error(`${kind}: creating a chain of ${blocks.toLocaleString('en')} blocks`);
  const generator = createTransferGenerator((kinds[kind] as (typeof kinds)[string])(blocks));
  const chain = openChainStore(dir, 'write', { skipDiskSync: true });
  growTransferChain(chain, blocks, generator);
  chain.close();
  return { dir, generate: (count: number) => Array.from({ length: count }, () => generator.next(txsPerBlock).txs) };
}

async function measureChain(env: BenchEnv, kind: string, blocks: number): Promise<Measured> {
  const { dir, generate } = createTransferChain(env, kind, blocks);
  console.error('  measuring');
  const allocation = await measureAllocation(env, dir, generate(blocksOf.warmUp + 2 * blocksOf.allocation));
  const measuredBlocks = generate(blocksOf.warmUp + blocksOf.cpu + blocksOf.pages + blocksOf.counted + 1);
  const cost = await runChild<TransferCost>(env, dir, 'cost', measuredBlocks, collector.writer);
  return { kind, blocks, cost, allocation };
}

/** Measures allocation in a process without garbage collection: whatever is allocated stays, and the heap grows by it. */
export const measureAllocation = (env: BenchEnv, dir: string, blocks: readonly (readonly Tx[])[]): Promise<TransferAllocation> =>
  runChild<TransferAllocation>(env, dir, 'allocation', blocks, { BUN_JSC_useGC: 'false' });

async function runChild<T>(
  { signal }: BenchEnv,
  dir: string,
  kind: 'allocation' | 'cost',
  blocks: readonly (readonly Tx[])[],
  variables: Record<string, string>,
): Promise<T> {
  writeFileSync(join(dir, 'transfers.json'), JSON.stringify(blocks.map((txs) => txs.map(({ bytes }) => toHex(bytes)))));
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'transfer-run.ts'), dir, kind], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new BenchError('bench/transfer-run.ts failed');
  return JSON.parse(text) as T;
}

function formatSummary(measured: readonly Measured[]): string {
  const row = (name: string, value: (one: Measured) => number, digits = 0) => [name, ...measured.map((one) => format(value(one), digits))];
  return alignColumns([
    ['', ...measured.map(({ kind }) => kind), ''],
    ['', ...measured.map(({ blocks }) => `${blocks.toLocaleString('en')} blocks`), ''],
    row('rows, in a block of one', ({ cost }) => sum(cost.single.rows)),
    row('tables, in a block of one', ({ cost }) => Object.keys(cost.single.rows).length),
    row('statements, in a block of one', ({ cost }) => cost.single.statements),
    row('pages of the log, in a block of one', ({ cost }) => cost.singlePages),
    row('rows', ({ cost }) => sum(cost.perTransfer.rows), 2),
    row('statements', ({ cost }) => cost.perTransfer.statements, 2),
    row('pages of the log', ({ cost }) => sum(cost.pages), 2),
    row('bytes on disk', ({ cost }) => sum(cost.bytes)),
    row('main thread, µs of CPU', ({ cost }) => sum(cost.cpu), 1),
    ...stages.map((stage) => row(`  ${stage}`, ({ cost }) => cost.cpu[stage], 1)),
    row('bytes allocated, heap', ({ allocation }) => sum(allocation.heap)),
    ...stages.map((stage) => row(`  ${stage}`, ({ allocation }) => allocation.heap[stage])),
    row('bytes allocated, resident', ({ allocation }) => sum(allocation.resident)),
  ]);
}

function formatTables(measured: readonly Measured[]): string {
  const names = new Set(measured.flatMap(({ cost }) => [cost.single.rows, cost.perTransfer.rows, cost.pages].flatMap(Object.keys)));
  const weight = (name: string) => measured.at(-1)?.cost.pages[name] ?? 0;
  const cells = ({ cost }: Measured, name: string) => [
    format(cost.single.rows[name] ?? 0, 0),
    format(cost.perTransfer.rows[name] ?? 0, 2),
    format(cost.pages[name] ?? 0, 2),
    format(cost.bytes[name] ?? 0, 0),
  ];
  return alignColumns([
    ['', ...measured.flatMap(() => ['one', 'rows', 'pages', 'bytes']), ''],
    ...[...names].sort((a, b) => weight(b) - weight(a)).map((name) => [name, ...measured.flatMap((one) => cells(one, name)), '']),
  ]);
}

const sum = (values: Record<string, number>): number => Object.values(values).reduce((a, b) => a + b, 0);
const format = (value: number, digits: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
