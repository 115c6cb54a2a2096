import type { Utxo } from '../../avm/tx/utxo.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { addressBlob } from '../index/blob.ts';
import { tiebreakerOf } from '../index/output-set.ts';
import type { SqlValue } from '../index/sql.ts';
import { type OutputSet, outputSets } from '../index/tables.ts';
import { ownersOf } from '../state/balance.ts';
import { decodeStoredUtxo, encodeStoredUtxo, type StoredUtxo } from '../state/stored-utxo.ts';
import { fetchRows, type Queries, type Query } from '../store/queries.ts';
import type { BlockToIndex } from './block-facts.ts';
import type { IndexSpec } from './block-writer.ts';
import { incompleteImportsOf, type RecoverSigner } from './incomplete-imports.ts';
import type { WriterQueries } from './writer-queries.ts';

/** Rows of table `moved` for the outputs that some blocks export or import, by `movedOutputKey`. */
type KnownMovedOutputs = ReadonlyMap<string, MovedOutputRow>;

export type MovedOutputRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  readonly bytes: StoredUtxo;
  readonly seen: number;
  readonly put_height: number | null;
  readonly taken_time: number | null;
};

export function* readKnownMovedOutputs(q: WriterQueries, blocks: readonly BlockToIndex[]): Queries<KnownMovedOutputs> {
  const ids: Id[] = [];
  for (const { applied } of blocks)
    for (const {
      effects: { imported, exported },
    } of applied) {
      if (imported !== undefined) for (const id of imported.ids) ids.push(id);
      if (exported !== undefined) for (const { id } of exported.utxos) ids.push(id);
    }
  if (ids.length === 0) return noMovedOutputs;
  const rows = yield* fetchRows<MovedOutputRow>(q.moved(ids.map(idToBytes)));
  return new Map(rows.map((row) => [movedOutputKey(toHex(row.id), toHex(row.source), toHex(row.destination)), row]));
}

const noMovedOutputs: KnownMovedOutputs = new Map();

const movedOutputKey = (id: string, source: string, destination: string): string => id + source + destination;

/**
 * The same blocks, completed with imported outputs that are known only from table `moved`, and with what the imports show of those that are
 * unknown.
 */
export function withKnownImports(
  blocks: readonly BlockToIndex[],
  chain: Id,
  known: KnownMovedOutputs,
  recover: RecoverSigner | undefined,
): readonly BlockToIndex[] {
  return blocks.map((block) => {
    const imports = block.applied.filter(({ effects }) => effects.imported !== undefined);
    if (imports.length === 0) return block;
    const imported = new Map(block.imported);
    for (const { tx, effects } of imports) {
      const { ids, from } = effects.imported as NonNullable<typeof effects.imported>;
      for (const id of ids) {
        const row = known.get(movedOutputKey(id, from, chain));
        if (row !== undefined && !imported.has(id)) imported.set(id, decodeStoredUtxo(row.bytes));
      }
      if (recover === undefined || ids.every((id) => imported.has(id))) continue;
      for (const [id, utxo] of incompleteImportsOf(tx, recover)) if (!imported.has(id)) imported.set(id, utxo);
    }
    return { ...block, imported };
  });
}

/**
 * Records exports and imports of blocks in table `moved`. Of one output either may be recorded first, since the blocks of the other chain
 * may be indexed later, or never. Returns the queries that write `moved` and the output sets of both chains.
 */
