import type { Address } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { lookup } from '../index/batch.ts';
import { addressBlob } from '../index/blob.ts';
import type { Dialect } from '../index/ddl.ts';
import { ask, type Steps } from '../index/steps.ts';
import { indexTablesOf, shelves } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';
import { restored } from '../state/stored-utxo.ts';
import type { IndexSpec } from './block-writer.ts';
import { type MovedRow, moveQueries } from './cross-chain-rows.ts';
import { writerQueries } from './writer-queries.ts';

/** What a chain exported and nobody is known to have taken. Where the other chain is not indexed here, no block tells when it does. */
export type ExportShelf = {
  readonly open: (address: Address) => Promise<readonly OpenExport[]>;
  /** Whoever has found out that these are gone says so here. Those already taken are passed over. */
  readonly take: (gone: readonly Export[]) => Promise<void>;
};

export type Export = { readonly id: Id; readonly destination: Id };
/** `height`: of the block that exported it. */
export type OpenExport = Export & { readonly height: number };

/** The same as steps on a database. */
export function exportSteps(chain: Pick<IndexSpec, 'number' | 'id'>, dialect: Dialect, schema: '' | `${string}.` = '') {
  const q = writerQueries(dialect, chain.number, schema);
  const open = `SELECT m.id, m.destination, m.put_height AS height FROM ${schema}${indexTablesOf(chain.number).holding} h
    JOIN ${schema}moved m ON m.seq = -h.seq WHERE h.address = ? AND h.shelf = ${shelves.exported}`;
  const holders = lookup(
    (keys) => `SELECT DISTINCT h.address, m.destination FROM ${schema}${indexTablesOf(chain.number).holding} h
      JOIN ${schema}moved m ON m.seq = -h.seq WHERE h.address IN (${keys}) AND h.shelf = ${shelves.exported}`,
  );
  const now = `SELECT time FROM ${tablesOf(chain.number).block} ORDER BY height DESC LIMIT 1`;

  return {
    open: function* (address: Address): Steps<OpenExport[]> {
      const rows = yield* ask<{ id: Uint8Array; destination: Uint8Array; height: number }>([
        { text: open, values: [addressBlob(address)] },
      ]);
      return rows.map(({ id, destination, height }) => ({ id: toHex(id) as Id, destination: toHex(destination) as Id, height }));
    },

    /** Those of the addresses that have some open with any of these chains. */
    holders: function* (addresses: readonly Address[], destinations: readonly Id[]): Steps<Address[]> {
      const chains = new Set<string>(destinations);
      const rows = yield* ask<{ address: Uint8Array; destination: Uint8Array }>(holders(addresses.map(addressBlob)));
      return [...new Set(rows.filter(({ destination }) => chains.has(toHex(destination))).map(({ address }) => toHex(address) as Address))];
    },

    /**
     * When they were taken nobody knows. From the last block on they are gone, so its time is what stands there, unless told: whoever asks
     * about that block must not see them any more. Gives how many were not known to be gone.
     */
    take: function* (gone: readonly (Export & { readonly time?: number })[]): Steps<number> {
      const wanted = new Map(gone.map(({ id, destination, time }) => [id + destination, time]));
      const known = yield* ask<MovedRow>(q.moved([...new Set(gone.map(({ id }) => id))].map(idToBytes)));
      const rows = known.filter(
        ({ id, source, destination, taken_time }) =>
          toHex(source) === chain.id && taken_time === null && wanted.has(toHex(id) + toHex(destination)),
      );
      if (rows.length === 0) return 0;
      const [last] = yield* ask<{ time: number }>([{ text: now, values: [] }]);
      const timeOf = ({ id, destination }: MovedRow) => wanted.get(toHex(id) + toHex(destination)) ?? last?.time ?? 0;
      const movings = rows.map(({ seq, bytes, seen }) => ({
        utxo: restored(bytes),
        seq: -seq,
        time: seen,
        from: shelves.exported,
        shelf: shelves.taken,
      }));
      yield [...q.markTaken(rows.flatMap((row) => [timeOf(row), row.seq])), ...moveQueries(q.shelvesOf(chain.number), movings)];
      return rows.length;
    },
  };
}
