import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import type { Dialect } from '../index/ddl.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { type BlockSumsRow, blockSumsColumns, feesFromBytes, txCounts } from '../state/block-row.ts';
import type { Tables } from '../state/schema.ts';
import { fetchRows, type Queries } from '../store/queries.ts';
import type { BlockSumsEntry, BlockTxs, TxPosition } from './explorer-reads.ts';
import type { PinnedBlock } from './index-reads.ts';
import { createTxsById } from './txs-by-id.ts';

/** Sums and transactions of blocks, and the places of transactions in them. `indexed` limits reads to indexed blocks. */
export function createBlockSumsReads(dialect: Dialect, t: Tables, chainID: Id) {
  const columns = `SELECT height, id, first_tx, time, length(header) AS header, ${blockSumsColumns} FROM ${t.block}`;
  const indexed = `height <= (SELECT p.height FROM progress p WHERE p.chain = ?)`;
  const downward = `${columns} WHERE height <= ? AND ${indexed} ORDER BY height DESC LIMIT ? + 0`;
  const upward = `${columns} WHERE height > ? AND ${indexed} ORDER BY height LIMIT ? + 0`;
  const blockColumns = `SELECT height, id, first_tx, tx_count FROM ${t.block}`;
  const blockOf = { height: `${blockColumns} WHERE height = ?`, id: `${blockColumns} WHERE id = ?` };
  const position = `SELECT x.seq, b.height, b.id, b.first_tx, b.tx_count,
    (SELECT p.id FROM ${t.tx} p WHERE p.seq = x.seq - 1 AND p.height = x.height) AS previous,
    (SELECT n.id FROM ${t.tx} n WHERE n.seq = x.seq + 1 AND n.height = x.height) AS next
    FROM ${t.tx} x JOIN ${t.block} b ON b.height = x.height WHERE x.id = ?`;
  // The transactions before and after are in other shards of Citus.
  const positionAlone = createTxsById<Omit<PositionRow, 'previous' | 'next'>>(
    dialect,
    t,
    `SELECT x.seq, b.height, b.id, b.first_tx, b.tx_count FROM ${t.tx} x JOIN ${t.block} b ON b.height = x.height`,
  );
  const idsBySeq = keyLookup(dialect, (isKey) => `SELECT seq, id, height FROM ${t.tx} WHERE seq ${isKey}`);
  function* positionOnCitus(id: Id): Queries<PositionRow | undefined> {
    const [row] = yield* positionAlone([idToBytes(id)]);
    if (row === undefined) return undefined;
    const beside = yield* fetchRows<{ seq: number; id: Uint8Array; height: number }>(idsBySeq([row.seq - 1, row.seq + 1]));
    const idOf = (seq: number) => beside.find((one) => one.seq === seq && one.height === row.height)?.id ?? null;
    return { ...row, previous: idOf(row.seq - 1), next: idOf(row.seq + 1) };
  }
  function* positionOf(id: Id): Queries<PositionRow | undefined> {
    return dialect === 'citus'
      ? yield* positionOnCitus(id)
      : (yield* fetchRows<PositionRow>([{ text: position, values: [idToBytes(id)] }]))[0];
  }
  const chain = idToBytes(chainID);

  return {
    blockSums: function* (from: number, limit: number): Queries<BlockSumsEntry[]> {
      return (yield* fetchRows<SumsRow>([{ text: downward, values: [from, chain, limit] }])).map(toEntry);
    },
    blockSumsAfter: function* (height: number, limit: number): Queries<BlockSumsEntry[]> {
      return (yield* fetchRows<SumsRow>([{ text: upward, values: [height, chain, limit] }])).map(toEntry);
    },
    blockTxs: function* (which: { height: number } | { id: Id }): Queries<BlockTxs | undefined> {
      const query = 'id' in which ? { text: blockOf.id, values: [idToBytes(which.id)] } : { text: blockOf.height, values: [which.height] };
      const [block] = yield* fetchRows<BlockRow>([query]);
      return block && { height: block.height, id: toHex(block.id) as Id, firstTx: block.first_tx, count: block.tx_count };
    },
    txPosition: function* (id: Id, pin: PinnedBlock): Queries<TxPosition | undefined> {
      const row = yield* positionOf(id);
      if (row === undefined || row.seq > pin.lastTx) return undefined;
      const { seq, height, first_tx, tx_count } = row;
      const isInBlock = height > 0;
      return {
        height,
        blockID: toHex(row.id) as Id,
        index: isInBlock ? seq - first_tx : undefined,
        count: tx_count,
        previous: isInBlock ? optionalId(row.previous) : undefined,
        next: isInBlock ? optionalId(row.next) : undefined,
      };
    },
  };
}

const optionalId = (bytes: Uint8Array | null): Id | undefined => (bytes === null ? undefined : (toHex(bytes) as Id));

const toEntry = (row: SumsRow): BlockSumsEntry => ({
  height: row.height,
  firstTx: row.first_tx,
  id: toHex(row.id) as Id,
  time: row.time,
  bytes: row.header + row.tx_bytes - versionSize * row.tx_count,
  fees: feesFromBytes(row.fees),
  txs: txCounts(row),
});

/** A transaction in a block lacks the codec version that its own bytes begin with. */
const versionSize = 2;

type BlockRow = { readonly height: number; readonly id: Uint8Array; readonly first_tx: number; readonly tx_count: number };
type SumsRow = BlockSumsRow & BlockRow & { readonly time: number; readonly header: number };
type PositionRow = BlockRow & { readonly seq: number; readonly previous: Uint8Array | null; readonly next: Uint8Array | null };
