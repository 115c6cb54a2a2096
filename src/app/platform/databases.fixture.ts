import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase as openOnBun } from './bun/database.ts';
import { openDatabase as openOnNode } from './node/database.ts';

/** All SQLite drivers, in memory and on disk, for test suites that run on each. Bun also has Node's driver. */
export const sqliteDrivers = [
  { name: 'bun:sqlite in memory', open: openOnBun, onDisk: false },
  { name: 'bun:sqlite on disk', open: openOnBun, onDisk: true },
  { name: 'node:sqlite in memory', open: openOnNode, onDisk: false },
  { name: 'node:sqlite on disk', open: openOnNode, onDisk: true },
] as const;

/** Calls `work` with the path of a database file in a temporary directory, which is removed afterwards. */
export function withScratchDatabase<T>(work: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'serac-'));
  try {
    return work(join(folder, 'serac.sqlite'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
