import { type Id, idFromBytes, idText, idToBytes } from '../../base/bytes/id.ts';
import { runOnPostgres } from '../index/query-runner.ts';
import { tablesOf } from '../state/schema.ts';
import { fetchRows, type Queries, type Query } from '../store/queries.ts';
import { sqliteRunner } from '../store/sqlite-runner.ts';
import type { Store } from '../store/store.ts';
import { queueBackground } from './background-migration.ts';
import { createTable, type Dialect } from './ddl.ts';
import { IndexError } from './fault.ts';
import { type Migration, migrations, migrationsAfter, newestVersionOf } from './migrations.ts';
import type { Sql, WritableSql } from './sql.ts';

/**
 * Creates or migrates the index tables in a node's own database; `chain` is the chain's number there. Their version is in `meta` beside
 * the store's own, so a version of this program without the index can still open the file: blocks it adds are indexed later.
 * A read-only store is not migrated: throws INDEX_NOT_MADE if its tables are missing or old.
 */
export function migrateStore(store: Store, chain: number, all = migrations, watch: MigrationWatch = noWatch): void {
  const { db } = store;
  const find = db.prepare<{ value: number }>('SELECT value FROM meta WHERE name = ?');
  const set = db.prepare('REPLACE INTO meta VALUES (?, ?)');
  const outdated = partsOf(chain).filter(({ name }) => isOutdated(name, find.get(name)?.value ?? 0, newestVersionOf(all)));
  if (outdated.length === 0) return;
  if (store.readonly) throw notCreated(outdated[0]?.name as string);
  store.write(() => {
    for (const part of outdated) {
      sqliteRunner(db)(migrateTables(part, find.get(part.name)?.value ?? 0, 'sqlite', all, watch));
      set.run(part.name, newestVersionOf(all));
    }
  });
}

/** Whether tables of the index exist in an older version; new tables are created without a migration. */
export function isMigrationDue({ db }: Store, chain: number, all = migrations): boolean {
  const find = db.prepare<{ value: number }>('SELECT value FROM meta WHERE name = ?');
  return partsOf(chain).some(({ name }) => {
    const version = find.get(name)?.value ?? 0;
    return version > 0 && version < newestVersionOf(all);
  });
}

type ChainGenesis = {
  readonly id: Id;
  /** Hash that identifies the chain's genesis, as in state/chain-state.ts. */
  readonly genesis: Id;
};

/**
 * Creates or migrates the tables of a PostgreSQL database and returns the numbers of the chains in it, in the order given. Several
 * processes may call this at the same time: an advisory lock, held until the transaction ends, lets them run one at a time.
 */
export async function migratePostgres(
  sql: WritableSql,
  networkID: number,
  chains: readonly ChainGenesis[],
  all = migrations,
  watch: MigrationWatch = noWatch,
): Promise<number[]> {
  return sql.write(async (tx) => {
    await tx.all(`SELECT pg_advisory_xact_lock(${migrationLock})`, []);
    for (const statement of createTable(tx.dialect, 'meta', meta)) await tx.all(statement, []);
    const network = await ensureMeta(tx, 'network', networkID);
    if (network !== networkID)
      throw new IndexError(`the database belongs to network ${network}, this program is set to network ${networkID}`, {
        code: 'INDEX_OTHER_NETWORK',
        stored: network,
        wanted: networkID,
      });
    for (const counter of ['learned', 'writer']) await ensureMeta(tx, counter, 0);
    await migratePart(tx, sharedPart, all, watch);
    const numbers: number[] = [];
    for (const chain of chains) numbers.push(await claimChainNumber(tx, chain));
    for (const number of numbers) await migratePart(tx, chainPart(number), all, watch);
    const newest = all.find(({ version }) => version === newestVersionOf(all));
    await setMeta(tx, readableFrom, newestVersionOf(all) - (newest?.isReadableByPrevious ? 1 : 0));
    return numbers;
  });
}

/** The chains that are indexed in a PostgreSQL database. */
export async function indexedChains(sql: Sql): Promise<{ readonly number: number; readonly id: Id }[]> {
  const rows = await sql.all<{ number: number; id: Uint8Array }>(
    'SELECT number, id FROM chain WHERE genesis IS NOT NULL ORDER BY number',
    [],
  );
  return rows.map(({ number, id }) => ({ number, id: idFromBytes(id) }));
}

/**
 * Whether this program can read the tables of a PostgreSQL database: they have its version, or one before or after it that says so. So servers of
 * two versions run side by side. False if the tables are older, until they are migrated. Throws INDEX_NEWER_SCHEMA if they are newer.
 */
