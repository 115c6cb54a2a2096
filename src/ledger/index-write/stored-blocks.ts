import { effectsOf } from '../../avm/tx/effects.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { batchedStatement, placeholders } from '../index/batched-statement.ts';
import { createChainOutputReads } from '../index-read/read-chain-outputs.ts';
import { numberOutputs } from '../state/block-change.ts';
import type { Applied } from '../state/diff.ts';
import { type Tables, tablesOf } from '../state/schema.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import { decodeStoredUtxo, type StoredUtxo } from '../state/stored-utxo.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import { fetchRows, type Queries, type Query } from '../store/queries.ts';
import type { BlockToIndex } from './block-facts.ts';
import type { BlockWriter, IndexSpec } from './block-writer.ts';

/**
 * Size of one batch: whichever limit is reached first. A large batch changes each page of the tables once: with 256 blocks a batch wrote 15 to 38
 * kB per block, in a chain of up to 100,000 blocks, with 4,096 blocks 2 to 10 (docs/understand/decisions/bulk-loads.md). What a batch writes is in memory
 * until it is written, up to forty times the bytes of its transactions: with 4 MiB of transfers with ten outputs 50 MB more than with 1 MiB.
 */
const batchLimits = { blocks: 4096, txs: 8192, bytes: 1_048_576 };

/** Writes the index of a batch of blocks, starting at a height, as the tables of a node's own chain have them. */
export function createStoredBlockIndexer(
  chain: IndexSpec,
  { write, clearGenesisBalances }: Pick<BlockWriter, 'write' | 'clearGenesisBalances'>,
): (from: number) => Queries<void> {
  const { blocksFrom, genesisTxsFrom } = createStoredBlockReader(chain);
  return function* (from) {
    const isWholeGenesis = from === 0 && chain.completeFrom === 0;
    if (isWholeGenesis) yield* clearGenesisBalances();
    yield* write(yield* blocksFrom(from));
    if (!isWholeGenesis) return;
    // Block 0 has one transaction of the genesis so far. There may be millions from before linearization.
    for (let tx = 2, batch = yield* genesisTxsFrom(tx); batch.length > 0; batch = yield* genesisTxsFrom(tx)) {
      yield* write(batch);
      tx += batch.length;
    }
  };
}

/** Reads transactions with the outputs that they consume and import. */
function createStoredTxReader(chain: IndexSpec, t: Tables) {
  const sizes = [64, 8, 1];
  const outputs = createChainOutputReads('sqlite', t);
  // Rows of `atomic` keep their bytes after the import. Outputs that a followed chain imported are only in `moved`, if anywhere.
  const atomicById = batchedStatement(
    sizes,
    1,
    (n) =>
      `SELECT a.id, p.id AS source, a.bytes FROM atomic a JOIN chain p ON p.number = a.peer
       WHERE a.reader = ${chain.number} AND a.bytes IS NOT NULL AND a.id IN (${placeholders(n)})`,
  );
  const movedById = batchedStatement(
    sizes,
    1,
    (n) => `SELECT id, source, bytes FROM moved WHERE destination = x'${chain.id}' AND id IN (${placeholders(n)})`,
  );

  /** Transactions by number, from `from` up to before `to`. `withCreated`: false leaves out the outputs they create. */
  function* readTxs(from: number, to: number, withCreated: boolean): Queries<Applied[]> {
    const rows = yield* fetchRows<{ id: Uint8Array; bytes: Uint8Array }>([
      { text: `SELECT id, bytes FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`, values: [from, to] },
    ]);
    return rows.map((row) => {
      const tx = parseStoredTx(row);
      const effects = effectsOf(tx);
      return { tx, effects: withCreated ? effects : { ...effects, created: [] } };
    });
  }

  /** Outputs that transactions import, by source chain and id. */
  function* readImported(txs: readonly Applied[]): Queries<ReadonlyMap<string, Utxo>> {
    const ids = txs.flatMap(({ effects }) => effects.imported?.ids ?? []);
    const queries: Query[] = [movedById, atomicById].flatMap((byId) => byId(ids.map(idToBytes)));
    const rows = yield* fetchRows<{ id: Uint8Array; source: Uint8Array; bytes: StoredUtxo }>(queries);
    return new Map(rows.map(({ id, source, bytes }) => [toHex(source) + toHex(id), decodeStoredUtxo(bytes)]));
  }

  /** The outputs of earlier transactions that transactions consume, by ID. */
  function* readEarlier(txs: readonly Applied[]): Queries<Map<Id, NumberedUtxo>> {
    const created = new Set(txs.flatMap(({ effects }) => effects.created.map(({ id }) => id)));
    const earlier = txs.flatMap(({ effects }) => effects.spent.filter((ref) => !created.has(refId(ref))));
    const stored = yield* outputs.byRefs(earlier);
    const known = new Map<Id, NumberedUtxo>();
    for (const [i, ref] of earlier.entries()) if (stored[i] !== undefined) known.set(refId(ref), numberedUtxo(stored[i]));
    return known;
  }

  /** The same transactions, with the outputs they create, those of earlier transactions that they consume, and those that they import. */
  function* readTxsWithOutputs(from: number, to: number) {
    const txs = yield* readTxs(from, to, true);
    return { txs, known: yield* readEarlier(txs), imports: yield* readImported(txs) };
  }

  return { readTxs, readTxsWithOutputs };
}

