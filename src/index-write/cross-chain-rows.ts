import { toHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { ask, type Query, type Steps } from '../index/steps.ts';
import { shelves } from '../index/tables.ts';
import { restored, type StoredUtxo, stored } from '../state/stored-utxo.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { NewInIndex } from './block-facts.ts';
import { leavingRows, type Moving, type Placing, placingRows } from './output-set-rows.ts';
import type { WriterQueries } from './writer-queries.ts';

/** What is known of the outputs that some blocks export or import, by `moveKey`. */
export type KnownMoves = ReadonlyMap<string, MovedRow>;

export type MovedRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  readonly bytes: StoredUtxo;
  readonly seen: number;
  readonly put_height: number | null;
  readonly taken_time: number | null;
};

export function* knownMoves(q: WriterQueries, blocks: readonly NewInIndex[]): Steps<KnownMoves> {
  const ids = blocks.flatMap(({ applied }) =>
    applied.flatMap(({ effects }) => [...(effects.imported?.ids ?? []), ...(effects.exported?.utxos.map(({ id }) => id) ?? [])]),
  );
  if (ids.length === 0) return none;
  const rows = yield* ask<MovedRow>(q.moved(ids.map(idToBytes)));
  return new Map(rows.map((row) => [moveKey(toHex(row.id), toHex(row.source), toHex(row.destination)), row]));
}

const none: KnownMoves = new Map();

const moveKey = (id: string, source: string, destination: string): string => id + source + destination;

/** The same blocks, with imported outputs that only the index knows. */
export function withKnownImports(blocks: readonly NewInIndex[], chain: Id, known: KnownMoves): readonly NewInIndex[] {
  if (known.size === 0) return blocks;
  return blocks.map((block) => {
    const imported = new Map(block.imported);
    for (const { effects } of block.applied)
      for (const id of effects.imported?.ids ?? []) {
        const row = known.get(moveKey(id, effects.imported?.from as Id, chain));
        if (row !== undefined && !imported.has(id)) imported.set(id, restored(row.bytes));
      }
    return { ...block, imported };
  });
}

/**
 * Exports put rows, imports complete them; either may come first, since the other chain's blocks may be indexed later, or never.
 * `placings` are this chain's own rows for what it exports and imports; rows of the other chain are moved by the queries.
 */
export function* moveOutputs(q: WriterQueries, chain: Id, blocks: readonly NewInIndex[], known: KnownMoves) {
  const placings: Placing[] = [];
  const queries: Query[] = [];
  const elsewhere = new Map<Id, Moving[]>();
  const moveOn = (other: Id, moving: Moving): void => void elsewhere.set(other, [...(elsewhere.get(other) ?? []), moving]);
  const fresh: ((seq: number) => void)[] = [];

  const put = (utxo: Utxo, to: Id, height: number, time: number): void => {
    const row = known.get(moveKey(utxo.id, chain, to));
    if (row === undefined)
      return void fresh.push((seq) => {
        queries.push(...q.addMoved([seq, ...nameOf(utxo.id, chain, to), stored(utxo), time, height, null, null, null]));
        placings.push({ utxo, seq: -seq, time, shelf: shelves.exported });
      });
    queries.push(...q.putMoved([height, time, row.seq]));
    placings.push({ utxo, seq: -row.seq, time, shelf: row.taken_time === null ? shelves.exported : shelves.taken });
    // Known before it was put: so the chain that took it is indexed here, and had no better time for it than its own.
    moveOn(to, { utxo, seq: -row.seq, time, shelf: shelves.imported, from: shelves.imported, timeBefore: row.seen });
  };

  const take = (utxo: Utxo, from: Id, by: Id, height: number, time: number): void => {
    const row = known.get(moveKey(utxo.id, from, chain));
    const taken = [idToBytes(by), height, time];
    if (row === undefined)
      return void fresh.push((seq) => {
        queries.push(...q.addMoved([seq, ...nameOf(utxo.id, from, chain), stored(utxo), time, null, ...taken]));
        placings.push({ utxo, seq: -seq, time, shelf: shelves.imported });
      });
    queries.push(...q.takeMoved([...taken, row.seq]));
    placings.push({ utxo, seq: -row.seq, time: row.seen, shelf: shelves.imported });
    // Known as put: so the chain it comes from is indexed here, and has it among its exported ones since then, unless it is known to be gone.
    if (row.put_height === null || row.taken_time !== null) return;
    moveOn(from, { utxo, seq: -row.seq, time: row.seen, from: shelves.exported, shelf: shelves.taken });
  };

  for (const { block, applied, imported } of blocks) {
    const [height, time] = [Number(block.height), Number(block.time)];
    for (const { tx, effects } of applied) {
      for (const utxo of effects.exported?.utxos ?? []) put(utxo, effects.exported?.to as Id, height, time);
      for (const id of effects.imported?.ids ?? []) {
        const utxo = imported.get(id);
        if (utxo !== undefined) take(utxo, effects.imported?.from as Id, tx.id, height, time);
      }
    }
  }
  if (fresh.length > 0) {
    const [last] = yield* ask<{ seq: number | null }>([q.lastMoved]);
    for (const [i, add] of fresh.entries()) add((last?.seq ?? 0) + 1 + i);
  }
  for (const [other, movings] of elsewhere) {
    const [indexed] = yield* ask<{ number: number }>(q.numberOf([idToBytes(other)]));
    if (indexed === undefined) continue;
    queries.push(...moveQueries(q.shelvesOf(indexed.number), movings));
  }
  return { placings, queries };
}

/** What brings outputs from one shelf of a chain to another. */
export function moveQueries(there: ReturnType<WriterQueries['shelvesOf']>, movings: readonly Moving[]): Query[] {
  const [left, placed] = [leavingRows(movings), placingRows(movings)];
  return [
    ...there.removeHolding(left.holding),
    ...there.removeAmount(left.amount),
    ...there.addHolding(placed.holding),
    ...there.addAmount(placed.amount),
  ];
}

const nameOf = (id: Id, source: Id, destination: Id) => [idToBytes(id), idToBytes(source), idToBytes(destination)];
