import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import type { Dialect } from '../index/ddl.ts';
import { txIdTable } from '../index/distribution.ts';
import type { ExplorerTables } from '../index/explorer-tables.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { type IndexTables, txKinds } from '../index/tables.ts';
import { outputsPerTx } from '../state/output-number.ts';
import type { Tables } from '../state/schema.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import { decodeStoredUtxo } from '../state/stored-utxo.ts';
import { fetchRows, type Queries, runTogether } from '../store/queries.ts';
import type { AssetCounts, AssetListQuery, NftGroup, NftGroupQuery } from './explorer-reads.ts';
import { type CountColumns, countsOf } from './read-assets.ts';
import { oldestOf } from './read-holders.ts';
import type { OutputReads } from './read-outputs.ts';

/** Lists of assets and of their NFT groups. */
export function createAssetListReads(
  dialect: Dialect,
  t: Tables & IndexTables & ExplorerTables,
  chainID: Id,
  outputs: Pick<OutputReads, 'storedBySeqs' | 'txsBySeq'>,
) {
  // On Citus `history` is divided by another key than `tx`: the IDs are looked up afterwards.
  const [idColumn, idJoin] = dialect === 'citus' ? ['', ''] : [', x.id', `JOIN ${t.tx} x ON x.seq = h.tx`];
  const idsBySeq = keyLookup(dialect, (isKey) => `SELECT seq, id FROM ${t.tx} WHERE seq ${isKey}`);
  const createdFirst = (order: 'ASC' | 'DESC') => `SELECT h.tx AS seq${idColumn} FROM ${t.history} h ${idJoin}
    WHERE h.subject = ? AND h.kind = ? AND h.tx > ? AND h.tx < ? ORDER BY h.tx ${order} LIMIT ? + 0`;
  const created = { asc: createdFirst('ASC'), desc: createdFirst('DESC') };
  // One statement: the height is that of the block whose counts these are.
  const countsAt = `SELECT p.height, (SELECT min(o.seq) FROM ${t.oldUtxo} o) AS lowest, s.holders, s.held, s.minted, s.minted_nfts
    FROM progress p LEFT JOIN ${t.assetStat} s ON s.asset = ? WHERE p.chain = ?`;
  // NFT mint outputs are created with their asset and never later. Those of an asset from before the indexed history are at height 0.
  const firstMintOutputs = `SELECT m.seq, s.tx AS spent FROM ${t.minter} m LEFT JOIN ${t.spend} s ON s.utxo = m.seq
    WHERE m.asset = ? AND m.seq < coalesce((SELECT x.seq + 1 FROM ${txIdTable(dialect, t)} x WHERE x.id = ?), 0) * ${outputsPerTx} ORDER BY m.seq LIMIT ? + 0`;

  return {
    createdAssets: function* ({ pin, order, after, limit }: AssetListQuery): Queries<{ seq: number; id: Id }[]> {
      const [low, high] = order === 'asc' ? [after ?? 0, pin.lastTx + 1] : [0, Math.min(after ?? pin.lastTx + 1, pin.lastTx + 1)];
      const values = [wholeChain, txKinds.CreateAssetTx, low, high, limit];
      const rows = yield* fetchRows<{ seq: number; id: Uint8Array }>([{ text: created[order], values }]);
      if (dialect !== 'citus') return rows.map(({ seq, id }) => ({ seq, id: toHex(id) as Id }));
      const ids = new Map(
        (yield* fetchRows<{ seq: number; id: Uint8Array }>(idsBySeq(rows.map(({ seq }) => seq)))).map(({ seq, id }) => [seq, id]),
      );
      return rows.flatMap(({ seq }) => {
        const id = ids.get(seq);
        return id === undefined ? [] : [{ seq, id: toHex(id) as Id }];
      });
    },
    /** The counts of an asset, the height of the block that they are of, and the number of the oldest output then; see `oldestOf`. */
    countsAt: function* (id: Id): Queries<{ readonly height: number; readonly oldest: number; readonly counts: AssetCounts | undefined }> {
      const [row] = yield* fetchRows<CountColumns & { height: number; lowest: number | null }>([
        { text: countsAt, values: [idToBytes(id), idToBytes(chainID)] },
      ]);
      return { height: row?.height ?? 0, oldest: oldestOf(row?.lowest ?? null), counts: row && countsOf(row) };
    },
    nftGroups: function* ({ asset, offset, limit, maxScan }: NftGroupQuery): Queries<{ groups: NftGroup[]; hasMore: boolean }> {
      const values = [idToBytes(asset), idToBytes(asset), maxScan];
      const found = yield* fetchRows<{ seq: number; spent: number | null }>([{ text: firstMintOutputs, values }]);
      const spentBy = new Map(found.map(({ seq, spent }) => [seq, spent]));
      const readSpenders = (seqs: readonly number[]) => fetchRows<TxRow>(outputs.txsBySeq(seqs.flatMap((seq) => spentBy.get(seq) ?? [])));
      const all = found.map(({ seq }) => seq);
      // Which of them are on the page is known when they are read, unless all are.
      const [rows, ahead] = yield* runTogether(outputs.storedBySeqs(all), readSpenders(all.length <= limit ? all : []));
      const sorted = rows
        .flatMap(({ seq, bytes, time }) => {
          const utxo = decodeStoredUtxo(bytes);
          return utxo.output.kind === 'nftfx.MintOutput' ? [{ seq, groupID: utxo.output.groupID, utxo, time }] : [];
        })
        .sort(byGroup);
      const page = sorted.slice(offset, offset + limit);
      const spenders = all.length <= limit ? ahead : yield* readSpenders(page.map(({ seq }) => seq));
      const bySeq = new Map(spenders.map((row) => [row.seq, { tx: parseStoredTx(row), time: row.time }]));
      const groups = page.map(({ seq, groupID, utxo, time }) => ({ groupID, utxo, time, mintedBy: bySeq.get(spentBy.get(seq) ?? 0) }));
      return { groups, hasMore: sorted.length > offset + limit };
    },
  };
}

type GroupOrder = Pick<NftGroup, 'groupID' | 'utxo'>;

/** Several outputs of one group are in the order of their output indexes. */
const byGroup = (a: GroupOrder, b: GroupOrder): number => a.groupID - b.groupID || a.utxo.outputIndex - b.utxo.outputIndex;

/** Subject of the whole chain in the `history` table. */
const wholeChain = new Uint8Array(0);

type TxRow = { readonly seq: number; readonly id: Uint8Array; readonly bytes: Uint8Array; readonly time: number };
