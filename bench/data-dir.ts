import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '../src/bytes/address.ts';
import type { Id } from '../src/bytes/id.ts';
import type { NewBlock } from '../src/state/block-change.ts';
import { openChainStore } from './chain-store.ts';
import { startGrowth } from './data-chain.ts';
import { BenchError } from './fault.ts';

/** A data directory with a long history, and what to ask about it. */
export type DataDir = { readonly dir: string } & Made;

type Made = {
  readonly txs: number;
  readonly blocks: number;
  readonly unspent: number;
  /** How many addresses there are beside the hot one; see `addressAt`. */
  readonly addresses: number;
  readonly hotAddress: Address;
  readonly busyAsset: Id;
  /** Spread over the whole chain. */
  readonly txIDs: readonly Id[];
  readonly seconds: number;
  readonly megabytes: number;
};

/** Makes one, unless the directory has one of that size from a run before. */
export async function makeDataDir(dir: string, txs: number, signal: AbortSignal): Promise<DataDir> {
  const note = join(dir, 'bench.json');
  if (existsSync(note)) {
    const made: Made = JSON.parse(readFileSync(note, 'utf8'));
    if (made.txs === txs) return { dir, ...made };
    throw new BenchError(`${dir} has ${made.txs} transactions of an earlier run, not ${txs}: name another directory`);
  }
  if (existsSync(join(dir, 'db'))) throw new BenchError(`${dir} is the directory of some node, or of a run that was stopped half-way`);
  mkdirSync(dir, { recursive: true });
  const made = await grow(dir, txs, signal);
  writeFileSync(note, JSON.stringify(made));
  return { dir, ...made };
}

async function grow(dir: string, txs: number, signal: AbortSignal): Promise<Made> {
  const started = performance.now();
  const store = openChainStore(dir, 'write', true);
  try {
    const { state, index } = store;
    if (index === undefined) throw new BenchError('the index is off');
    const addresses = txs / 10;
    const growth = startGrowth(1, addresses);
    const until = Math.floor(Date.now() / 1000) - 60;
    const since = until - days * 86_400;
    const txIDs: Id[] = [];
    let parent: Pick<NewBlock['block'], 'id' | 'height'> = state.lastAccepted();
    let batch: NewBlock[] = [];
    let waiting = 0;
    for (let made = 0; made < txs; ) {
      const size = Math.min(txs - made, 10 + ((Number(parent.height) * 37) % 91));
      const next = growth.next(parent, BigInt(since + Math.floor(((until - since) * made) / txs)), size);
      parent = next.block;
      batch.push(next);
      waiting += size;
      for (const [i, { id }] of next.block.txs.entries()) if ((made + i) % Math.ceil(txs / sampled) === 0) txIDs.push(id);
      made += size;
      if (waiting < txsPerCommit && made < txs) continue;
      state.commitAll(batch, index.indexBlocks);
      batch = [];
      waiting = 0;
      if (signal.aborted) throw new BenchError('stopped');
      if (made % (txs / 10) < txsPerCommit) console.error(`  ${made} transactions in ${secondsSince(started)} s`);
      // A signal is only heard between two turns.
      await Bun.sleep(0);
    }
    return {
      txs,
      blocks: Number(parent.height),
      unspent: state.stats().unspent,
      addresses,
      hotAddress: growth.hotAddress,
      busyAsset: growth.busyAsset(),
      txIDs,
      seconds: secondsSince(started),
      megabytes: Math.round(statSync(join(dir, 'db', 'serac.sqlite')).size / 1e6),
    };
  } finally {
    store.close();
  }
}

const days = 200;
const txsPerCommit = 10_000;
const sampled = 100_000;

const secondsSince = (started: number): number => Math.round((performance.now() - started) / 1000);
