import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { fetchRows, type Steps } from '../index/steps.ts';
import type { IndexTables } from '../index/tables.ts';
import type { Tables } from '../state/schema.ts';
import type { MatchingAssets, NamedKind, NameRange } from './explorer-reads.ts';
import type { ChainOutputReads } from './read-chain-outputs.ts';

/** Assets whose names are compared with a text; those created later are not found by a part of their name. */
const maxCompared = 20_000;

/** Queries for a text of which only a part may be known. */
export function createSearchReads(t: Tables & IndexTables, { idsBetween }: Pick<ChainOutputReads, 'idsBetween'>) {
  // LEFT JOIN: an asset from before the indexed history has no stored CreateAsset transaction, and is older than all others.
  const assetTexts = `SELECT a.id, a.name, a.symbol FROM ${t.asset} a LEFT JOIN ${t.tx} x ON x.id = a.id
    ORDER BY coalesce(x.seq, 0), a.id LIMIT ? + 0`;
  const between = (table: string, column: string): string =>
    `SELECT ${column} AS name FROM ${table} WHERE ${column} >= ? AND ${column} <= ? ORDER BY ${column} LIMIT ? + 0`;
  const namesBetween: { readonly [K in Exclude<NamedKind, 'utxo'>]: string } = {
    tx: between(t.tx, 'id'),
    block: between(t.block, 'id'),
    address: between(t.holder, 'address'),
  };
  return {
    /** Compared here and not in SQL: names are bytes, and databases differ in which letters have an upper case. */
    assetsMatching: function* (text: string, limit: number): Steps<MatchingAssets> {
      const wanted = text.toLowerCase();
      const rows = yield* fetchRows<{ id: Uint8Array; name: Uint8Array; symbol: Uint8Array }>([
        { text: assetTexts, values: [maxCompared] },
      ]);
      const exact: Id[] = [];
      const partial: Id[] = [];
      for (const { id, name, symbol } of rows) {
        const texts = [name, symbol].map((bytes) => Buffer.from(bytes).toString('utf8').toLowerCase());
        if (texts.includes(wanted)) exact.push(toHex(id) as Id);
        else if (texts.some((one) => one.includes(wanted))) partial.push(toHex(id) as Id);
      }
      const total = exact.length + partial.length;
      return { exact: exact.slice(0, limit), partial: partial.slice(0, Math.max(0, limit - exact.length)), total };
    },
    namesBetween: function* (kind: NamedKind, { low, high }: NameRange, limit: number): Steps<(Id | Address)[]> {
      if (kind === 'utxo') return (yield* idsBetween(low, high)).slice(0, limit);
      const rows = yield* fetchRows<{ name: Uint8Array }>([{ text: namesBetween[kind], values: [low, high, limit] }]);
      return rows.map(({ name }) => toHex(name) as Id | Address);
    },
  };
}
