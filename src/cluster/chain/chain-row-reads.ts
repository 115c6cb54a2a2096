import type { UtxoRef } from '../../avm/tx/input.ts';
import { refId } from '../../avm/tx/utxo.ts';
import type { Asset } from '../../avm/view.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { versionSize } from '../../base/codec/pack.ts';
import type { Dialect } from '../../ledger/index/ddl.ts';
import { txIdTable } from '../../ledger/index/distribution.ts';
import { keyLookup } from '../../ledger/index/key-lookup.ts';
import { type ChainOutputRow, createChainOutputReads } from '../../ledger/index-read/read-chain-outputs.ts';
import { fxsFromText } from '../../ledger/state/asset-table.ts';
import { abovePreLinearization } from '../../ledger/state/output-number.ts';
import type { Tables } from '../../ledger/state/schema.ts';
import { fetchRowGroups, fetchRows, type Queries } from '../../ledger/store/queries.ts';

export type LastBlock = { readonly id: Id; readonly height: number; readonly time: number; readonly unspent: number };

export type ChainRowReads = ReturnType<typeof createChainRowReads>;

/** Reads the tables of a followed chain: blocks, transactions, outputs and assets. */
export function createChainRowReads(dialect: Dialect, t: Tables) {
  const lastBlockQuery = { text: `SELECT id, height, time, unspent FROM ${t.block} ORDER BY height DESC LIMIT 1`, values: [] };
  const lastTxQuery = { text: `SELECT max(seq) AS seq FROM ${t.tx}`, values: [] };
  const oldestUtxoQuery = { text: `SELECT min(seq) AS seq FROM ${t.oldUtxo}`, values: [] };
  const assetsById = keyLookup(dialect, (isKey) => `SELECT id, fxs FROM ${t.asset} WHERE id ${isKey}`);
  const txsById = keyLookup(dialect, (isKey) => `SELECT id FROM ${txIdTable(dialect, t)} WHERE id ${isKey}`);
  const outputs = createChainOutputReads(dialect, t);
  return {
    lastBlock: function* (): Queries<LastBlock | undefined> {
      const [row] = yield* fetchRows<Omit<LastBlock, 'id'> & { id: Uint8Array }>([lastBlockQuery]);
      return row && { ...row, id: toHex(row.id) as Id };
    },
    /** The last numbers in use, as in state/chain-tip.ts. */
    lastSeqs: function* (): Queries<{ tx: number; oldest: number }> {
      const rows = yield* fetchRowGroups({ tx: [lastTxQuery], oldest: [oldestUtxoQuery] });
      const seqIn = ([row]: readonly unknown[]) => (row as { seq: number | null }).seq ?? 0;
      return { tx: seqIn(rows.tx), oldest: Math.min(seqIn(rows.oldest), abovePreLinearization) };
    },
    /** Outputs that are stored, spent or unspent, by their IDs. */
    utxoRows: function* (refs: readonly UtxoRef[]): Queries<Map<Id, ChainOutputRow>> {
      const found = yield* outputs.byRefs(refs);
      const spends = yield* fetchRows<{ utxo: number; tx: number }>(
        outputs.spendsBySeq(found.flatMap((row) => row?.seq ?? []).sort((a, b) => a - b)),
      );
      const spentBy = new Map(spends.map(({ utxo, tx }) => [utxo, tx]));
      const rows = new Map<Id, ChainOutputRow>();
      for (const [i, ref] of refs.entries()) {
        const row = found[i];
        if (row !== undefined) rows.set(refId(ref), { ...row, spent: spentBy.get(row.seq) ?? null });
      }
      return rows;
    },
    /** Assets by ID; unknown IDs are left out. */
    assets: function* (ids: readonly Id[]): Queries<ReadonlyMap<Id, Asset | 'not-an-asset'>> {
      const assets = new Map<Id, Asset | 'not-an-asset'>();
      for (const row of yield* fetchRows<{ id: Uint8Array; fxs: string }>(assetsById(ids.map(idToBytes)))) {
        const id = toHex(row.id) as Id;
        assets.set(id, { id, fxs: fxsFromText(row.fxs) });
      }
      const others = ids.filter((id) => !assets.has(id));
      for (const row of yield* fetchRows<{ id: Uint8Array }>(txsById(others.map(idToBytes))))
        assets.set(toHex(row.id) as Id, 'not-an-asset');
      return assets;
    },
    blockBytes: function* (height: bigint): Queries<Uint8Array | undefined> {
      if (height > Number.MAX_SAFE_INTEGER) return undefined;
      const [block] = yield* fetchRows<{ header: Uint8Array; first_tx: number; tx_count: number }>([
        { text: `SELECT header, first_tx, tx_count FROM ${t.block} WHERE height = ?`, values: [Number(height)] },
      ]);
      if (block === undefined) return undefined;
      const txs = yield* fetchRows<{ bytes: Uint8Array }>([
        {
          text: `SELECT bytes FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`,
          values: [block.first_tx, block.first_tx + block.tx_count],
        },
      ]);
      return concat([block.header, ...txs.map(({ bytes }) => bytes.subarray(versionSize))]);
    },
  };
}
