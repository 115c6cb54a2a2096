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
import type { BlockWriter, IndexSpec } from './block-writer.ts';

/** Size of one batch: whichever limit is reached first. */
const batchLimits = { blocks: 256, txs: 1024 };

/** Writes the index of a batch of blocks, starting at a height, as the tables of a node's own chain have them. */
export function createStoredBlockIndexer(
  chain: IndexSpec,
  { write, clearGenesisBalances }: Pick<BlockWriter, 'write' | 'clearGenesisBalances'>,
): (from: number) => Steps<void> {
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

/** Reads blocks in the form they had when they were stored. */
function createStoredBlockReader(chain: IndexSpec) {
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

  /** Transactions of height 0, each as an addition to block 0. */
  function* genesisTxsFrom(from: number): Steps<BlockToIndex[]> {
    const rows = yield* fetchRows<BlockRow>([
      { text: `SELECT height, time, first_tx, tx_count FROM ${t.block} WHERE height < 2 ORDER BY height`, values: [] },
    ]);
    const [genesis, next] = rows;
    const end = Math.min(from + batchLimits.txs, next?.first_tx ?? Number.MAX_SAFE_INTEGER);
    if (genesis === undefined) return [];
    const txs = yield* readTxs(from, end, true);
    const ids = txs.flatMap(({ effects }) => [...effects.spent, ...effects.created.map(({ id }) => id)]);
    const byId = new Map((yield* fetchRows<UtxoRow>(utxosById([...new Set(ids)].map(idToBytes)))).map((row) => [toHex(row.id), row]));
    const imports = yield* readImported(txs);
    return txs.map((applied, i): BlockToIndex => {
      const rowsOf = (wanted: readonly Id[]) => wanted.flatMap((id) => byId.get(id) ?? []);
      return {
        block: { height: 0n, time: BigInt(genesis.time) },
        firstTx: from + i,
        applied: [applied],
        created: rowsOf(applied.effects.created.map(({ id }) => id)).map((row) => ({ ...numberedUtxo(row), spent: null })),
        consumed: rowsOf(applied.effects.spent).map((row) => ({ ...numberedUtxo(row), spent: from + i })),
        imported: importedBy([applied], imports),
        extendsGenesis: true,
      };
    });
  }

  function* blocksFrom(from: number): Steps<BlockToIndex[]> {
    const rows = yield* fetchRows<BlockRow>([
      {
        text: `SELECT height, time, first_tx, tx_count FROM ${t.block} WHERE height >= ? ORDER BY height LIMIT ? + 0`,
        values: [from, batchLimits.blocks],
      },
    ]);
    const [first, second] = rows;
    if (first === undefined) return [];
    if (first.height === 0) {
      const isComplete = chain.completeFrom === 0;
      const end = isComplete ? first.first_tx + 1 : (second?.first_tx ?? Number.MAX_SAFE_INTEGER);
      const txs = yield* readTxs(first.first_tx, end, isComplete);
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
    let count = 0;
    const batch = rows.filter(({ tx_count }, i) => {
      count += tx_count;
      return i === 0 || count <= batchLimits.txs;
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
  }

  return { blocksFrom, genesisTxsFrom };
}

/** The known outputs of other chains that transactions import. */
function importedBy(txs: readonly Applied[], imports: ReadonlyMap<string, Utxo>): ReadonlyMap<Id, Utxo> {
  const imported = new Map<Id, Utxo>();
  for (const { effects } of txs)
    for (const id of effects.imported?.ids ?? []) {
      const utxo = imports.get((effects.imported?.from as Id) + id);
      if (utxo !== undefined) imported.set(id, utxo);
    }
  return imported;
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
  return {
    block: { height: BigInt(row.height), time: BigInt(row.time) },
    firstTx: row.first_tx,
    applied: txs,
    created: created.map((utxo) => ({ ...numberedUtxo(utxo), spent: utxo.spent !== null && isOwn(utxo.spent) ? utxo.spent : null })),
    consumed: consumed.map((utxo) => ({ ...numberedUtxo(utxo), spent: utxo.spent as number })),
    imported: importedBy(txs, imports),
  };
}

const numberedUtxo = ({ seq, height, bytes }: UtxoRow): NumberedUtxo => ({ utxo: decodeStoredUtxo(bytes), seq, height, bytes });

type BlockRow = { readonly height: number; readonly time: number; readonly first_tx: number; readonly tx_count: number };
