import type { Dialect } from './ddl.ts';
import { hashBigint, hashBytes } from './hash-bytes.ts';
import type { SqlValue } from './sql.ts';
import type { Table } from './tables.ts';

/*
 * Where Citus stores the tables of the index. Citus is PostgreSQL whose tables are divided over several servers (workers); clients talk to one of them, the
 * coordinator. docs/understand/decisions/distributed-engines.md says why the tables are divided like this.
 */

/**
 * by         the table is divided into `shardCount` shards by the hash of this column.
 * reference  every server has a copy: for tables that are joined with divided ones.
 * local      only the coordinator has it: for tables that do not grow with the number of transactions and are joined with no divided one. What a
 *            transaction writes to them is visible before what it writes elsewhere.
 */
export type Placement = { readonly by: string } | 'reference' | 'local';

/** By the name of the table without the number of its chain. */
const placements: { readonly [table: string]: Placement } = {
  owner: { by: 'address' },
  moved_owner: { by: 'address' },
  balance: { by: 'address' },
  holder: { by: 'address' },
  asset_owner: { by: 'address' },
  signer_key: { by: 'address' },
  history: { by: 'subject' },
  tx: { by: 'seq' },
  tx_id: { by: 'id' },
  spend: { by: 'utxo' },
  minter: { by: 'seq' },
  output_id: { by: 'number' },
  block: 'reference',
  block_tx_ids: 'reference',
  old_utxo: 'reference',
  moved: 'reference',
  asset: 'reference',
  asset_stat: 'reference',
  active: 'local',
  span: 'local',
  minute: 'local',
  progress: 'local',
  stored_progress: 'local',
  chain: 'local',
  meta: 'local',
};

const withoutChain = (name: string): string => name.replace(/^c\d+_/, '');

/** Whether a table is one of the index, by its name with or without the number of its chain. */
export const isIndexTable = (name: string): boolean => Object.hasOwn(placements, withoutChain(name));

/** The placement of a table of the index. */
export const placementOf = (name: string): Placement => placements[withoutChain(name)] as Placement;

/** The tables that are divided, without the numbers of their chains. */
export const dividedTables: readonly string[] = Object.entries(placements).flatMap(([name, placement]) =>
  typeof placement === 'string' ? [] : [name],
);

/** Shards of a divided table. A constant, so that this program knows the shard of a key. */
export const shardCount = 32;

/** The statement that gives a new table its place; none for a table that stays on the coordinator. */
export function placeTable(name: string): string[] {
  const placement = placementOf(name);
  if (placement === 'local') return [];
  if (placement === 'reference') return [`SELECT create_reference_table('${name}')`];
  return [`SELECT create_distributed_table('${name}', '${placement.by}', shard_count => ${shardCount})`];
}

/** A table of this form divided by a column: Citus keeps only keys unique that contain the column. */
export function uniquesOnCitus(name: string, { unique = [] }: Table): readonly (readonly string[])[] {
  const placement = placementOf(name);
  return typeof placement === 'string' ? unique : unique.filter((columns) => columns.includes(placement.by));
}

/**
 * The table that finds the number of a transaction by its ID. On Citus `tx` is divided by the number, so a search by ID would ask all shards: there
 * it is a table of its own.
 */
export const txIdTable = (dialect: Dialect, { tx }: { readonly tx: string }): string => (dialect === 'citus' ? `${tx}_id` : tx);

export const txIdSchema: Table = { columns: { id: { type: 'blob' }, seq: { type: 'int' } }, key: ['id'] };

/**
 * The table with the height up to which an index is written. On Citus `progress`, which readers read, is written when all servers have the blocks; until
 * then the height is only here (cluster/chain/publish.ts).
 */
export const storedProgressTable = (dialect: Dialect): string => (dialect === 'citus' ? 'stored_progress' : 'progress');

/**
 * On Citus `max(seq)` of `tx` would ask all shards, in the statement that is run most often. While there is only block 0, the last transaction is the last
 * of the genesis, whose number is in a row of `meta`.
 */
export const genesisTxsText = ({ tx }: { readonly tx: string }): string => `SELECT value FROM meta WHERE name = '${genesisTxsRow(tx)}'`;

export const genesisTxsRow = (tx: string): string => `genesis transactions of ${tx}`;

/** The shard of an address, an ID or a number: 0 to `shardCount` - 1. Citus divides the range of hashes, signed 32-bit integers, evenly. */
export function shardOf(key: SqlValue): number {
  const hash = key instanceof Uint8Array ? hashBytes(key) : typeof key === 'number' ? hashBigint(key) : -(2 ** 31);
  return ((hash ^ 0x8000_0000) >>> 0) >>> shardShift;
}

const shardShift = 32 - Math.log2(shardCount);
