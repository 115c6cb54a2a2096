import type { Database } from '../store/database.ts';

/** A table whose rows are part of the state that a snapshot restores. */
export type RevertedTable = {
  readonly name: string;
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
  /** The other columns. */
  readonly values: readonly string[];
};

/**
 * Reads the tables of the chains and their index: those with a chain number in their name, and the shared ones below. The other tables are
 * not reverted: `meta` holds the epoch and secrets, `chain` only numbers the known chains, `event_log` tells of reverts too, and
 * `signer_key` is true at every height.
 */
export function readRevertedTables(db: Database, schema = 'main'): RevertedTable[] {
  const names = db.prepare<{ name: string }>(`SELECT name FROM ${schema}.sqlite_schema WHERE type = 'table' ORDER BY name`).all();
  return names.filter(({ name }) => isReverted(name)).map(({ name }) => readTable(db, schema, name));
}

const sharedTables = new Set(['atomic', 'atomic_owner', 'forked_address', 'impersonated_tx', 'moved', 'progress']);

const isReverted = (name: string): boolean => /^c\d+_[a-z_]+$/.test(name) || sharedTables.has(name);

function readTable(db: Database, schema: string, name: string): RevertedTable {
  const columns = db.prepare<{ name: string; pk: number }>(`PRAGMA ${schema}.table_info(${name})`).all();
  const keyed = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return { name, key: keyed.map((column) => column.name), values: columns.filter(({ pk }) => pk === 0).map((column) => column.name) };
}

/** All columns of a table, in one order for every database. */
export const columnsOf = ({ key, values }: RevertedTable): string => [...key, ...values].join(', ');
