import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { addressBlob } from '../index/blob.ts';
import type { Dialect } from '../index/ddl.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { indexTablesOf, outputSets } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';
import { decodeStoredUtxo } from '../state/stored-utxo.ts';
import { fetchRows, type Queries } from '../store/queries.ts';
import type { IndexSpec } from './block-writer.ts';
import { type MovedOutputRow, setMoveQueries } from './cross-chain-rows.ts';
import { writerQueries } from './writer-queries.ts';

/**
 * Outputs that a chain exported and that no import is known for. If the destination chain is not indexed here, no indexed block shows its
 * imports: the caller has to find out and report them with `markSpent`.
 */
export type ExportedOutputs = {
  readonly listUnspent: (address: Address) => Promise<readonly UnspentExport[]>;
  /** Marks outputs as spent on their destination chain. Those already marked are skipped. */
  readonly markSpent: (spent: readonly ExportedOutput[]) => Promise<void>;
};

export type ExportedOutput = { readonly id: Id; readonly destination: Id };
/** `height`: height of the block that exported it. */
export type UnspentExport = ExportedOutput & { readonly height: number };

/** Addresses with unspent exports. `version`: a text that changes when one of these exports is spent, or another is added. */
export type OwnersOfExports = { readonly owners: readonly Address[]; readonly version: string };

/** `count` and `sum`: how many exports to the destination the address has, and the sum of their numbers. */
type OwnerRow = { readonly address: Uint8Array; readonly destination: Uint8Array; readonly count: number; readonly sum: string };

/** The operations of `ExportedOutputs`, for both databases. */
export function exportedOutputQueries(chain: Pick<IndexSpec, 'number' | 'id'>, dialect: Dialect, schema: '' | `${string}.` = '') {
  const q = writerQueries(dialect, chain.number, schema);
  const unspentText = `SELECT m.id, m.destination, m.put_height AS height FROM ${schema}${indexTablesOf(chain.number).movedOwner} h
    JOIN ${schema}moved m ON m.seq = -h.seq WHERE h.address = ? AND h.shelf = ${outputSets.exported}`;
  const perDestination = 'OVER (PARTITION BY h.address, m.destination)';
  const ownersLookup = keyLookup(
    dialect,
    (isKey) => `SELECT DISTINCT h.address, m.destination, CAST(count(*) ${perDestination} AS integer) AS count,
      CAST(sum(h.seq) ${perDestination} AS text) AS sum FROM ${schema}${indexTablesOf(chain.number).movedOwner} h JOIN ${schema}moved m ON m.seq = -h.seq WHERE h.address ${isKey} AND h.shelf = ${outputSets.exported}`,
  );
  const lastBlockTimeText = `SELECT time FROM ${tablesOf(chain.number).block} ORDER BY height DESC LIMIT 1`;

  return {
    listUnspent: function* (address: Address): Queries<UnspentExport[]> {
      const rows = yield* fetchRows<{ id: Uint8Array; destination: Uint8Array; height: number }>([
        { text: unspentText, values: [addressBlob(address)] },
      ]);
      return rows.map(({ id, destination, height }) => ({ id: toHex(id) as Id, destination: toHex(destination) as Id, height }));
    },

    /** Which of the addresses have unspent exports to any of the destination chains. */
    filterOwners: function* (addresses: readonly Address[], destinations: readonly Id[]): Queries<OwnersOfExports> {
      const chains = new Set<string>(destinations);
      const rows = (yield* fetchRows<OwnerRow>(ownersLookup(addresses.map(addressBlob)))).filter(({ destination }) =>
        chains.has(toHex(destination)),
      );
      return {
        owners: [...new Set(rows.map(({ address }) => toHex(address) as Address))],
        version: rows
          .map((row) => [toHex(row.address), toHex(row.destination), row.count, row.sum].join())
          .sort()
          .join(),
      };
    },

    /**
     * Marks exports as spent and returns how many were newly marked. Without a given `time`, the time of the last block is stored, since
     * the real time is unknown: reads as of that block no longer return the outputs.
     */
    markSpent: function* (spent: readonly (ExportedOutput & { readonly time?: number })[]): Queries<number> {
      const times = new Map(spent.map(({ id, destination, time }) => [id + destination, time]));
      const known = yield* fetchRows<MovedOutputRow>(q.moved([...new Set(spent.map(({ id }) => id))].map(idToBytes)));
      const rows = known.filter(
        ({ id, source, destination, taken_time }) =>
          toHex(source) === chain.id && taken_time === null && times.has(toHex(id) + toHex(destination)),
      );
      if (rows.length === 0) return 0;
      const [last] = yield* fetchRows<{ time: number }>([{ text: lastBlockTimeText, values: [] }]);
      const timeOf = ({ id, destination }: MovedOutputRow) => times.get(toHex(id) + toHex(destination)) ?? last?.time ?? 0;
      const moves = rows.map(({ seq, bytes, seen }) => ({
        utxo: decodeStoredUtxo(bytes),
        seq: -seq,
        time: seen,
        fromSet: outputSets.exported,
        outputSet: outputSets.exportedSpent,
      }));
      yield [
        ...q.setMovedSpentTime(rows.flatMap((row) => [timeOf(row), row.seq])),
        ...setMoveQueries(q.movedOwnerQueries(chain.number), moves),
      ];
      return rows.length;
    },
  };
}
