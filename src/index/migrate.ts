import { type Id, idFromBytes, idText, idToBytes } from '../bytes/id.ts';
import type { Store } from '../store/store.ts';
import { createTable, type Dialect } from './ddl.ts';
import { IndexError } from './fault.ts';
import { type Migration, migrationsAfter, newestVersion } from './migrations.ts';
import type { Sql, WritableSql } from './sql.ts';
import { type Query, runSteps, type Steps, syncStepRunner } from './steps.ts';

/**
 * Brings the index tables of a node's own database forward; `chain` is the chain's number there. Its version stands in `meta` beside the
 * store's own, so a program that knows no index can still open the file: what it adds is caught up later. Who only reads finds them made.
 */
export function migrateStore(store: Store, chain: number): void {
  const { db } = store;
  const find = db.prepare<{ value: number }>('SELECT value FROM meta WHERE name = ?');
  const set = db.prepare('REPLACE INTO meta VALUES (?, ?)');
  const stale = partsOf(chain).filter(({ name }) => isStale(name, find.get(name)?.value ?? 0));
  if (stale.length === 0) return;
  if (store.readonly) throw notMade(stale[0]?.name as string);
  store.write(() => {
    for (const part of stale) {
      for (const migration of migrationsAfter(find.get(part.name)?.value ?? 0)) {
        for (const statement of part.statements(migration, 'sqlite')) db.exec(statement);
        syncStepRunner(db)(part.rows(migration));
      }
      set.run(part.name, newestVersion);
    }
  });
}

export type IndexedChain = {
  readonly id: Id;
  /** An id that stands for the chain's genesis, as in state/chain-state.ts. */
  readonly genesis: Id;
};

/**
 * Brings a PostgreSQL database forward and finds the chains' numbers in it, in the order given. Any number of processes may do this at the
 * same time: one after the other holds the lock, until its transaction ends.
 */
export async function migratePostgres(sql: WritableSql, networkID: number, chains: readonly IndexedChain[]): Promise<number[]> {
  return sql.write(async (tx) => {
    await tx.all(`SELECT pg_advisory_xact_lock(${migrationLock})`, []);
    for (const statement of createTable('postgres', 'meta', meta)) await tx.all(statement, []);
    const network = await ensureMeta(tx, 'network', networkID);
    if (network !== networkID)
      throw new IndexError(`the database belongs to network ${network}, this program is set to network ${networkID}`, {
        code: 'INDEX_OTHER_NETWORK',
        stored: network,
        wanted: networkID,
      });
    for (const counter of ['touched', 'learned']) await ensureMeta(tx, counter, 0);
    await forward(tx, sharedPart);
    const numbers: number[] = [];
    for (const chain of chains) numbers.push(await claim(tx, chain));
    for (const number of numbers) await forward(tx, chainPart(number));
    return numbers;
  });
}

/** The chains a PostgreSQL database holds. */
export async function indexedChains(sql: Sql): Promise<{ readonly number: number; readonly id: Id }[]> {
  const rows = await sql.all<{ number: number; id: Uint8Array }>(
    'SELECT number, id FROM chain WHERE genesis IS NOT NULL ORDER BY number',
    [],
  );
  return rows.map(({ number, id }) => ({ number, id: idFromBytes(id) }));
}

/** Whether the tables of a PostgreSQL database are those of this program. Rejects if they are of a later one. */
export async function isMigrated(sql: Sql): Promise<boolean> {
  const parts = `SELECT name, value FROM meta WHERE name = 'index' OR name LIKE 'index of chain %'`;
  const rows = await sql.all<{ name: string; value: number }>(parts, []);
  return rows.length > 0 && !rows.some(({ name, value }) => isStale(name, value));
}

/** Really writes a row and reads it back; see store/store.ts. */
export async function touchPostgres(sql: Sql): Promise<void> {
  await sql.all(`UPDATE meta SET value = value + 1 WHERE name = 'touched' RETURNING value`, []);
}

/** Goes with every change of what is known about blocks that are there already; answers about them that were kept hold no longer. */
export const countLearned: Query = { text: `UPDATE meta SET value = value + 1 WHERE name = 'learned'`, values: [] };

export async function learnedPostgres(sql: Sql): Promise<number> {
  const [row] = await sql.all<{ value: number }>(`SELECT value FROM meta WHERE name = 'learned'`, []);
  return row?.value ?? 0;
}

/** Any number will do, as long as it is always the same. */
const migrationLock = 0x5e_4a_c0_01;

const meta = { columns: { name: { type: 'text' }, value: { type: 'int' } }, key: ['name'] } as const;

type Part = {
  readonly name: string;
  readonly statements: (migration: Migration, dialect: Dialect) => string[];
  readonly rows: (migration: Migration) => Steps<void>;
};

const sharedPart: Part = { name: 'index', statements: (migration, dialect) => migration.shared(dialect), rows: noRows };

const chainPart = (number: number): Part => ({
  name: `index of chain ${number}`,
  statements: (migration, dialect) => migration.chain(dialect, number),
  rows: ({ rows = noRows }) => rows(number),
});

function* noRows(): Steps<void> {}

const partsOf = (chain: number): Part[] => [sharedPart, chainPart(chain)];

function isStale(part: string, version: number): boolean {
  if (version > newestVersion)
    throw new IndexError(`the database has version ${version} of the ${part}, this program knows version ${newestVersion}`, {
      code: 'INDEX_NEWER_SCHEMA',
      part,
      stored: version,
      known: newestVersion,
    });
  return version < newestVersion;
}

async function forward(tx: Sql, part: Part): Promise<void> {
  const version = await ensureMeta(tx, part.name, 0);
  if (!isStale(part.name, version)) return;
  for (const migration of migrationsAfter(version)) {
    for (const statement of part.statements(migration, 'postgres')) await tx.all(statement, []);
    await runSteps(tx, part.rows(migration));
  }
  await tx.all('UPDATE meta SET value = ? WHERE name = ?', [newestVersion, part.name]);
}

/** A value of `meta`; put there if it is new. */
async function ensureMeta(tx: Sql, name: string, value: number): Promise<number> {
  await tx.all('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO NOTHING', [name, value]);
  const [row] = await tx.all<{ value: number }>('SELECT value FROM meta WHERE name = ?', [name]);
  return row?.value ?? value;
}

/** A chain's number; a new chain gets the next one. */
async function claim(tx: Sql, { id, genesis }: IndexedChain): Promise<number> {
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

const notMade = (part: string) =>
  new IndexError(`the database has no ${part} yet: the process that writes it makes it`, { code: 'INDEX_NOT_MADE', part });
