import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from './bun/database.ts';
import { watchWalIndex } from './wal-index.ts';

describe('commits of another process', () => {
  const dir = mkdtempSync(join(tmpdir(), 'serac-wal-index-'));
  const path = join(dir, 'test.sqlite');
  const writer = startWriter(path);
  let reader: ReturnType<typeof openDatabase>;
  const version = (): number => reader.commitVersion?.() ?? Number.NaN;
  const count = (): number | undefined => reader.prepare<{ n: number }>('SELECT count(*) AS n FROM t').get()?.n;

  beforeAll(async () => {
    await writer.run('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(n INTEGER PRIMARY KEY)');
    reader = openDatabase(path, { readonly: true, watchesCommits: true });
  });
  afterAll(async () => {
    reader.close();
    await writer.stop();
    rmSync(dir, { recursive: true });
  });

  it('change the version, each of them', async () => {
    for (let n = 1; n <= 20; n++) {
      const before = version();
      expect(version()).toBe(before);
      await writer.run(`INSERT INTO t VALUES (${n})`);
      expect(version()).toBeGreaterThan(before);
      expect(count()).toBe(n);
    }
  });

  it('change it after a checkpoint, which restarts the log', async () => {
    await writer.run('PRAGMA wal_checkpoint(TRUNCATE)');
    const before = version();
    await writer.run('INSERT INTO t VALUES (100)');
    expect(version()).toBeGreaterThan(before);
    expect(count()).toBe(21);
  });

  it('leave it unchanged while they are not committed or rolled back', async () => {
    const before = version();
    await writer.run('BEGIN IMMEDIATE; INSERT INTO t VALUES (200)');
    expect(version()).toBe(before);
    await writer.run('ROLLBACK');
    expect(version()).toBe(before);
    expect(count()).toBe(21);
  });

  it('are not watched without a log, or unless asked for', () => {
    expect(watchWalIndex(join(dir, 'other.sqlite'))).toBeUndefined();
    const other = openDatabase(join(dir, 'other.sqlite'), { readonly: false });
    expect(other.commitVersion).toBeUndefined();
    other.close();
  });
});

/** Starts a process that has the database open; see wal-index.fixture.ts. */
function startWriter(path: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'wal-index.fixture.ts'), path], { stdin: 'pipe', stdout: 'pipe' });
  const lines = child.stdout.getReader();
  return {
    run: async (sql: string): Promise<void> => {
      child.stdin.write(`${sql}\n`);
      child.stdin.flush();
      expect(Buffer.from((await lines.read()).value ?? []).toString()).toBe('done\n');
    },
    stop: async (): Promise<void> => {
      child.stdin.end();
      await child.exited;
    },
  };
}