/** Reads blocks in the form they had when they were stored. */
function createStoredBlockReader(chain: IndexSpec) {
  const t = tablesOf(chain.number);
  const { readTxs, readTxsWithOutputs } = createStoredTxReader(chain, t);

  /** Transactions of height 0, each as an addition to block 0. */
  function* genesisTxsFrom(from: number): Queries<BlockToIndex[]> {
    const [genesis, next] = yield* fetchRows<BlockRow>([
      { text: `SELECT height, time, first_tx, tx_count FROM ${t.block} WHERE height < 2 ORDER BY height`, values: [] },
    ]);
    if (genesis === undefined) return [];
    const end = Math.min(from + batchLimits.txs, next?.first_tx ?? Number.MAX_SAFE_INTEGER);
    const { txs, known, imports } = yield* readTxsWithOutputs(from, end);
    return txs.map((applied, i) => ({
      ...assembleBlock({ ...genesis, first_tx: from + i }, [applied], known, imports),
      extendsGenesis: true,
    }));
  }

  function* blocksFrom(from: number): Queries<BlockToIndex[]> {
    const rows = yield* fetchRows<BlockRow>([
      {
        text: `SELECT height, time, first_tx, tx_count, tx_bytes FROM ${t.block} WHERE height >= ? ORDER BY height LIMIT ? + 0`,
        values: [from, batchLimits.blocks],
      },
    ]);
    const [first, second] = rows;
    if (first === undefined) return [];
    if (first.height === 0) {
      const isComplete = chain.completeFrom === 0;
      const end = isComplete ? first.first_tx + 1 : (second?.first_tx ?? Number.MAX_SAFE_INTEGER);
      const txs = yield* readTxs(first.first_tx, end, isComplete);
      const preLinearization = isComplete
        ? []
        : yield* fetchRows<{ seq: number; bytes: StoredUtxo }>([
            { text: `SELECT seq, bytes FROM ${t.oldUtxo} ORDER BY seq DESC`, values: [] },
          ]);
      return [
        {
          ...assembleBlock({ ...first, tx_count: txs.length }, txs, new Map(), new Map()),
          preLinearizationUtxos: preLinearization.map((row) => numberedUtxo({ ...row, height: 0 })),
        },
      ];
    }
    let [txCount, byteCount] = [0, 0];
    const batch = rows.filter(({ tx_count, tx_bytes }, i) => {
      txCount += tx_count;
      byteCount += tx_bytes;
      return i === 0 || (txCount <= batchLimits.txs && byteCount <= batchLimits.bytes);
    });
    const last = batch[batch.length - 1] as BlockRow;
    // Outputs that the next blocks may consume are added to those known.
    const { txs, known, imports } = yield* readTxsWithOutputs(first.first_tx, last.first_tx + last.tx_count);
    return batch.map((row) => {
      const blockTxs = txs.slice(row.first_tx - first.first_tx, row.first_tx - first.first_tx + row.tx_count);
      return assembleBlock(row, blockTxs, known, imports);
    });
  }

  return { blocksFrom, genesisTxsFrom };
}

/** A block with the outputs that it creates and consumes. Adds the created ones to `known`. */
function assembleBlock(
  row: BlockRow,
  txs: readonly Applied[],
  known: Map<Id, NumberedUtxo>,
  imports: ReadonlyMap<string, Utxo>,
): BlockToIndex {
  const position = { height: row.height, firstTx: row.first_tx };
  const { createdByID, consumedByID } = numberOutputs(txs, position, (id) => known.get(id));
  const imported = new Map<Id, Utxo>();
  for (const { effects } of txs)
    for (const id of effects.imported?.ids ?? []) {
      const utxo = imports.get((effects.imported?.from as Id) + id);
      if (utxo !== undefined) imported.set(id, utxo);
    }
  for (const [id, { spent, ...output }] of createdByID) if (spent === null) known.set(id, output);
  const block = { height: BigInt(row.height), time: BigInt(row.time) };
  return { block, firstTx: row.first_tx, applied: txs, created: [...createdByID.values()], consumed: [...consumedByID.values()], imported };
}

const numberedUtxo = ({ seq, height, bytes }: Pick<NumberedUtxo, 'seq' | 'height' | 'bytes'>): NumberedUtxo => ({
  utxo: decodeStoredUtxo(bytes),
  seq,
  height,
  bytes,
});

type BlockRow = {
  readonly height: number;
  readonly time: number;
  readonly first_tx: number;
  readonly tx_count: number;
  readonly tx_bytes: number;
};