export async function isReadable(sql: Sql, all = migrations): Promise<boolean> {
  return canRead(await sql.all<MetaRow>(`SELECT name, value FROM meta WHERE ${versionRows}`, []), all);
}

type MetaRow = { readonly name: string; readonly value: number };

function canRead(rows: readonly MetaRow[], all: readonly Migration[]): boolean {
  const newest = newestVersionOf(all);
  const oldestReader = rows.find(({ name }) => name === readableFrom)?.value ?? Number.POSITIVE_INFINITY;
  const versions = rows.filter(({ name }) => name === sharedPart.name || name.startsWith(chainPrefix));
  return (
    versions.length > 0 &&
    versions.every(({ name, value }) => {
      if (value === newest + 1 && oldestReader <= newest) return true;
      if (value === newest - 1 && all.find(({ version }) => version === newest)?.readsPrevious === true) return true;
      return !isOutdated(name, value, newest);
    })
  );
}

/** The row of `meta` with the oldest version of this program that can read the tables. */
const readableFrom = 'readable from';
const chainPrefix = 'index of chain ';
const versionRows = `(name IN ('index', '${readableFrom}') OR name LIKE '${chainPrefix}%')`;

/** A number above the last one, and above all that were used before: a database that has lost commits does not use a number again. */
const nextNumber = 'greatest(value + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint))';

/**
 * Increments the backfill revision (row `learned` of `meta`). Goes into every transaction that adds facts about blocks already indexed:
 * responses about these blocks that were cached under an earlier revision are outdated.
 */
export const incrementBackfillRevision: Query = { text: `UPDATE meta SET value = ${nextNumber} WHERE name = 'learned'`, values: [] };

/**
 * Marks that another process writes the index from now on (row `writer` of `meta`), and begins a new backfill revision: the database may have
 * lost commits, with facts that earlier processes had added.
 */
export async function registerWriter(sql: WritableSql): Promise<void> {
  await sql.write((tx) => tx.all(`UPDATE meta SET value = ${nextNumber} WHERE name IN ('learned', 'writer')`, []));
}

/** Selects the rows of `meta` that readers watch, and the time at which the server was started, which tells servers apart: a name and a value each. */
export const indexCountersText = `SELECT name, value FROM meta WHERE name IN ('learned', 'writer') OR ${versionRows}
  UNION ALL SELECT 'server', CAST(extract(epoch FROM pg_postmaster_start_time()) * 1000 AS bigint)`;

/**
 * The counters in rows of `indexCountersText`, which may be among others. Throws INDEX_NEWER_SCHEMA if the tables were migrated meanwhile to a
 * version that this program cannot read.
 */
export function toIndexCounters(rows: readonly MetaRow[]): { readonly revision: number; readonly writer: number; readonly server: number } {
  canRead(rows, migrations);
  const counter = (name: string): number => rows.find((row) => row.name === name)?.value ?? 0;
  return { revision: counter('learned'), writer: counter('writer'), server: counter('server') };
}

/** Key of the advisory lock: an arbitrary number that all processes share. */
const migrationLock = 0x5e_4a_c0_01;

/** Has the versions of the tables, and counters. */
export const meta = { columns: { name: { type: 'text' }, value: { type: 'int' } }, key: ['name'] } as const;

/** Tables that have a version of their own: the shared ones or those of one chain. `name` is its row in `meta`. */
type Part = {
  readonly name: string;
  readonly statements: (migration: Migration, dialect: Dialect) => string[];
  /** The number of the chain whose rows are converted; undefined for the shared tables, which have no such rows. */
  readonly chain: number | undefined;
};

const sharedPart: Part = { name: 'index', statements: (migration, dialect) => migration.shared(dialect), chain: undefined };

const chainPart = (number: number): Part => ({
  name: `${chainPrefix}${number}`,
  statements: (migration, dialect) => migration.chain(dialect, number),
  chain: number,
});

const partsOf = (chain: number): Part[] => [sharedPart, chainPart(chain)];

/** Whether a part needs migrations. Throws if another program has given it a version that this one does not know. */
export function isOutdated(part: string, version: number, newest: number): boolean {
  if (version > newest)
    throw new IndexError(
      `the database has version ${version} of the ${part}, this program supports version ${newest} and cannot read it; use the version of serac that wrote it, or start with an empty data directory or database`,
      { code: 'INDEX_NEWER_SCHEMA', part, stored: version, known: newest },
    );
  return version < newest;
}

