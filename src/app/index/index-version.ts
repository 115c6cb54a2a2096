import { coalesce } from '../../api/rest/coalesce.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { blocksChannel } from '../../ledger/index-postgres/postgres-chain.ts';
import type { Postgres } from '../platform/postgres-bun.ts';
import type { Env } from '../setup/env.ts';

/** The version of the index that cached responses depend on, known without a query while this process is notified of every change. */
export type IndexVersion = {
  /** Returns the known version, or reads it. */
  readonly read: () => ChainVersion | Promise<ChainVersion>;
  /** The database for all other reads: after each of them the version is read again, because what it returned may be newer. */
  readonly sql: Sql;
  /** Calls `listener` when blocks may have been added. Returns a function that ends this. */
  readonly onChange: (listener: () => void) => () => void;
  readonly stop: () => void;
};

/** Milliseconds between two reads without a notification: a connection may be lost without a sign of it. */
const pollInterval = 1000;

/**
 * Knows the version from the moment it was read until the next notification, the next read of something else, or a lost connection. `query`
 * reads it from `sql`.
 */
export function watchIndexVersion(sql: Postgres, query: () => Promise<ChainVersion>, timers: Pick<Env['timers'], 'after'>): IndexVersion {
  const listeners = new Set<() => void>();
  let known: ChainVersion | undefined;
  let isListening = false;
  /** Counts the moments at which a read that had begun became outdated. */
  let changes = 0;
  const forget = (): void => {
    changes++;
    known = undefined;
  };
  const notify = (): void => {
    forget();
    for (const listener of listeners) listener();
  };
  const readNew = coalesce(async () => {
    const before = changes;
    const version = await query();
    if (isListening && before === changes) known = version;
    return version;
  });

  const unlisten = sql.listen(blocksChannel, {
    onNotify: () => {
      isListening = true;
      notify();
    },
    onLost: () => {
      isListening = false;
      forget();
    },
  });
  let cancel = (): void => {};
  const poll = (): void => {
    cancel = timers.after(pollInterval, () => {
      if (known !== undefined) readNew().catch(forget);
      for (const listener of listeners) listener();
      poll();
    });
  };
  poll();

  return {
    read: () => known ?? readNew(),
    sql: {
      dialect: sql.dialect,
      all: async (text, values) => {
        try {
          return await sql.all(text, values);
        } finally {
          forget();
        }
      },
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => {
      unlisten();
      cancel();
    },
  };
}
