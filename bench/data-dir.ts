import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '../src/base/bytes/address.ts';
import type { Id } from '../src/base/bytes/id.ts';
import type { NewBlock } from '../src/ledger/state/block-change.ts';
import { openChainStore } from './chain-store.ts';
import { addressAt, createChainGenerator, createHolderKeys } from './data-chain.ts';
import { BenchError } from './fault.ts';

/** A data directory with a long history, and the IDs and addresses to query. */
export type DataDir = { readonly dir: string; readonly addressAt: (index: number) => Address } & DataDirInfo;

/** What is queried of a chain. */
export type QueriedChain = Pick<DataDir, 'dir' | 'blocks' | 'addresses' | 'addressAt' | 'hotAddress' | 'busyAsset' | 'txIDs'>;

type DataDirInfo = {
  readonly txs: number;
  readonly blocks: number;
  readonly unspent: number;
  /** The number of addresses beside the hot address; see `addressAt`. */
  readonly addresses: number;
  readonly hotAddress: Address;
  readonly busyAsset: Id;
  /** Spread over the whole chain. */
  readonly txIDs: readonly Id[];
  readonly seconds: number;
  readonly megabytes: number;
};

/** Generates a chain of a number of transactions in a directory, or reuses the chain of an earlier run. */
export async function prepareDataDir(dir: string, txs: number, signal: AbortSignal): Promise<DataDir> {
  const infoFile = join(dir, 'bench.json');
  if (existsSync(infoFile)) {
    const made: DataDirInfo = JSON.parse(readFileSync(infoFile, 'utf8'));
    if (made.txs === txs) return { dir, addressAt, ...made };
    throw new BenchError(`${dir} has a chain of ${made.txs} transactions from an earlier run, not ${txs}: choose another directory`);
  }
  if (existsSync(join(dir, 'db')))
    throw new BenchError(`${dir} is the data directory of a node, or of a run that was interrupted: choose another directory`);
  mkdirSync(dir, { recursive: true });
  const made = await generateChain(dir, txs, signal);
  writeFileSync(infoFile, JSON.stringify(made));
  return { dir, addressAt, ...made };
}

async function generateChain(dir: string, txs: number, signal: AbortSignal): Promise<DataDirInfo> {
  const started = performance.now();
  const addresses = txs / 10;
  const store = openChainStore(dir, 'write', { skipDiskSync: true, publicKeyOf: createHolderKeys(addresses) });
  try {
    const { state, index } = store;
    if (index === undefined) throw new BenchError('the history index is disabled');
    const generator = createChainGenerator(1, addresses);
    const until = Math.floor(Date.now() / 1000) - 60;
    const since = until - days * 86_400;
    const txIDs: Id[] = [];
    let parent: Pick<NewBlock['block'], 'id' | 'height'> = state.lastAccepted();
    let batch: NewBlock[] = [];
    let uncommitted = 0;
    for (let made = 0; made < txs; ) {
      const size = Math.min(txs - made, 10 + ((Number(parent.height) * 37) % 91));
      const next = generator.nextBlock(parent, BigInt(since + Math.floor(((until - since) * made) / txs)), size);
      parent = next.block;
      batch.push(next);
      uncommitted += size;
      for (const [i, { id }] of next.block.txs.entries()) if ((made + i) % Math.ceil(txs / maxTxIDs) === 0) txIDs.push(id);
      made += size;
      if (uncommitted < txsPerCommit && made < txs) continue;
      state.commitAll(batch, index.indexBlocks);
      batch = [];
      uncommitted = 0;
      if (signal.aborted) throw new BenchError('stopped');
      if (made % (txs / 10) < txsPerCommit) console.error(`  ${made} transactions in ${secondsSince(started)} s`);
      // Lets the event loop handle signals.
      await Bun.sleep(0);
    }
    return {
      txs,
      blocks: Number(parent.height),
      unspent: state.stats().unspent,
      addresses,
      hotAddress: generator.hotAddress,
      busyAsset: generator.busyAsset(),
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
const maxTxIDs = 100_000;

const secondsSince = (started: number): number => Math.round((performance.now() - started) / 1000);
