import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeKeyCrypto } from '../src/app/platform/key-crypto.ts';
import { parseUtxo } from '../src/avm/tx/utxo.ts';
import { fromHex, toHex } from '../src/base/bytes/hex.ts';
import type { NewBlock } from '../src/ledger/state/block-change.ts';
import { ewoq } from '../test/wallet-kit.ts';
import { openChainStore, readGenesisBlock } from './chain-store.ts';
import { BenchError } from './fault.ts';
import { type ChainSample, createScaleGenerator } from './scale-chain.ts';

/** A data directory with many UTXOs, and what to query in it. */
export type ScaleDir = {
  readonly dir: string;
  readonly blocks: number;
  readonly sample: ChainSample;
  readonly megabytes: number;
  /** Blocks made, stored and indexed per second in each tenth, of those that the last run began. */
  readonly perSecond: readonly number[];
};

/** Generates a chain of a number of blocks in a directory. Reuses the chain of an earlier run, and completes that of a run that was stopped. */
export async function prepareScaleDir(dir: string, blocks: number, signal: AbortSignal): Promise<ScaleDir> {
  const infoFile = join(dir, 'bench.json');
  if (existsSync(infoFile)) return { dir, ...readInfo(readFileSync(infoFile, 'utf8')) };
  mkdirSync(dir, { recursive: true });
  const perSecond = await load(dir, blocks, signal);
  const made = {
    blocks,
    sample: perSecond.sample,
    megabytes: Math.round(statSync(join(dir, 'db', 'serac.sqlite')).size / 1e6),
    perSecond: perSecond.rates,
  };
  writeFileSync(infoFile, formatInfo(made));
  return { dir, ...made };
}

/**
 * Stores and indexes the blocks, many per commit, as a node that catches up does. Blocks that a stopped run has stored are generated again, which gives
 * the same ones, and are not stored again.
 */
async function load(dir: string, blocks: number, signal: AbortSignal): Promise<{ readonly sample: ChainSample; readonly rates: number[] }> {
  const publicKeyOf = (address: string) => (address === ewoq.address ? nativeKeyCrypto.publicKey(ewoq.secret) : undefined);
  const store = openChainStore(dir, 'write', { skipDiskSync: true, publicKeyOf });
  try {
    const { state, index } = store;
    if (index === undefined) throw new BenchError('the history index is disabled');
    const generator = createScaleGenerator(blocks);
    const tenth = blocks / 10;
    const rates: number[] = [];
    let since = performance.now();
    const stored = state.lastAccepted();
    const otherChain = new BenchError(`${dir} has another chain: choose another directory`);
    if (stored.height > blocks) throw otherChain;
    let parent: Pick<NewBlock['block'], 'id' | 'height' | 'time'> = readGenesisBlock();
    let batch: NewBlock[] = [];
    for (let made = 1; made <= blocks; made++) {
      const next = generator.nextBlock(parent);
      parent = next.block;
      if (parent.height === stored.height && parent.id !== stored.id) throw otherChain;
      if (parent.height > stored.height) batch.push(next);
      if (made % blocksPerCommit !== 0 && made % tenth !== 0) continue;
      if (batch.length > 0) state.commitAll(batch, index.indexBlocks);
      batch = [];
      if (signal.aborted) throw new BenchError('stopped');
      // Lets the event loop handle signals.
      await Bun.sleep(0);
      if (made % tenth !== 0) continue;
      const isWhole = made - tenth >= stored.height;
      if (isWhole) rates.push(Math.round(tenth / ((performance.now() - since) / 1000)));
      since = performance.now();
      console.error(`  ${made} blocks${isWhole ? `, ${rates.at(-1)} per second` : ''}`);
    }
    return { sample: generator.sample(), rates };
  } finally {
    store.close();
  }
}

const blocksPerCommit = 2000;

type Info = Omit<ScaleDir, 'dir'>;

const formatInfo = ({ sample, ...info }: Info): string =>
  JSON.stringify({ ...info, sample: { ...sample, heights: sample.heights.map(Number), change: toHex(sample.change.bytes) } });

function readInfo(text: string): Info {
  const { sample, ...info } = JSON.parse(text) as Info & {
    sample: Omit<ChainSample, 'heights' | 'change'> & { heights: number[]; change: string };
  };
  return { ...info, sample: { ...sample, heights: sample.heights.map(BigInt), change: parseUtxo(fromHex(sample.change)) } };
}
