import { type BatchedStatement, batchedStatement } from '../index/batched-statement.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import type { Dialect } from '../index/ddl.ts';
import { addressStatement } from '../index/key-array.ts';
import type { SqlValue } from '../index/sql.ts';
import {
  addSums,
  type BalanceChange,
  type BalanceDelta,
  type BalanceKey,
  type BalanceSums,
  balanceKeyText,
  createBalanceDeltas,
  partToBytes,
} from '../state/balance.ts';
import { pushBalanceRow, type SumsRow, toSums } from '../state/balances.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import { fetchRows, type Queries, type Query } from '../store/queries.ts';
import type { BlockToIndex } from './block-facts.ts';
import type { PreviousRows } from './previous-rows.ts';
import type { WriterCache } from './writer-cache.ts';
import type { WriterQueries } from './writer-queries.ts';

/** Balances that change, and the queries that store their rows. */
type ChangedBalances = { readonly changes: readonly BalanceChange[]; readonly queries: readonly Query[] };

/**
 * The balances that blocks change. A node stores their rows with the blocks, so that they only have to be taken over. PostgreSQL has no state,
 * and an index that is built later may lack them: they are computed and written. An address without a row in `previous` has no balance yet.
 */
export function* changedBalances(
  q: WriterQueries,
  cache: WriterCache,
  blocks: readonly BlockToIndex[],
  previous: Pick<PreviousRows, 'holders'>,
): Queries<ChangedBalances> {
  const given = blocks.flatMap(({ balances }) => balances ?? []);
  if (blocks.every(({ balances }) => balances !== undefined)) {
    cache.dropBalances();
    return { changes: given, queries: [] };
  }
  const first = Number(blocks[0]?.block.height);
  const changes = blocks.flatMap((block) => {
    const height = Number(block.block.height);
    return (block.deltas ?? deltasOfBlock(block)).map((delta) => ({ delta, height, key: keyOf(delta) }));
  });
  const current = new Map<string, BalanceSums>();
  const missing = new Map<string, BalanceDelta>();
  for (const { key, delta } of changes) {
    if (current.has(key)) continue;
    const cached = cache.balances.get(key);
    if (cached !== undefined) current.set(key, cached);
    else if (previous.holders.has(delta.address)) missing.set(key, delta);
  }
  const keys = [...missing.keys()].sort();
  const below = blocks[0]?.extendsGenesis === true ? first + 1 : first;
  const numbered = keys.flatMap((key, n) => [n, ...keyBlobs(missing.get(key) as BalanceDelta), below]);
  for (const row of yield* fetchRows<NumberedRow>(q.newestBalances(numbered))) current.set(keys[row.n] as string, toSums(row));
  const rows: SqlValue[] = [];
  const changed = changes.map(({ delta, height, key }): BalanceChange => {
    const { address, assetID, part } = delta;
    const before = current.get(key);
    const after = addSums(before, delta);
    current.set(key, after);
    pushBalanceRow(rows, delta, height, after, blobs);
    return { address, assetID, part, before, after };
  });
  for (const [key, sums] of current) cache.balances.set(key, sums);
  return { changes: changed, queries: q.addBalance(first, rows) };
}

/**
 * The balances that outputs from before linearization change: they are added to the rows of all heights. `isFirst`: they come with block 0, so
 * rows of later heights, if a node has stored them, include them.
 */
export function* raisedBalances(q: WriterQueries, utxos: readonly NumberedUtxo[], isFirst: boolean): Queries<ChangedBalances> {
  const sums = createBalanceDeltas();
  for (const { utxo } of utxos) sums.add(utxo);
  const deltas = sums.deltas();
  const rowsOf = deltas.map((): SumsRow[] => []);
  const numbered = deltas.flatMap((delta, n) => [n, ...keyBlobs(delta), Number.MAX_SAFE_INTEGER]);
  for (const row of isFirst ? [] : yield* fetchRows<NumberedRow>(q.allBalances(numbered))) rowsOf[row.n]?.push(row);
  const rows: SqlValue[] = [];
  const changes = deltas.map((delta, n): BalanceChange => {
    const stored = (rowsOf[n] ?? []).toSorted((a, b) => a.height - b.height);
    if (stored[0]?.height !== 0) pushBalanceRow(rows, delta, 0, delta, blobs);
    for (const row of stored) pushBalanceRow(rows, delta, row.height, addSums(toSums(row), delta), blobs);
    const newest = stored.at(-1);
    const before = newest && toSums(newest);
    return { address: delta.address, assetID: delta.assetID, part: delta.part, before, after: addSums(before, delta) };
  });
  return { changes, queries: q.upsertBalance(rows) };
}

/** Outputs that a block creates and spends change no balance. */
function deltasOfBlock({ created, consumed }: BlockToIndex): BalanceDelta[] {
  const sums = createBalanceDeltas();
  for (const { utxo, spent } of created) if (spent === null) sums.add(utxo);
  for (const { utxo } of consumed) sums.remove(utxo);
  return sums.deltas();
}

/**
 * Statements that read rows below a height. Values per key: a number that comes back with its rows as `n`, the key, the height. SQLite has no
 * form that is faster than one key per statement.
 */
export function selectBalances(dialect: Dialect, table: string, which: 'newest' | 'all'): BatchedStatement {
  const end = which === 'newest' ? ' ORDER BY height DESC LIMIT 1' : '';
  const rows = (n: string, address: string, asset: string, part: string, below: string, isInShard = '') =>
    `SELECT ${n} AS n, height, amount, count, nfts FROM ${table}
     WHERE address = ${address} AND asset = ${asset} AND part = ${part} AND height < ${below}${isInShard}${end}`;
  if (dialect === 'sqlite') return batchedStatement([1], 5, () => rows('? + 0', '?', '?', '?', '?'));
  return addressStatement(
    dialect,
    ['int', 'blob', 'blob', 'blob', 'int'],
    1,
    (keys, isInShard) => `SELECT b.* FROM ${keys} AS k(n, address, asset, part, below)
      CROSS JOIN LATERAL (${rows('k.n', 'k.address', 'k.asset', 'k.part', 'k.below', isInShard('address'))}) b`,
  );
}

const keyOf = ({ address, assetID, part }: BalanceKey): string => balanceKeyText(address, assetID, part);

const keyBlobs = ({ address, assetID, part }: BalanceKey): SqlValue[] => [addressBlob(address), idBlob(assetID), partToBytes(part)];

/** Cached bytes: the next blocks change the same balances. */
const blobs = { ofAddress: addressBlob, ofId: idBlob } as const;

type NumberedRow = SumsRow & { readonly n: number };
