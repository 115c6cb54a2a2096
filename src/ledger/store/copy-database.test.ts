import { expect, test } from 'bun:test';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { openFile } from '../../app/platform/offset-file.ts';
import { copyDatabase } from './copy-database.ts';
import type { Database, OpenDatabase } from './database.ts';

/** Two tables that every commit changes together, so that a copy of half a commit shows. */
function createChain(open: OpenDatabase, path: string) {
  const db = open(path, { readonly: false });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF');
  db.exec('CREATE TABLE t(n INTEGER PRIMARY KEY, bytes); CREATE TABLE total(rows)');
  db.exec('INSERT INTO total VALUES (0)');
  const insert = db.prepare('INSERT INTO t(bytes) VALUES (?)');
  const change = db.prepare('UPDATE t SET bytes = ? WHERE n % 7 = ?');
  const count = db.prepare('UPDATE total SET rows = rows + 10');
  let commits = 0;
  return {
    db,
    commit: () => {
      db.exec('BEGIN');
      const bytes = new Uint8Array(3000).fill(++commits);
      for (let i = 0; i < 10; i++) insert.run(bytes);
      change.run(bytes, commits % 7);
      count.run();
      db.exec('COMMIT');
    },
    checkpoint: (mode: 'PASSIVE' | 'RESTART') => void db.prepare(`PRAGMA wal_checkpoint(${mode})`).get(),
  };
}

/** The number of commits in a copy; throws if it is not as it was after one of them. */
function readCommits(open: OpenDatabase, path: string): number {
  const db: Database = open(path, { readonly: false });
  try {
    expect(db.prepare<{ integrity_check: string }>('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const { rows } = db.prepare<{ rows: number }>('SELECT rows FROM total').get() as { rows: number };
    expect(db.prepare<{ rows: number }>('SELECT count(*) AS rows FROM t').get()).toEqual({ rows });
    const last = db.prepare<{ bytes: Uint8Array }>('SELECT bytes FROM t ORDER BY n DESC').get();
    expect(last?.bytes[0]).toBe(rows / 10);
    const changed = db.prepare<{ bytes: Uint8Array }>(`SELECT bytes FROM t WHERE n % 7 = ${(rows / 10) % 7} ORDER BY n`).get();
    expect(changed?.bytes[0]).toBe(rows / 10);
    return rows / 10;
  } finally {
    db.close();
  }
}

// The log as it is when the copy begins: partly or wholly in the file, or started again.
for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk))
  for (const before of ['nothing', 'PASSIVE', 'RESTART'] as const)
    test(`${name}: a copy during commits and checkpoints is as the database was after a commit (${before} before)`, () =>
      withScratchDatabase((path) => {
        const chain = createChain(open, path);
        for (let i = 0; i < 60; i++) chain.commit();
        if (before !== 'nothing') chain.checkpoint(before);
        let steps = 0;
        for (const { done, total } of copyDatabase(open, openFile, path, `${path}-copy`)) {
          expect(done).toBeLessThanOrEqual(total);
          steps++;
          for (let i = 0; i < 5; i++) chain.commit();
          chain.db.exec('PRAGMA busy_timeout = 1');
          chain.checkpoint('PASSIVE');
          chain.checkpoint('RESTART');
        }
        expect(steps).toBeGreaterThan(1);
        const commits = readCommits(open, `${path}-copy`);
        expect(commits).toBeGreaterThanOrEqual(60);
        chain.commit();
        chain.db.close();
        expect(readCommits(open, path)).toBeGreaterThan(commits);
      }));
