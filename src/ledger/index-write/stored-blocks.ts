import { effectsOf } from '../../avm/tx/effects.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { batchedStatement, placeholders } from '../index/batched-statement.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import { createChainOutputReads } from '../index-read/read-chain-outputs.ts';
import type { Applied } from '../state/diff.ts';
import { outputNumber } from '../state/output-number.ts';
import { tablesOf } from '../state/schema.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import { decodeStoredUtxo, encodeStoredUtxo, type StoredUtxo } from '../state/stored-utxo.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import type { BlockToIndex } from './block-facts.ts';
import type { IndexSpec } from './block-writer.ts';

/** Size of one batch: whichever limit is reached first. */
const batchLimits = { blocks: 256, txs: 1024 };

/**
 * Creates a function that reads a batch of blocks, starting at a height, from the tables of a node's own chain, in the form they had when
 * they were stored.
 */
export function createStoredBlockReader(chain: IndexSpec): (from: number) => Steps<BlockToIndex[]> {
  const t = tablesOf(chain.number);
  const sizes = [64, 8, 1];
  const outputs = createChainOutputReads(t);
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
        text: `SELECT height, time, first_tx, tx_count FROM ${t.block} WHERE height >= ? ORDER BY height LIMIT ? + 0`,
        values: [from, batchLimits.blocks],
      },
    ]);
    const [first, second] = rows;
    if (first === undefined) return [];
    if (first.height === 0) {
      const isComplete = chain.completeFrom === 0;
      const txs = yield* readTxs(first.first_tx, second?.first_tx ?? Number.MAX_SAFE_INTEGER, isComplete);
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
    let count = 0;
    const batch = rows.filter(({ tx_count }, i) => {
      count += tx_count;
      return i === 0 || count <= batchLimits.txs;
    });
    const last = batch[batch.length - 1] as BlockRow;
    const txs = yield* readTxs(first.first_tx, last.first_tx + last.tx_count, true);
    const created = new Set(txs.flatMap(({ effects }) => effects.created.map(({ id }) => id)));
    const earlier = txs.flatMap(({ effects }) => effects.spent.filter((ref) => !created.has(refId(ref))));
    const stored = yield* outputs.byRefs(earlier);
    // Outputs that the next blocks may consume.
    const known = new Map<Id, NumberedUtxo>();
    for (const [i, ref] of earlier.entries()) if (stored[i] !== undefined) known.set(refId(ref), numberedUtxo(stored[i]));
    const imports = yield* readImported(txs);
    return batch.map((row) => {
      const blockTxs = txs.slice(row.first_tx - first.first_tx, row.first_tx - first.first_tx + row.tx_count);
      return assembleBlock(row, blockTxs, known, imports);
    });
  };
}

/** A block with the outputs that it creates and consumes. Adds the created ones to `known`. */
function assembleBlock(
  row: BlockRow,
  txs: readonly Applied[],
  known: Map<Id, NumberedUtxo>,
  imports: ReadonlyMap<string, Utxo>,
): BlockToIndex {
  const created = new Map<Id, NumberedUtxo & { spent: number | null }>();
  const consumed: (NumberedUtxo & { spent: number })[] = [];
  const imported = new Map<Id, Utxo>();
  for (const [i, { effects }] of txs.entries()) {
    const seq = row.first_tx + i;
    for (const ref of effects.spent) {
      const [own, earlier] = [created.get(refId(ref)), known.get(refId(ref))];
      if (own !== undefined) own.spent = seq;
      else if (earlier !== undefined) consumed.push({ ...earlier, spent: seq });
    }
    for (const utxo of effects.created) {
      const bytes = encodeStoredUtxo(utxo);
      created.set(utxo.id, { utxo, seq: outputNumber(seq, utxo.outputIndex), height: row.height, bytes, spent: null });
    }
    for (const id of effects.imported?.ids ?? []) {
      const utxo = imports.get((effects.imported?.from as Id) + id);
      if (utxo !== undefined) imported.set(id, utxo);
    }
  }
  for (const [id, { spent, ...output }] of created) if (spent === null) known.set(id, output);
  const block = { height: BigInt(row.height), time: BigInt(row.time) };
  return { block, firstTx: row.first_tx, applied: txs, created: [...created.values()], consumed, imported };
}

const numberedUtxo = ({ seq, height, bytes }: Pick<NumberedUtxo, 'seq' | 'height' | 'bytes'>): NumberedUtxo => ({
  utxo: decodeStoredUtxo(bytes),
  seq,
  height,
  bytes,
});

type BlockRow = { readonly height: number; readonly time: number; readonly first_tx: number; readonly tx_count: number };
