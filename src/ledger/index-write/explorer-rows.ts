import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import { type BatchedStatement, type BatchSizes, batchedStatement, placeholders, valueTuples } from '../index/batched-statement.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import type { Dialect } from '../index/ddl.ts';
import { explorerSchema, explorerTablesOf } from '../index/explorer-tables.ts';
import { sumFromBytes, sumToBytes } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import type { Table } from '../index/tables.ts';
import { joinIdTexts } from '../index/tx-id-texts.ts';
import { encodeTxOutputs } from '../index/tx-outputs.ts';
import { addMinted, blockSums, type MintedSum } from '../index/tx-sums.ts';
import { type BalanceChange, type BalanceSums, ownPart } from '../state/balance.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import type { BlockToIndex } from './block-facts.ts';

/** Writes the tables of the explorer routes and of lists of blocks and transactions; see index/explorer-tables.ts. */
type ExplorerRows = {
  /** The queries that add blocks. `changes`: the balances they change; `timeAt`: the time of the block at a height. */
  readonly addBlocks: (
    blocks: readonly BlockToIndex[],
    changes: readonly BalanceChange[],
    feeAsset: Id,
    timeAt: (height: number) => number,
  ) => Steps<Query[]>;
  /** The queries that add balances from before linearization. */
  readonly addBalances: (changes: readonly BalanceChange[]) => Steps<Query[]>;
  /** Drops all cached rows. */
  readonly clearCache: () => void;
};

type AssetCount = { readonly holders: number; readonly held: bigint; readonly minted: bigint; readonly mintedNfts: number };

const noCount: AssetCount = { holders: 0, held: 0n, minted: 0n, mintedNfts: 0 };

/** `schema`: see `writerQueries`. */
export function createExplorerRows(dialect: Dialect, chain: number, schema: '' | `${string}.` = ''): ExplorerRows {
  const q = explorerQueries(dialect, chain, schema);
  let clears = 0;
  const version = (): number => clears;
  /** Rows that need not be read again, since no other process changes them. */
  const cache = createCache<Id, AssetCount>('indexRows', { size: 400, version });

  /** The counts before the changes, from the cache or the database. */
  function* readCounts(assets: ReadonlySet<Id>): Steps<Map<Id, { -readonly [K in keyof AssetCount]: AssetCount[K] }>> {
    const counts = new Map([...assets].map((asset) => [asset, { ...(cache.get(asset) ?? noCount) }]));
    const missing = [...assets].filter((asset) => cache.get(asset) === undefined);
    for (const { asset, holders, held, minted, minted_nfts } of yield* fetchRows<CountRow>(q.counts(missing.map(idBlob))))
      counts.set(toHex(asset) as Id, { holders, held: sumFromBytes(held), minted: sumFromBytes(minted), mintedNfts: minted_nfts });
    return counts;
  }

  function* change(balances: readonly BalanceChange[], minted: ReadonlyMap<Id, MintedSum>): Steps<Query[]> {
    const own = balances.filter(({ part }) => part === ownPart);
    const counts = yield* readCounts(new Set([...minted.keys(), ...own.map(({ assetID }) => assetID)]));
    const owners: SqlValue[] = [];
    for (const { address, assetID, before, after } of own) {
      const count = counts.get(assetID) as { holders: number; held: bigint };
      count.held += after.amount - (before?.amount ?? 0n);
      count.holders += Number(isHolder(after)) - Number(before !== undefined && isHolder(before));
      if (before === undefined) owners.push(idBlob(assetID), addressBlob(address));
    }
    for (const [asset, { units, nfts }] of minted) {
      const count = counts.get(asset) as { minted: bigint; mintedNfts: number };
      count.minted += units;
      count.mintedNfts += nfts;
    }
    const countRows: SqlValue[] = [];
    for (const [asset, count] of counts) {
      cache.set(asset, count);
      countRows.push(idBlob(asset), count.holders, sumToBytes(count.held), sumToBytes(count.minted), count.mintedNfts);
    }
    return [...q.addOwners(owners), ...q.upsertCounts(countRows)];
  }

  return {
    addBlocks: function* (blocks, changes, feeAsset, timeAt) {
      const minted = new Map<Id, MintedSum>();
      const stats: SqlValue[] = [];
      const txIds: SqlValue[] = [];
      for (const { block, applied } of blocks) {
        const txs = applied.map(({ tx }) => tx);
        for (const tx of txs) addMinted(minted, tx);
        if (block.height === 0n || txs.length === 0) continue;
        const { bytes, fees, kinds } = blockSums(txs, feeAsset);
        stats.push(Number(block.height), bytes, sumToBytes(fees), ...kinds);
        txIds.push(Number(block.height), joinIdTexts(txs.map(({ id }) => id)));
      }
      return [
        ...(yield* change(changes, minted)),
        ...q.addStats(stats),
        ...q.addTxIds(txIds),
        ...q.addTxOutputs(txOutputRows(blocks, timeAt)),
      ];
    },
    addBalances: (changes) => change(changes, new Map()),
    clearCache: () => {
      clears++;
    },
  };
}

