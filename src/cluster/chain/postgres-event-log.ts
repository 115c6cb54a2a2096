import { type EventLog, type LogEntry, maxEntriesPerRead } from '../../api/events/event-log.ts';
import { parseBlock } from '../../avm/tx/block.ts';
import { spentRefs } from '../../avm/tx/effects.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { versionSize } from '../../base/codec/pack.ts';
import { runOnPostgres } from '../../ledger/index/query-runner.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { createChainOutputReads } from '../../ledger/index-read/read-chain-outputs.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { decodeStoredUtxo } from '../../ledger/state/stored-utxo.ts';
import { fetchRows, type Queries } from '../../ledger/store/queries.ts';

/** A chain that `serac index` writes to PostgreSQL. */
type IndexedChain = { readonly number: number; readonly id: Id };

/** The most transactions of one read; a block with more is read alone. */
const maxTxsPerRead = 512;

/**
 * The event log of a followed chain in PostgreSQL, from which `serac api` serves event streams (api-events.ts) and `serac index` sends webhooks
 * (index-webhooks.ts). Blocks of a followed chain are never reverted and never deleted, so the number of an entry is the height of its block, and
 * entries are read from the blocks themselves, up to the height in `progress`: on Citus the transactions of later blocks may be missing yet (publish.ts).
 * `logID` must be the same in all servers of a database.
 */
export function openPostgresEventLog(sql: Sql, chain: IndexedChain, logID: string): EventLog {
  const t = tablesOf(chain.number);
  const outputs = createChainOutputReads(sql.dialect, t);

  const progressText = 'SELECT height FROM progress WHERE chain = ?';
  const chainBytes = idToBytes(chain.id);

  function* lastHeight(): Queries<number> {
    const [row] = yield* fetchRows<{ height: number }>([{ text: progressText, values: [chainBytes] }]);
    return row?.height ?? 0;
  }

  function* readEntries(after: number): Queries<readonly LogEntry[] | undefined> {
    const found = yield* fetchRows<BlockRow>([
      {
        text: `SELECT height, header, first_tx, tx_count FROM ${t.block} WHERE height > ? AND height <= (${progressText}) ORDER BY height LIMIT ?`,
        values: [after, chainBytes, maxEntriesPerRead],
      },
    ]);
    const [first] = found;
    // The indexer may commit a block between these two reads. Only if the last height is below `after` were entries lost, for example by restoring the database.
    if (first === undefined) return after <= (yield* lastHeight()) ? [] : undefined;
    if (first.height !== after + 1) return undefined;
    const end = first.first_tx + Math.max(first.tx_count, maxTxsPerRead);
    const rows = found.filter(({ first_tx, tx_count }) => first_tx + tx_count <= end);
    const last = rows[rows.length - 1] as BlockRow;
    const txs = yield* fetchRows<{ seq: number; bytes: Uint8Array }>([
      {
        text: `SELECT seq, bytes FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`,
        values: [first.first_tx, last.first_tx + last.tx_count],
      },
    ]);
    const blocks = rows.map(({ height, header, first_tx, tx_count }) => {
      const from = first_tx - first.first_tx;
      return {
        height,
        block: parseBlock(concat([header, ...txs.slice(from, from + tx_count).map(({ bytes }) => bytes.subarray(versionSize))])),
      };
    });
    const refs = blocks.flatMap(({ block }) => block.txs.flatMap(({ unsigned }) => spentRefs(unsigned)));
    const spent = yield* outputs.byRefs(refs);
    const utxos = new Map(refs.map((ref, i) => [refId(ref), spent[i] && decodeStoredUtxo(spent[i].bytes)]));
    return blocks.map(({ height, block }) => ({
      kind: 'block',
      number: height,
      chainID: chain.id,
      block,
      spent: (ref) => utxos.get(refId(ref)),
    }));
  }

  return {
    id: async () => logID,
    last: () => runOnPostgres(sql, lastHeight()),
    read: (after) => runOnPostgres(sql, readEntries(after)),
  };
}

type BlockRow = { readonly height: number; readonly header: Uint8Array; readonly first_tx: number; readonly tx_count: number };
