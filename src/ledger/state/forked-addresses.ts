import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import type { Database } from '../store/database.ts';

/** The addresses of a chain whose outputs were copied from another node (see fork/). */
type ForkedAddresses = {
  readonly has: (address: Address) => boolean;
  /** Must run inside the write transaction that adds the outputs. */
  readonly add: (address: Address) => void;
};

export function openForkedAddresses(db: Database, chain: number): ForkedAddresses {
  const find = db.prepare('SELECT 1 FROM forked_address WHERE chain = ? AND address = ?');
  const insert = db.prepare('INSERT OR IGNORE INTO forked_address VALUES (?, ?)');
  return {
    has: (address) => find.get(chain, addressToBytes(address)) !== undefined,
    add: (address) => void insert.run(chain, addressToBytes(address)),
  };
}

/** The number of copied addresses; 0 in a database from before there were any. */
export function countForkedAddresses(db: Database, chain: number): number {
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'forked_address'`).get() === undefined) return 0;
  return db.prepare<{ n: number }>('SELECT count(*) AS n FROM forked_address WHERE chain = ?').get(chain)?.n ?? 0;
}

/** Whether the chains of a database were started as a fork of another node: they do not have the outputs of their genesis. */
export const isForkedStore = (db: Database): boolean => db.prepare(`SELECT 1 FROM meta WHERE name = 'fork'`).get() !== undefined;

export const markForkedStore = (db: Database): void => void db.prepare(`INSERT OR IGNORE INTO meta VALUES ('fork', 1)`).run();
