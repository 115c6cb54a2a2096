import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Dialect } from '../index/ddl.ts';
import { txIdTable } from '../index/distribution.ts';
import { keyLookup } from '../index/key-lookup.ts';
import type { IndexTables } from '../index/tables.ts';
import type { Tables } from '../state/schema.ts';
import { fetchRows, type Queries } from '../store/queries.ts';
import type { MatchingAssets, NamedKind, NameRange } from './explorer-reads.ts';
import type { ChainOutputReads } from './read-chain-outputs.ts';

/** Assets that one query reads, which takes a millisecond or two: a long read pauses between queries. */
const assetsPerQuery = 1024;

/** Queries for a text of which only a part may be known. */
export function createSearchReads(dialect: Dialect, t: Tables & IndexTables, { idsBetween }: Pick<ChainOutputReads, 'idsBetween'>) {
  // In the order of the key: to sort all assets by age took as long as reading them, and other requests waited.
  const nextAssets = `SELECT id, name, symbol FROM ${t.asset} WHERE id > ? ORDER BY id LIMIT ? + 0`;
  const txsById = keyLookup(dialect, (isKey) => `SELECT id, seq FROM ${txIdTable(dialect, t)} WHERE id ${isKey}`);
  const between = (table: string, column: string): string =>
    `SELECT ${column} AS name FROM ${table} WHERE ${column} >= ? AND ${column} <= ? ORDER BY ${column} LIMIT ? + 0`;
  const namesBetween: { readonly [K in Exclude<NamedKind, 'utxo'>]: string } = {
    tx: between(txIdTable(dialect, t), 'id'),
    block: between(t.block, 'id'),
    address: between(t.holder, 'address'),
  };

  /**
   * Adds assets to a list of the oldest ones. One from before the indexed history has no stored CreateAsset transaction, and is older than all
   * others.
   */
  function* addOldest(list: readonly AgedAsset[], ids: readonly Uint8Array[], limit: number): Queries<readonly AgedAsset[]> {
    const rows = yield* fetchRows<{ id: Uint8Array; seq: number }>(txsById(ids));
    const seqs = new Map(rows.map(({ id, seq }) => [toHex(id), seq]));
    const added = ids.map((bytes) => ({ id: toHex(bytes) as Id, seq: seqs.get(toHex(bytes)) ?? 0 }));
    return [...list, ...added].sort((a, b) => a.seq - b.seq).slice(0, limit);
  }

  return {
    /**
     * Reads the names of all assets, with pauses. They are compared here and not in SQL: names are bytes, and databases differ in which letters
     * have an upper case.
     */
    assetsMatching: function* (text: string, limit: number): Queries<MatchingAssets> {
      const wanted = text.toLowerCase();
      let exact: readonly AgedAsset[] = [];
      let partial: readonly AgedAsset[] = [];
      let total = 0;
      for (let last: AssetTexts | undefined = noAsset; last !== undefined; ) {
        const rows: readonly AssetTexts[] = yield* fetchRows<AssetTexts>([{ text: nextAssets, values: [last.id, assetsPerQuery] }]);
        const found = { exact: [] as Uint8Array[], partial: [] as Uint8Array[] };
        for (const { id, name, symbol } of rows) {
          const texts = [name, symbol].map((bytes) => Buffer.from(bytes).toString('utf8').toLowerCase());
          if (texts.includes(wanted)) found.exact.push(id);
          else if (texts.some((one) => one.includes(wanted))) found.partial.push(id);
        }
        total += found.exact.length + found.partial.length;
        exact = yield* addOldest(exact, found.exact, limit);
        // Assets with exactly this name come first, and may leave no room.
        if (exact.length < limit) partial = yield* addOldest(partial, found.partial, limit);
        last = rows[assetsPerQuery - 1];
      }
      const ids = (list: readonly AgedAsset[]): Id[] => list.map(({ id }) => id);
      return { exact: ids(exact), partial: ids(partial).slice(0, limit - exact.length), total };
    },
    namesBetween: function* (kind: NamedKind, { low, high }: NameRange, limit: number): Queries<(Id | Address)[]> {
      if (kind === 'utxo') return (yield* idsBetween(low, high)).slice(0, limit);
      const rows = yield* fetchRows<{ name: Uint8Array }>([{ text: namesBetween[kind], values: [low, high, limit] }]);
      return rows.map(({ name }) => toHex(name) as Id | Address);
    },
  };
}

/** `seq`: number of the transaction that created it. */
type AgedAsset = { readonly id: Id; readonly seq: number };
type AssetTexts = { readonly id: Uint8Array; readonly name: Uint8Array; readonly symbol: Uint8Array };
const noAsset: AssetTexts = { id: new Uint8Array(0), name: new Uint8Array(0), symbol: new Uint8Array(0) };
