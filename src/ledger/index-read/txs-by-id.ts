import type { Dialect } from '../index/ddl.ts';
import { txIdTable } from '../index/distribution.ts';
import { keyLookup } from '../index/key-lookup.ts';
import type { Tables } from '../state/schema.ts';
import { fetchRows, type Queries } from '../store/queries.ts';

/**
 * Creates a look-up of transactions by ID; those that do not exist are left out. `select`: SQL up to WHERE, with the alias x for `tx`. `condition`: SQL that
 * the rows must fulfill too. On Citus there are two steps, each of which asks only the shards that have the keys: IDs to numbers, numbers to rows.
 */
export function createTxsById<Row>(
  dialect: Dialect,
  t: Pick<Tables, 'tx'>,
  select: string,
  condition = '',
): (ids: readonly Uint8Array[]) => Queries<readonly Row[]> {
  const and = condition === '' ? '' : ` AND ${condition}`;
  if (dialect !== 'citus') {
    const byId = keyLookup(dialect, (isKey) => `${select} WHERE x.id ${isKey}${and}`);
    return (ids) => fetchRows<Row>(byId(ids));
  }
  const seqsById = keyLookup(dialect, (isKey) => `SELECT seq FROM ${txIdTable(dialect, t)} WHERE id ${isKey}`);
  const bySeq = keyLookup(dialect, (isKey) => `${select} WHERE x.seq ${isKey}${and}`);
  return function* (ids) {
    const found = yield* fetchRows<{ seq: number }>(seqsById(ids));
    return yield* fetchRows<Row>(bySeq(found.map(({ seq }) => seq)));
  };
}
