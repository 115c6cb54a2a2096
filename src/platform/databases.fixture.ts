import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase as openOnBun } from './database-bun.ts';
import { openDatabase as openOnNode } from './database-node.ts';

/** Every driver, in memory and on disk: one suite for all of them. Bun has Node's too. */
export const drivers = [
  { name: 'bun:sqlite in memory', open: openOnBun, onDisk: false },
  { name: 'bun:sqlite on disk', open: openOnBun, onDisk: true },
  { name: 'node:sqlite in memory', open: openOnNode, onDisk: false },
  { name: 'node:sqlite on disk', open: openOnNode, onDisk: true },
] as const;

/** A database file in a directory that is gone when the work is done. */
export function inScratch<T>(work: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'serac-'));
  try {
    return work(join(folder, 'serac.sqlite'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
