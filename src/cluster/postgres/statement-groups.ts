import { dividedTables, shardOf } from '../../ledger/index/distribution.ts';
import { nameValues, type Sql, type SqlValue } from '../../ledger/index/sql.ts';

type Query = { readonly values: readonly SqlValue[] };

/** Which queries with the same text may become one statement, and how. */
export type StatementGroups = {
  readonly groupsOf: <Q extends Query>(queries: readonly Q[]) => readonly (readonly Q[])[];
  /** The text with other names for its values: the first `?` becomes `name(0)`. A `?` that it still has is the array of the keys of a group. */
  readonly nameValues: (name: (position: number) => string) => string;
  /** The position of the value that all queries of a group have a list of as keys; undefined if they need none. */
  readonly key: number | undefined;
  /** How many arrays of keys the text has. */
  readonly keyArrays: number;
};

/** PostgreSQL joins all queries with the same text. */
const groupAll = (text: string): StatementGroups => ({
  groupsOf: (queries) => [queries],
  nameValues: (name) => nameValues(text, name),
  key: undefined,
  keyArrays: 0,
});

/**
 * Citus joins queries of one shard only: it sends such a statement as it is to the server that has the shard, but cannot divide one with a LIMIT for each query.
 * The shard is that of the address or subject; the condition that the column is among the keys of the group tells Citus the shard. What reads no divided
 * table is joined as in PostgreSQL. Other texts look up a list of keys, so that an answer needs one of them.
 */
function groupByShard(text: string): StatementGroups {
  if (!readsDivided.test(text)) return groupAll(text);
  const pinned = text.replace(keyCondition, `$1 = ? AND $1 = ANY(CAST(${keysMark} AS bytea[]))`);
  const key = text.search(keyCondition) < 0 ? undefined : (text.slice(0, text.search(keyCondition)).match(/\?/g)?.length ?? 0);
  // Citus cannot place a list of rows before the queries of several.
  if (key === undefined || text.startsWith('WITH k(')) return { ...groupAll(text), groupsOf: (queries) => queries.map((query) => [query]) };
  return {
    groupsOf: (queries) => [...Map.groupBy(queries, ({ values }) => shardOf(values[key] as SqlValue)).values()],
    nameValues: (name) => nameValues(pinned, name).replaceAll(keysMark, '?'),
    key,
    keyArrays: pinned.split(keysMark).length - 1,
  };
}

/** A condition on the key of a divided table, in texts about one address or subject. */
const keyCondition = /((?:\w+\.)?\b(?:address|subject)) = \?/g;

/** Stands for the keys of a group in a text whose other values are still `?`. */
const keysMark = '@keys';

const readsDivided = new RegExp(`\\b(?:c\\d+_)?(?:${dividedTables.join('|')})\\b`);

export const statementGroups: { readonly [D in Sql['dialect']]: (text: string) => StatementGroups } = {
  sqlite: groupAll,
  postgres: groupAll,
  citus: groupByShard,
};