/** Rows of `tx_outputs`. */
function txOutputRows(blocks: readonly BlockToIndex[], timeAt: (height: number) => number): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { firstTx, applied, created, consumed } of blocks) {
    const outputs = new Map<Id, NumberedUtxo>();
    for (const output of created) outputs.set(output.utxo.id, output);
    for (const output of consumed) outputs.set(output.utxo.id, output);
    const seqOf = (id: Id) => outputs.get(id)?.seq;
    const consumedBy = (id: Id) => {
      const found = outputs.get(id);
      return found && { utxo: found.utxo, time: timeAt(found.height) };
    };
    for (const [i, { tx, effects }] of applied.entries()) {
      const encoded = encodeTxOutputs(tx, effects.created, seqOf, consumedBy);
      if (encoded !== undefined) rows.push(firstTx + i, encoded);
    }
  }
  return rows;
}

const isHolder = ({ amount, nfts }: BalanceSums): boolean => amount > 0n || nfts > 0;

const batchSizes: { readonly [D in Dialect]: BatchSizes } = { sqlite: [16, 4, 1], postgres: [512, 128, 32, 8, 1] };

function explorerQueries(dialect: Dialect, chain: number, schema: string) {
  const names = explorerTablesOf(chain);
  const rows = batchSizes[dialect];
  const insert = (name: string, table: Table, changing: readonly string[], onSameKey = ''): BatchedStatement => {
    const columns = Object.keys(table.columns);
    const updates = changing.map((column) => `${column} = excluded.${column}`).join(', ');
    const onConflict = changing.length === 0 ? onSameKey : ` ON CONFLICT (${table.key.join(', ')}) DO UPDATE SET ${updates}`;
    return batchedStatement(
      rows,
      columns.length,
      (n) => `INSERT INTO ${schema}${name}(${columns.join(', ')}) VALUES ${valueTuples(n, columns.length)}${onConflict}`,
    );
  };
  return {
    counts: batchedStatement(rows, 1, (n) => `SELECT * FROM ${schema}${names.assetCount} WHERE asset IN (${placeholders(n)})`),
    // Outputs from before linearization may be the first ones of an address in rows that have been written since.
    addOwners: insert(names.assetOwner, explorerSchema.assetOwner, [], ' ON CONFLICT DO NOTHING'),
    upsertCounts: insert(names.assetCount, explorerSchema.assetCount, ['holders', 'held', 'minted', 'minted_nfts']),
    addStats: insert(names.blockStat, explorerSchema.blockStat, []),
    addTxIds: insert(names.blockTxIds, explorerSchema.blockTxIds, []),
    addTxOutputs: insert(names.txOutputs, explorerSchema.txOutputs, []),
  };
}

type CountRow = {
  readonly asset: Uint8Array;
  readonly holders: number;
  readonly held: Uint8Array;
  readonly minted: Uint8Array;
  readonly minted_nfts: number;
};
