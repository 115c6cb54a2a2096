import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { decodeStoredUtxo, type StoredUtxo } from '../state/stored-utxo.ts';
import { fetchRows, type Queries } from '../store/queries.ts';
import type { AtomicList, AtomicOutputs, CrossChainTransfer, TransferQuery } from './explorer-reads.ts';
import type { CrossChainOutputRow } from './read-outputs.ts';

/** Outputs that move between chains. `hasInbound`: the database holds what other chains exported to this one. */
export function createTransferReads(chain: { readonly number: number; readonly id: Id }, hasInbound: boolean) {
  const ownChain = idToBytes(chain.id);
  const outbound = `SELECT m.destination AS other, m.bytes FROM moved m
    WHERE m.taken_time IS NULL AND m.source = ? AND m.put_height IS NOT NULL ORDER BY m.seq LIMIT ? + 0`;
  // Only outputs that can be imported have rows in atomic_owner, so imported ones are not read over.
  const inbound = `SELECT p.id AS other, a.bytes FROM (SELECT DISTINCT peer, seq FROM atomic_owner WHERE reader = ? LIMIT ?) o
    JOIN atomic a ON a.seq = o.seq JOIN chain p ON p.number = o.peer ORDER BY a.seq`;
  const columns = 'SELECT m.seq, m.source, m.destination, m.bytes, m.seen, m.put_height, m.taken_by, m.taken_time FROM moved m';
  const transfers = {
    desc: `${columns} WHERE m.seq < ? AND (m.source = ? OR m.destination = ?) ORDER BY m.seq DESC LIMIT ? + 0`,
    asc: `${columns} WHERE m.seq > ? AND (m.source = ? OR m.destination = ?) ORDER BY m.seq LIMIT ? + 0`,
  };

  return {
    atomicOutputs: function* (limit: number): Queries<AtomicOutputs> {
      const exported = yield* fetchRows<AtomicRow>([{ text: outbound, values: [ownChain, limit + 1] }]);
      const imported = hasInbound ? yield* fetchRows<AtomicRow>([{ text: inbound, values: [chain.number, limit + 1] }]) : undefined;
      return { outbound: toList(exported, limit), inbound: imported && toList(imported, limit) };
    },
    transfers: function* ({ after, order, limit }: TransferQuery): Queries<CrossChainTransfer[]> {
      const start = after ?? (order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER);
      return (yield* fetchRows<MovedRow>([{ text: transfers[order], values: [start, ownChain, ownChain, limit] }])).map(toTransfer);
    },
  };
}

const toList = (rows: readonly AtomicRow[], limit: number): AtomicList => ({
  outputs: rows.slice(0, limit).map(({ other, bytes }) => ({ otherChain: toHex(other) as Id, utxo: decodeStoredUtxo(bytes) })),
  isComplete: rows.length <= limit,
});

const toTransfer = ({ seq, source, destination, bytes, seen, put_height, taken_by, taken_time }: MovedRow): CrossChainTransfer => ({
  seq,
  utxo: decodeStoredUtxo(bytes),
  source: toHex(source) as Id,
  destination: toHex(destination) as Id,
  exported: put_height === null ? undefined : { height: put_height, time: seen },
  imported: taken_time === null ? undefined : { txID: taken_by === null ? undefined : (toHex(taken_by) as Id), time: taken_time },
});

type AtomicRow = { readonly other: Uint8Array; readonly bytes: StoredUtxo };
type MovedRow = Omit<CrossChainOutputRow, 'taken_height' | 'taken_tx'>;
