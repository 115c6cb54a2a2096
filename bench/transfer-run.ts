import { heapStats } from 'bun:jsc';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVerifierOfChain } from '../src/app/node/avm-chain.ts';
import { parseTx, unsignedBytes } from '../src/avm/tx/tx.ts';
import { fromHex } from '../src/base/bytes/hex.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { createSignerCache } from '../src/base/crypto/recover.ts';
import { createSignerKeys } from '../src/base/crypto/signer-keys.ts';
import { createChain } from '../src/chain/lifecycle/chain.ts';
import { openChainStore } from './chain-store.ts';
import { BenchError } from './fault.ts';
import { chainPrefix, createWriteCounter, type WriteCounter } from './write-counter.ts';

/**
 * The main thread's part in accepting a transfer, in the order of a node: decode it, issue it to the mempool, build and verify a block with it,
 * and store the block. Without HTTP; the signers are in the cache already, as after the recovery thread.
 */
export const stages = ['decode', 'issue', 'block', 'store'] as const;
type Stage = (typeof stages)[number];
type ByStage = { readonly [S in Stage]: number };

/** Transactions of a block. */
type Block = readonly Uint8Array[];

/** Statements, and rows by table. */
type Writes = { readonly statements: number; readonly rows: Record<string, number> };

export type TransferCost = {
  /** What a block with a single transfer writes. */
  readonly single: Writes;
  /** The same per transfer in full blocks. */
  readonly perTransfer: Writes;
  /** Pages in the log per transfer in full blocks, by table or index, and of a block with a single transfer. */
  readonly pages: Record<string, number>;
  readonly singlePages: number;
  /** Bytes of the database per transfer, by table or index. */
  readonly bytes: Record<string, number>;
  /** Microseconds of CPU time of the main thread per transfer. */
  readonly cpu: ByStage;
};

/** Bytes allocated per transfer, by stage. */
export type TransferAllocation = { readonly heap: ByStage; readonly resident: ByStage };

/** Full blocks by what is measured with them. */
type BlockCounts = Record<'warmUp' | 'cpu' | 'pages' | 'counted' | 'allocation', number>;

/** Transfers in a full block. */
export const txsPerBlock = 192;
export const blocksOf: BlockCounts = { warmUp: 40, cpu: 20, pages: 10, counted: 2, allocation: 10 };

/** Opens the chain of a data directory for measuring. The counter slows statements down, so it is given only where they are counted. */
function openTransferRun(dir: string, counter?: WriteCounter) {
  const keys = createSignerKeys();
  const signers = createSignerCache(recoverNative, keys);
  const opened = openChainStore(dir, 'write', { publicKeyOf: keys.get, ...(counter && { wrapDatabase: counter.wrapDatabase }) });
  const { context, ledger, store } = opened;
  const [spec] = context.specs;
  const { differences, subnetID, subnetOf } = context;
  let now = ledger.lastAccepted().time;
  const atTime = { chain: { ...context.chain, now: () => now }, subnetID, subnetOf };
  const chain = createChain({ ledger, verifier: createVerifierOfChain(spec, atTime, signers.recover), now: () => now, differences });

  /** Accepts a block with these transactions. `measure` is called after each stage. */
  const acceptBlock = (block: Block, measure: (stage: Stage) => void = () => {}): void => {
    now += 1n;
    const txs = block.map((bytes) => parseTx(bytes));
    measure('decode');
    for (const tx of txs) chain.issue(tx);
    measure('issue');
    const built = chain.build();
    if (built === undefined) throw new BenchError('no block was built');
    chain.verify(built);
    chain.setPreference(built.id);
    measure('block');
    chain.accept([built.id]);
    measure('store');
  };

  /** Recovers the signers of a block, as the recovery thread does ahead of the rules. */
  const recoverSigners = (block: Block): void => {
    for (const bytes of block) {
      const tx = parseTx(bytes);
      for (const credential of tx.credentials)
        if ('signatures' in credential) for (const signature of credential.signatures) signers.recover(unsignedBytes(tx), signature);
    }
  };

  const accept = (block: Block): void => {
    recoverSigners(block);
    acceptBlock(block);
  };

  const pages = store.db.prepare<{ name: string; pageno: number; pgsize: number }>('SELECT name, pageno, pgsize FROM dbstat');
  const truncateLog = store.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  return {
    accept,
    acceptBlock,
    recoverSigners,
    readPages: () => pages.all(),
    truncateLog: () => void truncateLog.get(),
    close: opened.close,
    walFile: join(dir, 'db', 'serac.sqlite-wal'),
  };
}

type TransferRun = ReturnType<typeof openTransferRun>;

