import { prepareIndex } from '../src/app/index/index-writer.ts';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { parseBlock } from '../src/avm/tx/block.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import { type Tx, unsignedBytes } from '../src/avm/tx/tx.ts';
import { refId, type Utxo } from '../src/avm/tx/utxo.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { hash160, sha256 } from '../src/base/bytes/hash.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import type { Id } from '../src/base/bytes/id.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { readPageSecret } from '../src/cluster/indexer/served-network-store.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { joinStatements } from '../src/cluster/postgres/statement-joiner.ts';
import type { Sql } from '../src/ledger/index/sql.ts';
import type { ExplorerReads } from '../src/ledger/index-read/explorer-reads.ts';
import type { IndexReads } from '../src/ledger/index-read/index-reads.ts';
import { openExplorerReads } from '../src/ledger/index-read/open-explorer-reads.ts';
import { openReads } from '../src/ledger/index-read/open-reads.ts';
import type { NewBlock } from '../src/ledger/state/block-change.ts';
import type { ChainStore } from './chain-store.ts';
import { createHolderKeys } from './data-chain.ts';
import type { DataDir } from './data-dir.ts';
import { BenchError } from './fault.ts';
import { createSqlCounter, type SqlCounter } from './sql-counter.ts';

/** A chain and its index in PostgreSQL, as `serac index` writes it. */
export type PostgresBenchChain = {
  readonly url: string;
  /** The database as `reads` use it: queries of one turn with the same text are one statement. */
  readonly sql: Sql;
  readonly reads: IndexReads;
  readonly explorer: ExplorerReads;
  /** The key that `serac api` seals its page tokens with. */
  readonly pageSecret: Uint8Array;
  /** Counts the statements that `reads` runs. */
  readonly counter: SqlCounter;
  readonly close: () => Promise<void>;
};

/** Copies the chain of a data directory to a database of its own on a server, or reuses the copy of an earlier run. */
export async function preparePostgres(
  server: string,
  { state, context }: ChainStore,
  { txs, addresses }: CopiedChain & Pick<DataDir, 'txs'>,
): Promise<PostgresBenchChain> {
  const url = new URL(server);
  const { id } = state.lastAccepted();
  // The name contains the last block: another chain of the same size gets another database.
  url.pathname = `/serac_bench_${txs}_${id.slice(0, 12)}`;
  await createDatabase(server, url.pathname.slice(1));
  const sql = openPostgres({ url: url.href, statementMilliseconds: 60_000 });
  await copyChain(sql, { state, context }, { addresses });
  const feeAsset = context.specs[0].genesis.assets[0].tx.id;
  return { url: url.href, ...(await openCountedReads(sql, { number: 1, id: context.specs[0].id, feeAsset })) };
}

/** The reads of a chain in a database as `serac api` has them, which count their statements. The chain gets no more blocks. */
export async function openCountedReads(sql: Postgres, named: Parameters<typeof openReads>[1]): Promise<Omit<PostgresBenchChain, 'url'>> {
  const counter = createSqlCounter(sql);
  const join = () => joinStatements(counter.sql, (run) => void setImmediate(run));
  const joined = join();
  // As in `serac api`, which is notified of new blocks.
  const tip = await openReads(sql, named).tip();
  const chainOf = { ...named, recentTip: () => tip };
  const [reads, explorer] = [openReads(joined, chainOf), openExplorerReads(joined, { ...chainOf, hasInbound: false }, undefined, join())];
  const pageSecret = await readPageSecret(sql);
  return { sql: joined, reads, explorer, pageSecret, counter, close: sql.close };
}

/** Writes a chain and its index as `serac index` does, without checking its blocks: those of the bench are not valid. Continues an earlier copy. */
export async function copyChain(
  sql: Postgres,
  { state, context }: Pick<ChainStore, 'state' | 'context'>,
  { addresses }: CopiedChain,
): Promise<void> {
  const recovered = new Map<Address, Uint8Array>();
  const chain = await prepareIndex(sql, context, 'http://127.0.0.1:9', {
    publicKeyOf: addresses === 'signed' ? (address) => recovered.get(address) : createHolderKeys(addresses),
    pageSecret: crypto.getRandomValues(new Uint8Array(32)),
  });
  const started = performance.now();
  const { height } = state.lastAccepted();
  const unspent = new Map<Id, Utxo>();
  for (const { tx } of context.specs[0].genesis.assets) for (const utxo of effectsOf(tx).created) unspent.set(utxo.id, utxo);
  const written = Number((await chain.lastAccepted()).height);
  let batch: NewBlock[] = [];
  for (let at = 1; at <= Number(height); at++) {
    const bytes = state.blockAt(BigInt(at));
    if (bytes === undefined) throw new BenchError(`the data directory has no block ${at}`);
    const replayed = replayBlock(bytes, unspent);
    if (addresses === 'signed') for (const tx of replayed.block.txs) addSigners(recovered, tx);
    batch.push(replayed);
    if (at <= written) batch = [];
    if (batch.length < blocksPerCommit && at < Number(height)) continue;
    if (batch.length > 0) await chain.commit(batch);
    batch = [];
    if (at % 500 < blocksPerCommit) console.error(`  PostgreSQL: block ${at} in ${Math.round((performance.now() - started) / 1000)} s`);
  }
}

const blocksPerCommit = 16;

/** How many addresses a generated chain has, whose keys are known and signatures are not valid; or `signed`: keys are recovered from signatures. */
type CopiedChain = { readonly addresses: DataDir['addresses'] | 'signed' };

/** Adds the public keys of the signatures of a transaction, as `serac index` stores them. */
function addSigners(keys: Map<Address, Uint8Array>, tx: Tx): void {
  const hash = sha256(unsignedBytes(tx));
  for (const credential of tx.credentials)
    for (const signature of 'signatures' in credential ? credential.signatures : []) {
      const key = recoverNative(hash, signature.subarray(0, 64), (signature[64] as number) & 3);
      if (key !== undefined) keys.set(toHex(hash160(key)) as Address, key);
    }
}

/** Creates a database on a server unless it is there. */
export async function createDatabase(server: string, name: string): Promise<void> {
  const admin = openPostgres({ url: server, max: 1 });
  try {
    const found = await admin.all('SELECT 1 AS one FROM pg_database WHERE datname = ?', [name]);
    if (found.length === 0) await admin.all(`CREATE DATABASE ${name}`, []);
  } finally {
    await admin.close();
  }
}

/** The block with the outputs that it consumes. Updates `unspent`. */
function replayBlock(bytes: Uint8Array, unspent: Map<Id, Utxo>): NewBlock {
  const block = parseBlock(bytes);
  const consumed = new Map<Id, Utxo>();
  const applied = block.txs.map((tx) => {
    const effects = effectsOf(tx);
    for (const utxo of effects.created) unspent.set(utxo.id, utxo);
    for (const ref of effects.spent) {
      const id = refId(ref);
      const utxo = unspent.get(id);
      if (utxo === undefined) throw new BenchError(`block ${block.height} spends an unknown output`);
      consumed.set(id, utxo);
      unspent.delete(id);
    }
    return { tx, effects };
  });
  return { block, diff: { applied, consumed } };
}
