import { toHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { bulk, marks } from '../index/bulk.ts';
import { ask, type Query, type Steps } from '../index/steps.ts';
import type { Applied } from '../state/diff.ts';
import { tablesOf } from '../state/schema.ts';
import { storedTx } from '../state/stored-tx.ts';
import { restored, type StoredUtxo } from '../state/stored-utxo.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { NewInIndex } from './block-facts.ts';
import type { IndexSpec } from './block-writer.ts';

/** One step of reading: whichever is reached first. */
const limits = { blocks: 256, txs: 1024 };

/** Reads blocks back from the tables of a node's own chain, from a height on, as they were when they were stored: a few at a time. */
export function storedBlocks(chain: IndexSpec): (from: number) => Steps<NewInIndex[]> {
  const t = tablesOf(chain.number);
  const sizes = [64, 8, 1];
  const utxosById = bulk(
    sizes,
    1,
    (n) => `SELECT seq, id, height, bytes, tx AS spent FROM ${t.utxo} LEFT JOIN ${t.spend} ON utxo = seq WHERE id IN (${marks(n)})`,
  );
  // Taken ones keep their bytes. What a followed chain imported is known to the index alone, if at all.
  const atomicById = bulk(
    sizes,
    1,
    (n) =>
      `SELECT a.id, p.id AS source, a.bytes FROM atomic a JOIN chain p ON p.number = a.peer
       WHERE a.reader = ${chain.number} AND a.bytes IS NOT NULL AND a.id IN (${marks(n)})`,
  );
  const movedById = bulk(sizes, 1, (n) => `SELECT id, source, bytes FROM moved WHERE destination = x'${chain.id}' AND id IN (${marks(n)})`);

  function* applied(from: number, to: number, created: boolean): Steps<Applied[]> {
    const rows = yield* ask<{ id: Uint8Array; bytes: Uint8Array }>([
      { text: `SELECT id, bytes FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`, values: [from, to] },
    ]);
    return rows.map((row) => {
      const tx = storedTx(row);
      const effects = effectsOf(tx);
      return { tx, effects: created ? effects : { ...effects, created: [] } };
    });
  }

  function* imported(txs: readonly Applied[]): Steps<ReadonlyMap<string, Utxo>> {
    const ids = txs.flatMap(({ effects }) => effects.imported?.ids ?? []);
    const queries: Query[] = [movedById, atomicById].flatMap((byId) => byId(ids.map(idToBytes)));
    const rows = yield* ask<{ id: Uint8Array; source: Uint8Array; bytes: StoredUtxo }>(queries);
    return new Map(rows.map(({ id, source, bytes }) => [toHex(source) + toHex(id), restored(bytes)]));
  }

  return function* (from) {
    const rows = yield* ask<BlockRow>([
      {
        text: `SELECT height, time, first_tx, tx_count FROM ${t.block} WHERE height >= ? ORDER BY height LIMIT ? + 0`,
        values: [from, limits.blocks],
      },
    ]);
    const [first, second] = rows;
    if (first === undefined) return [];
    if (first.height === 0) {
      const isWhole = chain.completeFrom === 0;
      const txs = yield* applied(first.first_tx, second?.first_tx ?? Number.MAX_SAFE_INTEGER, isWhole);
      const made = yield* ask<UtxoRow>(utxosById(txs.flatMap(({ effects }) => effects.created.map(({ id }) => idToBytes(id)))));
      const older = isWhole
        ? []
        : yield* ask<UtxoRow>([{ text: `SELECT seq, id, height, bytes, NULL AS spent FROM ${t.utxo} WHERE height = 0`, values: [] }]);
      return [{ ...assembled({ ...first, tx_count: txs.length }, txs, made, new Map()), older: older.map(numbered) }];
    }
    let count = 0;
    const taken = rows.filter(({ tx_count }, i) => {
      count += tx_count;
      return i === 0 || count <= limits.txs;
    });
    const last = taken[taken.length - 1] as BlockRow;
    const txs = yield* applied(first.first_tx, last.first_tx + last.tx_count, true);
    const ids = txs.flatMap(({ effects }) => [...effects.spent, ...effects.created.map(({ id }) => id)]);
    const utxos = yield* ask<UtxoRow>(utxosById([...new Set(ids)].map(idToBytes)));
    const byBlock = groupByBlock(taken, utxos);
    const imports = yield* imported(txs);
    return taken.map((row, i) => {
      const own = txs.slice(row.first_tx - first.first_tx, row.first_tx - first.first_tx + row.tx_count);
      return assembled(row, own, byBlock[i] as UtxoRow[], imports);
    });
  };
}

/** Outputs that a block makes or consumes. */
function groupByBlock(blocks: readonly BlockRow[], utxos: readonly UtxoRow[]): UtxoRow[][] {
  const groups = blocks.map((): UtxoRow[] => []);
  const firstHeight = blocks[0]?.height as number;
  const blockOfTx = new Map<number, number>();
  for (const [i, { first_tx, tx_count }] of blocks.entries()) for (let n = 0; n < tx_count; n++) blockOfTx.set(first_tx + n, i);
  for (const row of utxos) {
    const maker = row.height - firstHeight;
    const spender = row.spent === null ? undefined : blockOfTx.get(row.spent);
    if (row.height > 0) groups[maker]?.push(row);
    if (spender !== undefined && (spender !== maker || row.height === 0)) groups[spender]?.push(row);
  }
  return groups;
}

function assembled(row: BlockRow, txs: readonly Applied[], utxos: readonly UtxoRow[], imports: ReadonlyMap<string, Utxo>): NewInIndex {
  const isOwn = (tx: number): boolean => tx >= row.first_tx && tx < row.first_tx + row.tx_count;
  const ofBlock = utxos.filter(({ height }) => height === row.height);
  const before = utxos.filter(({ height, spent }) => height !== row.height && spent !== null && isOwn(spent));
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
    made: ofBlock.map((utxo) => ({ ...numbered(utxo), spent: utxo.spent !== null && isOwn(utxo.spent) ? utxo.spent : null })),
    consumed: before.map((utxo) => ({ ...numbered(utxo), spent: utxo.spent as number })),
    imported,
  };
}

const numbered = ({ seq, height, bytes }: UtxoRow): NumberedUtxo => ({ utxo: restored(bytes), seq, height, bytes });

type BlockRow = { readonly height: number; readonly time: number; readonly first_tx: number; readonly tx_count: number };

type UtxoRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly height: number;
  readonly bytes: StoredUtxo;
  /** Number of the transaction that consumed it. */
  readonly spent: number | null;
};