/** Learns of the migration of a chain's tables from an older version, which may take long. The creation of tables is not reported. */
export type MigrationWatch = {
  readonly onStart: (versions: { readonly from: number; readonly to: number }) => void;
  /** Counts transactions: each migration that converts rows goes through all of them. */
  readonly onProgress: (counts: { readonly done: number; readonly total: number }) => void;
  readonly onEnd: () => void;
};

const noWatch: MigrationWatch = { onStart: () => {}, onProgress: () => {}, onEnd: () => {} };

/** Migrates the tables of a part from a version to the newest, or creates them. */
function* migrateTables(
  { chain, statements }: Part,
  version: number,
  dialect: Dialect,
  all: readonly Migration[],
  watch: MigrationWatch,
): Queries<void> {
  const due = migrationsAfter(version, all);
  const isWatched = version > 0 && chain !== undefined;
  if (isWatched) watch.onStart({ from: version, to: newestVersionOf(all) });
  const txs = isWatched ? yield* lastTx(chain) : 0;
  // PostgreSQL converts the rows of large tables later; see background-migration.ts.
  const runsAll = dialect === 'sqlite' ? (migration: Migration) => migration.background : () => undefined;
  const total = due.filter((migration) => migration.rows !== undefined || runsAll(migration) !== undefined).length * txs;
  let finished = 0;
  for (const migration of due) {
    for (const text of statements(migration, dialect)) yield [{ text, values: [] }];
    const convert = runsAll(migration);
    if (chain === undefined || (migration.rows === undefined && convert === undefined)) continue;
    const onTx = (seq: number): void => {
      if (isWatched) watch.onProgress({ done: finished + seq, total });
    };
    if (migration.rows !== undefined) yield* migration.rows(chain, onTx);
    if (convert !== undefined) for (let at: number | undefined = 0; at !== undefined; at = yield* convert(chain, at)) onTx(at);
    finished += txs;
    if (isWatched) watch.onProgress({ done: finished, total });
  }
  if (isWatched) watch.onEnd();
}

function* lastTx(chain: number): Queries<number> {
  const [row] = yield* fetchRows<{ seq: number | null }>([{ text: `SELECT max(seq) AS seq FROM ${tablesOf(chain).tx}`, values: [] }]);
  return row?.seq ?? 0;
}

async function migratePart(tx: Sql, part: Part, all: readonly Migration[], watch: MigrationWatch): Promise<void> {
  const version = await ensureMeta(tx, part.name, 0);
  if (!isOutdated(part.name, version, newestVersionOf(all))) return;
  if (version > 0 && part.chain !== undefined) await queueBackground(tx, part.chain, migrationsAfter(version, all), all);
  await runOnPostgres(tx, migrateTables(part, version, tx.dialect, all, watch));
  await setMeta(tx, part.name, newestVersionOf(all));
}

const setMeta = (tx: Sql, name: string, value: number) =>
  tx.all('INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value', [name, value]);

/** The value of a row of `meta`; inserts the row with `value` if it is missing. */
async function ensureMeta(tx: Sql, name: string, value: number): Promise<number> {
  await tx.all('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO NOTHING', [name, value]);
  const [row] = await tx.all<{ value: number }>('SELECT value FROM meta WHERE name = ?', [name]);
  return row?.value ?? value;
}

/** The number of a chain; a new chain gets the next free one. */
async function claimChainNumber(tx: Sql, { id, genesis }: ChainGenesis): Promise<number> {
  const find = () => tx.all<{ number: number; genesis: Uint8Array }>('SELECT number, genesis FROM chain WHERE id = ?', [idToBytes(id)]);
  const [known] = await find();
  if (known === undefined) {
    await tx.all('INSERT INTO chain SELECT coalesce(max(number), 0) + 1, ?, ? FROM chain', [idToBytes(id), idToBytes(genesis)]);
    return ((await find())[0] as { number: number }).number;
  }
  const [stored, wanted] = [idText(idFromBytes(known.genesis)), idText(genesis)];
  if (stored !== wanted)
    throw new IndexError(`the database has chain ${idText(id)} from genesis ${stored}, this program has genesis ${wanted}`, {
      code: 'INDEX_OTHER_GENESIS',
      chainID: idText(id),
      stored,
      wanted,
    });
  return known.number;
}

const notCreated = (part: string) =>
  new IndexError(`the database has no up-to-date ${part} yet; start the process that writes to it first`, {
    code: 'INDEX_NOT_MADE',
    part,
  });