/** Measures time, statements, rows and pages. `blocks` are full blocks. */
export function measureTransferCost(dir: string, blocks: readonly Block[], counts: BlockCounts = blocksOf): TransferCost {
  const next = blockSource(blocks);
  const timed = openTransferRun(dir);
  for (const block of next(counts.warmUp)) timed.accept(block);
  const before = timed.readPages();
  const cpu = measureStages(timed, next(counts.cpu), readThreadMicros);
  timed.close();

  const counter = createWriteCounter();
  const run = openTransferRun(dir, counter);
  const countAccepted = (block: Block): Writes => {
    run.recoverSigners(block);
    const { statements, rows } = counter.count(() => run.acceptBlock(block));
    return { statements, rows: Object.fromEntries(rows) };
  };
  const logged = next(counts.pages).flatMap((block) => loggedPages(run, block));
  const counted = next(counts.counted).map(countAccepted);
  const after = run.readPages();
  // Two blocks of one transfer each, after one that fills the caches again.
  const [first = [], second = [], third = []] = next(1).flatMap((block) => block.map((bytes) => [bytes]));
  run.accept(first);
  const singlePages = loggedPages(run, second).length;
  const single = countAccepted(third);
  run.close();

  const txs = (count: number): number => count * (blocks[0]?.length ?? 0);
  const nameOf = new Map(after.map(({ pageno, name }) => [pageno, tableName(name)]));
  const sizes = (pages: typeof after, sign: number) => pages.map(({ name, pgsize }) => [tableName(name), sign * pgsize] as const);
  return {
    single,
    perTransfer: mergeWrites(counted, txs(counts.counted)),
    pages: scale(sumByName(logged.map((page) => [nameOf.get(page) ?? 'free pages', 1])), 1 / txs(counts.pages)),
    singlePages,
    bytes: scale(sumByName([...sizes(after, 1), ...sizes(before, -1)]), 1 / txs(counts.cpu + counts.pages + counts.counted)),
    cpu,
  };
}

/** Measures allocated memory. The process must run without garbage collection. */
function measureAllocation(dir: string, blocks: readonly Block[]): TransferAllocation {
  const next = blockSource(blocks);
  const run = openTransferRun(dir);
  for (const block of next(blocksOf.warmUp)) run.accept(block);
  const measured = next(blocksOf.allocation);
  const heap = measureStages(run, measured, () => heapStats().heapCapacity);
  const resident = measureStages(run, next(blocksOf.allocation), () => process.memoryUsage.rss());
  run.close();
  return { heap, resident };
}

/** The growth of a figure in each stage, per transfer. */
function measureStages(run: TransferRun, blocks: readonly Block[], read: () => number): ByStage {
  const sums = { decode: 0, issue: 0, block: 0, store: 0 };
  for (const block of blocks) {
    run.recoverSigners(block);
    let last = read();
    run.acceptBlock(block, (stage) => {
      const now = read();
      sums[stage] += now - last;
      last = now;
    });
  }
  return scale(sums, 1 / (blocks.length * (blocks[0]?.length ?? 0)));
}

function blockSource(blocks: readonly Block[]) {
  let at = 0;
  return (count: number): readonly Block[] => {
    const taken = blocks.slice(at, at + count);
    if (taken.length < count) throw new BenchError(`${blocks.length} blocks are too few to measure`);
    at += count;
    return taken;
  };
}

/** The numbers of the pages that a block adds to the log; a page that it adds twice is there twice. */
function loggedPages({ truncateLog, walFile, accept }: TransferRun, block: Block): number[] {
  truncateLog();
  accept(block);
  const log = readFileSync(walFile);
  const frameSize = 24 + log.readUInt32BE(8);
  return Array.from({ length: Math.floor((log.length - 32) / frameSize) }, (_, i) => log.readUInt32BE(32 + i * frameSize));
}

const mergeWrites = (all: readonly Writes[], transfers: number): Writes => ({
  statements: all.reduce((sum, { statements }) => sum + statements, 0) / transfers,
  rows: scale(sumByName(all.flatMap(({ rows }) => Object.entries(rows))), 1 / transfers),
});

function sumByName(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, value] of entries) sums[name] = (sums[name] ?? 0) + value;
  return sums;
}

const scale = <T extends Record<string, number>>(values: T, factor: number): T =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value * factor])) as T;

/** The name of a table without its chain, or of an index: the table and `index`. */
const tableName = (name: string): string => name.replace(/^sqlite_autoindex_(.*)_\d+$/, '$1 (index)').replace(chainPrefix, '');

/**
 * The CPU time of this thread. Linux brings it up to date when threads take turns, which is up to some milliseconds apart, and when the time of
 * the whole process is read: so that is read first.
 */
const readThreadMicros = (): number => {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

/** Run by transfer-cost.ts: the directory, with transactions in hex by block in `transfers.json`, and what is measured. */
if (import.meta.main) {
  const [dir = '', kind] = process.argv.slice(2);
  const all = JSON.parse(readFileSync(join(dir, 'transfers.json'), 'utf8')) as string[][];
  const blocks = all.map((block) => block.map(fromHex));
  console.log(JSON.stringify(kind === 'allocation' ? measureAllocation(dir, blocks) : measureTransferCost(dir, blocks)));
}
