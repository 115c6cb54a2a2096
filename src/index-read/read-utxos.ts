import { type Address, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { maxU64 } from '../bytes/octets.ts';
import { amountOf } from '../index/output-amount.ts';
import { openShelf } from '../index/output-set.ts';
import { ask, type Query, type Steps } from '../index/steps.ts';
import { type IndexTables, type Shelf, shelves } from '../index/tables.ts';
import type { Tables } from '../state/schema.ts';
import { storedTx } from '../state/stored-tx.ts';
import { isOfAsset } from '../state/stored-utxo.ts';
import { consumedBy } from '../tx/effects.ts';
import type { Pin, UtxoQuery } from './index-reads.ts';
import { firstDone, merged, type Source } from './merge.ts';
import { type Place, placeOf, placeOrder, type Sort, type Stretch, stretchText, stretchValues, wholeStretch } from './output-order.ts';
import {
  type Found,
  type MovedRow,
  movedColumns,
  movedJoins,
  type OutputReads,
  type OwnRow,
  ownColumns,
  ownJoins,
} from './read-outputs.ts';
import type { TxReads } from './read-txs.ts';

/** Which outputs: those still to be had stand on the first shelves, those that are gone on the others. */
export type Shelves = { readonly there: readonly Shelf[]; readonly gone: readonly Shelf[] };

export const allShelves: Shelves = {
  there: [shelves.open, shelves.sharedOpen, shelves.exported],
  gone: [shelves.spent, shelves.sharedSpent, shelves.taken, shelves.imported],
};

export type UtxoReads = {
  readonly utxos: (query: UtxoQuery, on?: Shelves) => Steps<Found[]>;
};

type Row = Place & (OwnRow | MovedRow);

export function utxoReads(t: Tables & IndexTables, chainID: Id, outputs: OutputReads, txs: TxReads): UtxoReads {
  const text = (shelf: Shelf, sort: Sort): string => {
    const [table, column] = sort.sortBy === 'timestamp' ? [t.holding, 'time'] : [t.amount, 'amount'];
    const from =
      shelf === shelves.exported || shelf === shelves.taken || shelf === shelves.imported
        ? `${movedColumns} FROM ${table} h JOIN moved m ON m.seq = -h.seq ${movedJoins(t)}`
        : `${ownColumns} FROM ${table} h JOIN ${t.utxo} u ON u.seq = h.seq ${ownJoins(t)}`;
    return `SELECT h.${column} AS key, h.tie, h.seq, ${from} WHERE h.address = ? AND h.shelf = ? AND ${stretchText(column, sort)} LIMIT ? + 0`;
  };
  const latest = `SELECT (SELECT max(seq) FROM ${t.tx}) AS tx, (SELECT max(taken_time) FROM moved) AS taken`;

  const shelfOf = (address: Address, shelf: Shelf, sort: Sort, stretch: Stretch): Source<Row> => {
    const query = text(shelf, sort);
    const owner = addressToBytes(address);
    return {
      more: (row, limit) => ({ text: query, values: [owner, shelf, ...stretchValues(row ? { ...stretch, after: row } : stretch), limit] }),
    };
  };

  function* utxos(query: UtxoQuery, on = allShelves): Steps<Found[]> {
    const { pin, includeSpent, sortBy, limit } = query;
    if (query.minAmount > maxU64 || limit < 1) return [];
    const asset = query.asset === undefined ? undefined : idToBytes(query.asset);
    const addresses = [...new Set(query.addresses)];
    const whole = wholeStretch(query, pin.time, query.minAmount);
    const after = query.after === undefined ? undefined : yield* placeAt(query.after, sortBy, pin);
    const stretch = after === undefined ? whole : { ...whole, after };
    const compare = placeOrder(query);
    const isWanted = wanted(query);
    const pick = (row: Row): Found | undefined => {
      if ((asset && !isOfAsset(row.bytes, asset)) || !(includeSpent || outputs.isThere(row, pin))) return undefined;
      const found = outputs.found(row, pin);
      return found && isWanted(found) ? found : undefined;
    };
    const asked = includeSpent ? [...on.there, ...on.gone] : on.there;
    const sources = addresses.flatMap((address) => asked.map((shelf) => shelfOf(address, shelf, query, stretch)));
    const page = yield* merged({ sources, compare, pick, limit });

    // What was consumed after the pin has left its shelf. Looked for only now, so that what goes while the page is read is found as well.
    const [last] = yield* ask<{ tx: number | null; taken: number | null }>([{ text: latest, values: [] }]);
    if ((last?.tx ?? 0) <= pin.lastTx && (last?.taken ?? 0) <= pin.time) return page;
    const end = page.length === limit ? placeOf(sortBy, page[limit - 1] as Found) : undefined;
    const isInside = (found: Found): boolean => {
      const place = placeOf(sortBy, found);
      return compare(place, stretch.after) > 0 && (end === undefined || compare(place, end) < 0);
    };
    const known = new Set(page.map(({ seq }) => seq));
    const back = yield* firstDone([
      consumedSince(addresses, pin),
      goneFromShelves(addresses, on.gone, query, end === undefined ? stretch : { ...stretch, end: end.key }),
    ]);
    const isOnShelf = ({ seq, utxo }: Found) => on.there.includes(seq < 0 ? shelves.exported : openShelf(utxo));
    const all = [...page, ...back.filter((found) => !known.has(found.seq) && isOnShelf(found) && isWanted(found) && isInside(found))];
    if (all.length === page.length) return page;
    const places = new Map(all.map((found) => [found, placeOf(sortBy, found)]));
    return all.sort((a, b) => compare(places.get(a) as Place, places.get(b) as Place)).slice(0, limit);
  }

  function* placeAt(seq: number, sortBy: Sort['sortBy'], pin: Pin): Steps<Place | undefined> {
    const [row] = yield* ask<OwnRow | MovedRow>([outputs.bySeq(seq)]);
    const found = row && outputs.found(row, pin);
    return found && placeOf(sortBy, found);
  }

  /** Outputs that were there at the pin and were consumed since, by what happened since. */
  function* consumedSince(addresses: readonly Address[], pin: Pin): Steps<Found[]> {
    const found = new Map<number, Found>();
    const collect = (row: OwnRow | MovedRow): void => {
      if (outputs.isThere(row, pin)) found.set(row.seq, outputs.found(row, pin) as Found);
    };
    const subjects = addresses.map((address) => ({ address }));
    const since = { pin: { ...pin, lastTx: noEnd }, subjects, kinds: undefined, times: { from: undefined, to: undefined } };
    let size = firstSize;
    for (let after: number | undefined = pin.lastTx; after !== undefined; size = Math.min(size * 2, largestSize)) {
      const numbers: number[] = yield* txs.numbers({ ...since, after, order: 'asc', limit: size });
      const rows = yield* ask<{ id: Uint8Array; bytes: Uint8Array }>(txs.bySeq(numbers));
      const consumed = rows.flatMap((row) => consumedBy(storedTx(row)));
      for (const row of yield* ask<OwnRow>(outputs.byId(consumed.map(idToBytes)))) collect(row);
      after = numbers[size - 1];
      yield noMoreThisTurn;
    }
    for (let after: MovedRow | undefined | null = null; after !== undefined; size = Math.min(size * 2, largestSize)) {
      const rows: readonly MovedRow[] = yield* ask<MovedRow>([
        outputs.takenAfter(after?.taken_time ?? pin.time, -(after?.seq ?? -noEnd), size),
      ]);
      for (const row of rows) if (toHex(row.source) === chainID) collect(row);
      after = rows[size - 1];
      yield noMoreThisTurn;
    }
    return [...found.values()];
  }

  /** The same, by what stands on the shelves of what is gone. */
  function* goneFromShelves(addresses: readonly Address[], gone: readonly Shelf[], query: UtxoQuery, stretch: Stretch): Steps<Found[]> {
    const found = new Map<number, Found>();
    let shelves = addresses.flatMap((address) =>
      gone.filter(canReturn).map((shelf) => ({ source: shelfOf(address, shelf, query, stretch), last: undefined as Row | undefined })),
    );
    for (let size = firstSize; shelves.length > 0; size = Math.min(size * 2, largestSize)) {
      const answers = (yield shelves.map(({ source, last }) => source.more(last, size))) as readonly (readonly Row[])[];
      for (const row of answers.flat()) if (outputs.isThere(row, query.pin)) found.set(row.seq, outputs.found(row, query.pin) as Found);
      shelves = shelves.flatMap(({ source }, i) => {
        const last = answers[i]?.[size - 1];
        return last === undefined ? [] : [{ source, last }];
      });
      yield noMoreThisTurn;
    }
    return [...found.values()];
  }

  return { utxos };
}

/** Of what is gone, what was there at an earlier pin. An imported output was never there for this chain to list. */
const canReturn = (shelf: Shelf): boolean => shelf !== shelves.imported;

/** Rows of one turn when there is no saying how many there are; ever more as it goes on. */
const [firstSize, largestSize] = [32, 1024];

const noMoreThisTurn: readonly Query[] = [];

const noEnd = Number.MAX_SAFE_INTEGER - 1;

/** What a query asks for, whatever the moment: enough of the owners, the asset, the amount. */
function wanted({ addresses, asset, minAmount }: UtxoQuery): (found: Found) => boolean {
  const asked = new Set(addresses);
  return ({ utxo: { assetID, output } }) => {
    const owners = output.addresses.filter((address) => asked.has(address)).length;
    return owners > 0 && owners >= output.threshold && (asset === undefined || assetID === asset) && amountOf(output) >= minAmount;
  };
}
