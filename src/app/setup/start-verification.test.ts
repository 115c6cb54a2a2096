import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zeroId } from '../../base/bytes/id.ts';
import { createLog } from '../log/log.ts';
import { createBunEnv } from '../runtime/env-bun.ts';
import { dataFilesIn, openDataFiles } from './data-files.ts';
import type { Env } from './env.ts';
import { startVerification } from './start-verification.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-verify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Timers that run when the test says so. */
function createTimers() {
  const waiting = new Set<() => void>();
  const after = (_: number, run: () => void): (() => void) => {
    waiting.add(run);
    return () => waiting.delete(run);
  };
  return {
    timers: { after, soon: (run: () => void) => void after(0, run) },
    runAll: () => {
      for (const run of waiting) {
        waiting.delete(run);
        run();
      }
    },
  };
}

/** Checksums of 64 blocks, of which one differs or cannot be read. */
function createBlocks({ damaged, unreadable }: { readonly damaged?: number; readonly unreadable?: number }) {
  const found: number[] = [];
  let compared = 0;
  const next = (): boolean => {
    if (compared === 64) return false;
    if (compared === unreadable) throw new Error('EIO');
    if (compared++ === damaged) found.push(7);
    return true;
  };
  return { compared: () => compared, startVerification: () => ({ next, differing: () => found, close: () => {} }) };
}

const random = (length: number): Uint8Array => new Uint8Array(length);

test('a start compares a few blocks, and the others while the node runs', () => {
  const { timers, runAll } = createTimers();
  const blocks = createBlocks({ damaged: 50 });
  const damage: unknown[] = [];
  const verification = startVerification(blocks, { random, timers }, (pages) => damage.push('before', pages), false);
  expect([blocks.compared(), damage]).toEqual([2, []]);
  verification.continueLater(
    (pages) => damage.push('later', pages),
    () => {},
  );
  runAll();
  expect([blocks.compared(), damage]).toEqual([51, ['later', [7]]]);
});

test('a command compares all before, a damaged first block is found before, a closed database is not read', () => {
  const { timers, runAll } = createTimers();
  const whole = createBlocks({});
  startVerification(whole, { random, timers }, () => {}, true);
  expect(whole.compared()).toBe(64);
  const fail = (): never => {
    throw new Error('damaged');
  };
  expect(() => startVerification(createBlocks({ damaged: 1 }), { random, timers }, fail, false)).toThrow('damaged');
  const stopped = createBlocks({});
  const verification = startVerification(stopped, { random, timers }, fail, false);
  verification.continueLater(fail, fail);
  verification.stop();
  runAll();
  expect(stopped.compared()).toBe(2);
});

test('a block that cannot be read is reported', () => {
  const { timers, runAll } = createTimers();
  const errors: string[] = [];
  startVerification(createBlocks({ unreadable: 20 }), { random, timers }, () => {}, false).continueLater(
    () => {},
    (error) => errors.push(`${error}`),
  );
  runAll();
  expect(errors).toEqual(['Error: EIO']);
});

test('damage behind the first 8 MiB fails the write probe of a node that runs; writes meanwhile are no damage', () => {
  const files = dataFilesIn(folder);
  mkdirSync(files.folder);
  const { timers, runAll } = createTimers();
  const lines: string[] = [];
  const log = createLog(
    (line) => void lines.push(line),
    () => 'error',
  );
  const env: Env = { ...createBunEnv({ version: 'test', log, program: '' }), timers };
  const open = () => openDataFiles(files, env, { networkID: 5, genesis: zeroId });
  const fill = (from: number, to: number) => {
    const { store, close } = open();
    store.write(() => store.db.exec('CREATE TABLE IF NOT EXISTS t(n INTEGER PRIMARY KEY, v BLOB)'));
    const insert = store.db.prepare('INSERT OR REPLACE INTO t VALUES (?, ?)');
    const block = new Uint8Array(40_000);
    for (let n = from; n < to; n += 100)
      store.write(() => {
        for (let row = n; row < n + 100; row++) insert.run(row, block.fill(n));
      });
    return { store, close };
  };
  fill(0, 1200).close();
  expect(statSync(files.database).size).toBeGreaterThan(44e6);
  // The last checkpoint of the first fill, then one with every page changed, before the background steps have run.
  const sound = fill(300, 1500);
  runAll();
  sound.store.probeWrite();
  sound.close();
  const at = statSync(files.database).size - 100_000;
  writeSync(openSync(files.database, 'r+'), new Uint8Array([1, 2, 3]), 0, 3, at);
  const damaged = open();
  damaged.store.probeWrite();
  runAll();
  const page = Math.floor(at / 4096) + 1;
  expect(() => damaged.store.probeWrite()).toThrow(`1 page of ${files.database} differs from its checksum (${page})`);
  expect(lines).toEqual([expect.stringContaining('run serac check')]);
  damaged.close();
}, 60_000);
