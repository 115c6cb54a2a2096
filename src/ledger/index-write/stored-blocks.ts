import { effectsOf } from '../../avm/tx/effects.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { batchedStatement, placeholders } from '../index/batched-statement.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import type { Applied } from '../state/diff.ts';
import { tablesOf } from '../state/schema.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import { decodeStoredUtxo, type StoredUtxo } from '../state/stored-utxo.ts';
import type { NumberedUtxo, UtxoRow } from '../state/utxo-table.ts';
import type { BlockToIndex } from './block-facts.ts';
import type { IndexSpec } from './block-writer.ts';

/**
 * Size of one batch: whichever limit is reached first. A large batch changes each page of the tables once: with 256 blocks a batch wrote 15 to 38
 * kB per block, in a chain of up to 100,000 blocks, with 4,096 blocks 2 to 10 (docs/decisions/bulk-loads.md).
 */
const batchLimits = { blocks: 4096, txs: 8192, bytes: 4 * 1024 * 1024 };

/**
 * Creates a function that reads a batch of blocks, starting at a height, from the tables of a node's own chain, in the form they had when
 * they were stored.
 */
export function createStoredBlockReader(chain: IndexSpec): (from: number) => Steps<BlockToIndex[]> {
  const t = tablesOf(chain.number);
  const sizes = [64, 8, 1];
  const utxosById = batchedStatement(
    sizes,
    1,
    (n) => `SELECT seq, id, height, bytes, tx AS spent FROM ${t.utxo} LEFT JOIN ${t.spend} ON utxo = seq WHERE id IN (${placeholders(n)})`,
  );
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
  function* readTxs(from: number, to: number, withCreated: boolean): Steps<Applied[]> {
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
  function* readImported(txs: readonly Applied[]): Steps<ReadonlyMap<string, Utxo>> {
    const ids = txs.flatMap(({ effects }) => effects.imported?.ids ?? []);
    const queries: Query[] = [movedById, atomicById].flatMap((byId) => byId(ids.map(idToBytes)));
    const rows = yield* fetchRows<{ id: Uint8Array; source: Uint8Array; bytes: StoredUtxo }>(queries);
    return new Map(rows.map(({ id, source, bytes }) => [toHex(source) + toHex(id), decodeStoredUtxo(bytes)]));
  }

  return function* (from) {
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
      const txs = yield* readTxs(first.first_tx, second?.first_tx ?? Number.MAX_SAFE_INTEGER, isComplete);
      const created = yield* fetchRows<UtxoRow>(utxosById(txs.flatMap(({ effects }) => effects.created.map(({ id }) => idToBytes(id)))));
      const preLinearization = isComplete
        ? []
        : yield* fetchRows<UtxoRow>([{ text: `SELECT seq, id, height, bytes, NULL AS spent FROM ${t.utxo} WHERE height = 0`, values: [] }]);
      return [
        {
          ...assembleBlock({ ...first, tx_count: txs.length }, txs, created, new Map()),
          preLinearizationUtxos: preLinearization.map(numberedUtxo),
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
    const txs = yield* readTxs(first.first_tx, last.first_tx + last.tx_count, true);
    const ids = txs.flatMap(({ effects }) => [...effects.spent, ...effects.created.map(({ id }) => id)]);
    const utxos = yield* fetchRows<UtxoRow>(utxosById([...new Set(ids)].map(idToBytes)));
    const byBlock = groupByBlock(batch, utxos);
    const imports = yield* readImported(txs);
    return batch.map((row, i) => {
      const blockTxs = txs.slice(row.first_tx - first.first_tx, row.first_tx - first.first_tx + row.tx_count);
      return assembleBlock(row, blockTxs, byBlock[i] as UtxoRow[], imports);
    });
  };
}

/** The outputs that each block creates or consumes. */
function groupByBlock(blocks: readonly BlockRow[], utxos: readonly UtxoRow[]): UtxoRow[][] {
  const groups = blocks.map((): UtxoRow[] => []);
  const firstHeight = blocks[0]?.height as number;
  const blockOfTx = new Map<number, number>();
  for (const [i, { first_tx, tx_count }] of blocks.entries()) for (let n = 0; n < tx_count; n++) blockOfTx.set(first_tx + n, i);
  for (const row of utxos) {
    const creator = row.height - firstHeight;
    const spender = row.spent === null ? undefined : blockOfTx.get(row.spent);
    if (row.height > 0) groups[creator]?.push(row);
    if (spender !== undefined && (spender !== creator || row.height === 0)) groups[spender]?.push(row);
  }
  return groups;
}

function assembleBlock(
  row: BlockRow,
  txs: readonly Applied[],
  utxos: readonly UtxoRow[],
  imports: ReadonlyMap<string, Utxo>,
): BlockToIndex {
  const isOwn = (tx: number): boolean => tx >= row.first_tx && tx < row.first_tx + row.tx_count;
  const created = utxos.filter(({ height }) => height === row.height);
  const consumed = utxos.filter(({ height, spent }) => height !== row.height && spent !== null && isOwn(spent));
  const imported = new Map<Id, Utxo>();
  for (const { effects } of txs)
    for (const id of effects.imported?.ids ?? []) {
      const utxo = imports.get((effects.imported?.from as Id) + id);
      if (utxo !== undefined) imported.set(id, utxo);
    }
  return {
    block: { height: BigInt(row.height), time: BigInt(row.time) },
    firstTx: row.first_tx,
    applied: txs,
    created: created.map((utxo) => ({ ...numberedUtxo(utxo), spent: utxo.spent !== null && isOwn(utxo.spent) ? utxo.spent : null })),
    consumed: consumed.map((utxo) => ({ ...numberedUtxo(utxo), spent: utxo.spent as number })),
    imported,
  };
}

const numberedUtxo = ({ seq, height, bytes }: UtxoRow): NumberedUtxo => ({ utxo: decodeStoredUtxo(bytes), seq, height, bytes });

type BlockRow = {
  readonly height: number;
  readonly time: number;
  readonly first_tx: number;
  readonly tx_count: number;
  readonly tx_bytes: number;
};