export function* recordMovedOutputs(
  q: WriterQueries,
  { id: chain, number }: Pick<IndexSpec, 'id' | 'number'>,
  blocks: readonly BlockToIndex[],
  known: KnownMovedOutputs,
): Queries<Query[]> {
  const insertions: SetInsertion[] = [];
  const queries: Query[] = [];
  const movesByChain = new Map<Id, SetMove[]>();
  const addMove = (other: Id, move: SetMove): void => void movesByChain.set(other, [...(movesByChain.get(other) ?? []), move]);
  /** Adds rows to `moved`, once their numbers are known. */
  const newRows: ((seq: number) => void)[] = [];

  const recordExport = (utxo: Utxo, to: Id, height: number, time: number): void => {
    const row = known.get(movedOutputKey(utxo.id, chain, to));
    if (row === undefined)
      return void newRows.push((seq) => {
        queries.push(...q.addMoved([seq, ...keyBlobs(utxo.id, chain, to), encodeStoredUtxo(utxo), time, height, null, null, null]));
        insertions.push({ utxo, seq: -seq, time, outputSet: outputSets.exported });
      });
    queries.push(...q.setMovedExport([height, time, row.seq]));
    insertions.push({ utxo, seq: -row.seq, time, outputSet: row.taken_time === null ? outputSets.exported : outputSets.exportedSpent });
    // The row exists, so the destination is indexed here and its import came first. It lists the output at the time of the import;
    // from now on it is listed at the time of the export.
    addMove(to, { utxo, seq: -row.seq, time, outputSet: outputSets.imported, fromSet: outputSets.imported, previousTime: row.seen });
  };

  const recordImport = (utxo: Utxo, from: Id, by: Id, height: number, time: number): void => {
    const row = known.get(movedOutputKey(utxo.id, from, chain));
    const importValues = [idToBytes(by), height, time];
    if (row === undefined)
      return void newRows.push((seq) => {
        queries.push(...q.addMoved([seq, ...keyBlobs(utxo.id, from, chain), encodeStoredUtxo(utxo), time, null, ...importValues]));
        insertions.push({ utxo, seq: -seq, time, outputSet: outputSets.imported });
      });
    queries.push(...q.setMovedImport([...importValues, row.seq]));
    insertions.push({ utxo, seq: -row.seq, time: row.seen, outputSet: outputSets.imported });
    // With an export height the source chain is indexed here and has the output in its exported set, unless it is already known as spent.
    if (row.put_height === null || row.taken_time !== null) return;
    addMove(from, { utxo, seq: -row.seq, time: row.seen, fromSet: outputSets.exported, outputSet: outputSets.exportedSpent });
  };

  for (const { block, applied, imported } of blocks) {
    const [height, time] = [Number(block.height), Number(block.time)];
    for (const { tx, effects } of applied) {
      if (effects.exported === undefined && effects.imported === undefined) continue;
      for (const utxo of effects.exported?.utxos ?? []) recordExport(utxo, effects.exported?.to as Id, height, time);
      for (const id of effects.imported?.ids ?? []) {
        const utxo = imported.get(id);
        if (utxo !== undefined) recordImport(utxo, effects.imported?.from as Id, tx.id, height, time);
      }
    }
  }
  if (newRows.length > 0) {
    const [last] = yield* fetchRows<{ seq: number | null }>([q.lastMoved]);
    for (const [i, add] of newRows.entries()) add((last?.seq ?? 0) + 1 + i);
  }
  for (const [other, moves] of movesByChain) {
    const [indexed] = yield* fetchRows<{ number: number }>(q.chainNumber([idToBytes(other)]));
    if (indexed === undefined) continue;
    queries.push(...setMoveQueries(q.movedOwnerQueries(indexed.number), moves));
  }
  return [...queries, ...q.movedOwnerQueries(number).add(insertionRows(insertions))];
}

/** Queries that move outputs from one set of a chain to another. */
export const setMoveQueries = (owners: ReturnType<WriterQueries['movedOwnerQueries']>, moves: readonly SetMove[]): Query[] => [
  ...owners.remove(removalRows(moves)),
  ...owners.add(insertionRows(moves)),
];

const keyBlobs = (id: Id, source: Id, destination: Id) => [idToBytes(id), idToBytes(source), idToBytes(destination)];

/** An output that moved between chains, to insert into an output set of each of its owners. `time`: when it was created. */
export type SetInsertion = { readonly utxo: Utxo; readonly seq: number; readonly time: number; readonly outputSet: OutputSet };

/** An output that moves from another set, or within a set from another time. */
export type SetMove = SetInsertion & { readonly fromSet: OutputSet; readonly previousTime?: number };

/** Rows of table `moved_owner`, as a flat list of values. */
export function insertionRows(insertions: readonly SetInsertion[]): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { utxo, seq, time, outputSet } of insertions) {
    const tiebreaker = tiebreakerOf(utxo);
    for (const address of ownersOf(utxo)) rows.push(addressBlob(address), outputSet, time, tiebreaker, seq);
  }
  return rows;
}

/** The rows that the outputs have in the sets they leave, in the same form. */
export const removalRows = (moves: readonly SetMove[]): SqlValue[] =>
  insertionRows(moves.map(({ fromSet, previousTime, ...move }) => ({ ...move, outputSet: fromSet, time: previousTime ?? move.time })));
