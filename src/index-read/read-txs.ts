import { addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idText, idToBytes } from '../bytes/id.ts';
import { lookup } from '../index/batch.ts';
import { ask, askTogether, type Query, type Steps } from '../index/steps.ts';
import { type IndexTables, kinds } from '../index/tables.ts';
import { damagedRow } from '../state/fault.ts';
import type { Tables } from '../state/schema.ts';
import { storedTx } from '../state/stored-tx.ts';
import { restored } from '../state/stored-utxo.ts';
import { type Effects, effectsOf } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { OutputEntry, Pin, Subject, TxEntry, TxQuery } from './index-reads.ts';
import { merged, type Source } from './merge.ts';
import type { BlockReads } from './read-blocks.ts';
import { type Found, type MovedRow, type OutputReads, type OwnRow, spentBy, spentIn, takenBy } from './read-outputs.ts';

export type TxReads = {
  readonly tx: (id: Id, pin: Pin) => Steps<TxEntry | undefined>;
  readonly txs: (query: TxQuery) => Steps<TxEntry[]>;
  /** Numbers only. */
  readonly numbers: (query: TxQuery) => Steps<number[]>;
  readonly bySeq: (seqs: readonly number[]) => Query[];
};

export function txReads(t: Tables & IndexTables, chainID: Id, blocks: BlockReads, outputs: OutputReads): TxReads {
  const columns = `SELECT x.seq, x.id, x.bytes, x.height, b.id AS block, b.time FROM ${t.tx} x JOIN ${t.block} b ON b.height = x.height`;
  const bySeq = lookup((keys) => `${columns} WHERE x.seq IN (${keys})`);
  const byId = `${columns} WHERE x.id = ?`;
  const ofSubject = {
    asc: `SELECT tx AS seq FROM ${t.history} WHERE subject = ? AND kind = ? AND tx > ? AND tx < ? ORDER BY tx LIMIT ? + 0`,
    desc: `SELECT tx AS seq FROM ${t.history} WHERE subject = ? AND kind = ? AND tx > ? AND tx < ? ORDER BY tx DESC LIMIT ? + 0`,
  };
  const ofChain = {
    asc: `SELECT seq FROM ${t.tx} WHERE seq > ? AND seq < ? ORDER BY seq LIMIT ? + 0`,
    desc: `SELECT seq FROM ${t.tx} WHERE seq > ? AND seq < ? ORDER BY seq DESC LIMIT ? + 0`,
  };

  function* numbers({ pin, subjects, kinds: wanted, times, after, order, limit }: TxQuery): Steps<number[]> {
    const { before, last } = yield* blocks.bounds(times);
    // Both exclusive.
    let low = before?.lastTx ?? 0;
    let high = (times.to === undefined ? pin.lastTx : Math.min(pin.lastTx, last?.lastTx ?? 0)) + 1;
    if (after !== undefined && order === 'asc') low = Math.max(low, after);
    if (after !== undefined && order === 'desc') high = Math.min(high, after);
    const compare = order === 'asc' ? ascending : descending;
    const range = (from: Row | undefined) => (order === 'asc' ? [from?.seq ?? low, high] : [low, from?.seq ?? high]);
    const sources: Source<Row>[] =
      subjects === undefined && wanted === undefined
        ? [{ more: (from, count) => ({ text: ofChain[order], values: [...range(from), count] }) }]
        : subjectKeys(subjects).flatMap((subject) =>
            (wanted ?? allKinds).map((kind) => ({
              more: (from: Row | undefined, count: number) => ({
                text: ofSubject[order],
                values: [subject, kinds[kind], ...range(from), count],
              }),
            })),
          );
    return yield* merged({ sources, compare, pick: ({ seq }) => seq, limit });
  }

  /** Their outputs are looked up together, however many transactions there are. */
  function* entries(rows: readonly TxRow[], pin: Pin): Steps<TxEntry[]> {
    const parsed = rows.map((row) => {
      const tx = storedTx(row);
      return { row, tx, effects: effectsOf(tx) };
    });
    const found = yield* askTogether({
      consumed: outputs.consumedById(parsed.flatMap(({ effects }) => effects.spent.map(idToBytes))),
      places: outputs.places(parsed.flatMap(({ effects }) => effects.created.map(({ id }) => idToBytes(id)))),
      moved: outputs.movedById(parsed.flatMap(({ effects }) => movedIds(effects).map(idToBytes))),
    });
    const consumed = new Map((found.consumed as Named<Omit<OwnRow, 'height' | 'spent'>>[]).map((row) => [toHex(row.id), row]));
    const places = new Map((found.places as Named<Pick<OwnRow, 'seq' | 'spent'>>[]).map((row) => [toHex(row.id), row]));
    const moved = new Map((found.moved as Named<MovedRow>[]).map((row) => [moveKey(toHex(row.id), row), row]));

    const own = (utxo: Utxo, time: number): Found => {
      const place = places.get(utxo.id);
      return { seq: place?.seq ?? 0, utxo, time, createdOn: chainID, consumedOn: chainID, spent: spentBy(place?.spent ?? null, pin) };
    };
    const exported = (utxo: Utxo, to: Id, time: number): Found => {
      const row = moved.get(utxo.id + chainID + to);
      return { seq: row?.seq ?? 0, utxo, time, createdOn: chainID, consumedOn: to, spent: row && takenBy(row, pin) };
    };
    const emitted = yield* outputs.entries(
      parsed.flatMap(({ row, effects }) => [
        ...effects.created.map((utxo) => own(utxo, row.time)),
        ...(effects.exported?.utxos ?? []).map((utxo) => exported(utxo, effects.exported?.to as Id, row.time)),
      ]),
    );
    let at = 0;
    return parsed.map(({ row, tx, effects }) => {
      const first = at;
      at += effects.created.length + (effects.exported?.utxos.length ?? 0);
      return {
        seq: row.seq,
        tx,
        height: row.height,
        blockID: toHex(row.block) as Id,
        time: row.time,
        consumed: consumedBy(tx, effects, row.time),
        emitted: emitted.slice(first, at),
      };
    });

    function consumedBy(tx: Tx, { spent, imported }: Effects, time: number): OutputEntry[] {
      const by = spentIn(tx, time);
      const entries: OutputEntry[] = [];
      for (const id of spent) {
        const row = consumed.get(id);
        if (row !== undefined)
          entries.push({ seq: row.seq, utxo: restored(row.bytes), time: row.time, createdOn: chainID, consumedOn: chainID, spent: by });
      }
      for (const id of imported?.ids ?? []) {
        const row = moved.get(id + imported?.from + chainID);
        if (row !== undefined)
          entries.push({
            seq: row.seq,
            utxo: restored(row.bytes),
            time: row.seen,
            createdOn: imported?.from as Id,
            consumedOn: chainID,
            spent: by,
          });
      }
      return entries;
    }
  }

  return {
    numbers,
    bySeq,
    tx: function* (id, pin) {
      const [row] = yield* ask<TxRow>([{ text: byId, values: [idToBytes(id)] }]);
      if (row === undefined || row.seq > pin.lastTx) return undefined;
      if (toHex(row.id) !== id) throw damagedRow(`transaction ${idText(id)}`);
      return (yield* entries([row], pin))[0];
    },
    txs: function* (query) {
      const found = yield* numbers(query);
      const rows = yield* ask<TxRow>(bySeq(found));
      const byNumber = new Map(rows.map((row) => [row.seq, row]));
      const wanted = found.map((seq) => byNumber.get(seq) as TxRow);
      return yield* entries(upTo(wanted, query.maxBytes), query.pin);
    },
  };
}

