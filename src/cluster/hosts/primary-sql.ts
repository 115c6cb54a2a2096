import { apiError } from '../../api/rest/api-error.ts';
import { messageOf } from '../../base/fault.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { isDatabaseDown } from '../postgres/postgres-fault.ts';
import type { DatabaseConfig } from './database-config.ts';
import { openPrimary } from './primary.ts';

export type PrimarySql = ReturnType<typeof createPrimarySql>;

/**
 * The primary of a database for a server that writes to it rarely: it connects at the first statement, and anew after one that got no
 * answer, since another host may be the primary by then. A server whose role can only read works until a statement writes, which gets a 503.
 */
export function createPrimarySql(
  database: DatabaseConfig,
  env: Pick<ClusterEnv, 'openPostgres' | 'log' | 'timers'>,
): WritableSql & { readonly close: () => Promise<void> } {
  let opened: Promise<Postgres> | undefined;
  const close = async (): Promise<void> => {
    const closing = opened;
    opened = undefined;
    await (await closing?.catch(() => undefined))?.close();
  };
  const use = async <T>(work: (sql: Postgres) => T | Promise<T>): Promise<T> => {
    opened ??= openPrimary(database, env);
    const used = opened;
    const sql = await used.catch((error: unknown) => {
      if (opened === used) opened = undefined;
      throw error;
    });
    try {
      return await work(sql);
    } catch (error) {
      // A statement that the server refused leaves the connection to the others.
      if (isDatabaseDown(error) && opened === used) await close();
      throw /permission denied|read-only transaction/.test(messageOf(error)) ? cannotWrite() : error;
    }
  };
  return {
    dialect: 'postgres',
    all: (text, values) => use((sql) => sql.all(text, values)),
    write: (work) => use((sql) => sql.write(work)),
    close,
  };
}

const cannotWrite = () =>
  apiError(
    503,
    'The database role of this server cannot write webhooks; give it the right to, or manage them on a server whose role has it',
  );