/** To look up the outputs of a transaction costs many times what reading it does. */
function upTo(rows: readonly TxRow[], maxBytes = Number.POSITIVE_INFINITY): readonly TxRow[] {
  let size = 0;
  const last = rows.findIndex(({ bytes }, i) => {
    size += bytes.length;
    return size > maxBytes && i > 0;
  });
  return last < 0 ? rows : rows.slice(0, last + 1);
}

type Row = { readonly seq: number };
type Named<R> = R & { readonly id: Uint8Array };
type TxRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly bytes: Uint8Array;
  readonly height: number;
  readonly block: Uint8Array;
  readonly time: number;
};

const ascending = (a: Row, b: Row): number => a.seq - b.seq;
const descending = (a: Row, b: Row): number => b.seq - a.seq;

const allKinds = Object.keys(kinds) as (keyof typeof kinds)[];

const wholeChain = new Uint8Array(0);

const subjectKeys = (subjects: readonly Subject[] | undefined): Uint8Array[] =>
  subjects?.map((subject) => ('address' in subject ? addressToBytes(subject.address) : idToBytes(subject.asset))) ?? [wholeChain];

const movedIds = ({ imported, exported }: Effects): Id[] => [...(imported?.ids ?? []), ...(exported?.utxos.map(({ id }) => id) ?? [])];

const moveKey = (id: string, { source, destination }: MovedRow): string => id + toHex(source) + toHex(destination);
