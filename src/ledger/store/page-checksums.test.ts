import { afterAll, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { openFile } from '../../app/platform/offset-file.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { bulkInsert } from './bulk-insert.ts';
import type { OpenDatabase } from './database.ts';
import { checksumsPath, hasPageChecksums, openPageChecksums, type PageChecksums } from './page-checksums.ts';
import { openStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-sums-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const finish = <T>(work: Generator<unknown, T>): T => {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
};
const differing = (path: string): readonly number[] => finish(openPageChecksums(openFile, path).verify());

/** Opens a database with a table and with checksums from the start. */
function openWithChecksums(path: string, wrap: (sums: PageChecksums) => Omit<PageChecksums, 'verify' | 'rebuild'> = (sums) => sums) {
  const sums = openPageChecksums(openFile, path);
  const open = () => openStore(openDatabase, { path, networkID: 5, genesis: zeroId, pageChecksums: wrap(sums) });
  if (!hasPageChecksums(openFile, path)) {
    open().close();
    finish(sums.rebuild());
  }
  const store = open();
  store.write(() => store.db.exec('CREATE TABLE IF NOT EXISTS t(n INTEGER PRIMARY KEY, v BLOB)'));
  const insert = bulkInsert(store.db, 'INSERT INTO t', 2);
  let n = store.db.prepare<{ n: number | null }>('SELECT max(n) AS n FROM t').get()?.n ?? 0;
  const add = (rows: number) => store.write(() => insert(Array.from({ length: rows }, () => [++n, new Uint8Array(200).fill(n)]).flat()));
  return { store, add };
}

const createDatabase = (name: string): string => {
  const path = join(folder, name);
  const { store, add } = openWithChecksums(path);
  for (let i = 0; i < 30; i++) add(400);
  store.close();
  return path;
};

describe('a closed database', () => {
  const path = createDatabase('stopped');

  test('all pages match their checksums', () => {
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(differing(path)).toEqual([]);
  });

  test('a changed byte is found at every position', () => {
    const whole = readFileSync(path);
    const copy = join(folder, 'flipped');
    copyFileSync(checksumsPath(path), checksumsPath(copy));
    for (let i = 0; i < 150; i++) {
      // Positions in the header, then positions all over the file.
      const at = i < 20 ? i * 5 : Math.floor(((i * 0.618) % 1) * whole.length);
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ (1 << (i % 8));
      writeFileSync(copy, damaged);
      const found = differing(copy);
      expect(found.length).toBeGreaterThan(0);
      // A changed page size in the header makes every page differ.
      if (at !== 16 && at !== 17) expect(found).toEqual([Math.floor(at / 4096) + 1]);
    }
  });

  test('several changed pages are all found, beside each other or not', () => {
    const copy = join(folder, 'several');
    copyFileSync(checksumsPath(path), checksumsPath(copy));
    const changed = readFileSync(path);
    const pages = [2, 3, 64, 65, 70, 200];
    for (const page of pages) changed.fill(page, (page - 1) * 4096 + 100, (page - 1) * 4096 + 120);
    writeFileSync(copy, changed);
    expect(differing(copy)).toEqual(pages);
  });

  test('verifying a sample of a large file compares the first block and randomly chosen other blocks', () => {
    const copy = join(folder, 'large');
    const pageSize = 4096;
    writeFileSync(copy, Buffer.concat([readFileSync(path), Buffer.alloc(5 * 1024 * pageSize, 1)]));
    finish(openPageChecksums(openFile, copy).rebuild());
    const blocks = Math.ceil(statSync(copy).size / pageSize / 1024);
    expect(blocks).toBeGreaterThan(5);
    const changed = readFileSync(copy);
    const page = 3 * 1024 + 7;
    changed[(page - 1) * pageSize + 100] = 9;
    writeFileSync(copy, changed);
    const sampled = (block: number) => finish(openPageChecksums(openFile, copy).verify({ maxBlocks: 2, random: () => block }));
    expect(sampled(3)).toEqual([page]);
    expect(sampled(2)).toEqual([]);
    expect(differing(copy)).toEqual([page]);
    changed[100] = (changed[100] as number) ^ 1;
    writeFileSync(copy, changed);
    expect(sampled(2)).toEqual([1]);
  });

  test('a truncated, an extended and an empty file are found', () => {
    const whole = readFileSync(path);
    const copy = join(folder, 'cut');
    copyFileSync(checksumsPath(path), checksumsPath(copy));
    for (const bytes of [whole.subarray(0, -4096), whole.subarray(0, -1), Buffer.concat([whole, Buffer.alloc(10)]), Buffer.alloc(0)]) {
      writeFileSync(copy, bytes);
      expect(differing(copy).length).toBeGreaterThan(0);
    }
  });

  test('rebuilt checksums match', () => {
    const copy = join(folder, 'again');
    const whole = readFileSync(path);
    copyFileSync(checksumsPath(path), checksumsPath(copy));
    writeFileSync(copy, whole.subarray(0, whole.length / 2));
    finish(openPageChecksums(openFile, copy).rebuild());
    expect(differing(copy)).toEqual([]);
    // A discarded checksum file does not count as complete.
    openPageChecksums(openFile, copy).discard();
    expect(hasPageChecksums(openFile, copy)).toBe(false);
  });
});

test('whenever the process is killed, only pages that are in the write-ahead log differ from their checksums', () => {
  const path = join(folder, 'running');
  const copy = join(folder, 'left');
  let snapshots = 0;
  /** Copies the files as a killed process would leave them and verifies the copy. */
  const snapshot = (): void => {
    snapshots++;
    for (const end of ['', '-wal', '-sums']) {
      rmSync(copy + end, { force: true });
      if (existsSync(path + end)) copyFileSync(path + end, copy + end);
    }
    if (hasPageChecksums(openFile, copy)) expect(differing(copy)).toEqual([]);
  };
  const wrap = (sums: PageChecksums) => ({
    ...sums,
    record: () => {
      snapshot();
      sums.record();
      snapshot();
    },
  });
  const openReader = () => openStore(openDatabase, { path, networkID: 5, genesis: zeroId, readonly: true });
  for (let round = 0; round < 3; round++) {
    const { store, add } = openWithChecksums(path, wrap);
    const reader = openReader();
    for (let i = 0; i < 60; i++) {
      add(i % 7 === 0 ? 1500 : 300);
      if (i % 5 === 0) reader.db.prepare('SELECT count(*) FROM t').get();
      snapshot();
      // A transaction that is rolled back after SQLite has written a part of it to the log.
      if (i % 9 === 0)
        expect(() =>
          store.write(() => {
            store.db.exec(`UPDATE t SET v = zeroblob(180)`);
            throw new Error('no');
          }),
        ).toThrow();
    }
    reader.close();
    store.close();
    snapshot();
  }
  expect(snapshots).toBeGreaterThan(200);
  expect(statSync(path).size).toBeGreaterThan(5_000_000);
});

test('when checksums cannot be recorded there is no checkpoint, and closing discards them', () => {
  const path = join(folder, 'full');
  let failing = false;
  const { store, add } = openWithChecksums(path, (sums) => ({
    ...sums,
    record: () => {
      if (failing) throw new Error('disk full');
      sums.record();
    },
  }));
  failing = true;
  const before = statSync(path).size;
  for (let i = 0; i < 40; i++) add(400);
  expect(statSync(path).size).toBe(before);
  store.close();
  expect(hasPageChecksums(openFile, path)).toBe(false);
});

test('after a write that failed because of the disk, checksums are discarded: the log may hold a commit that SQLite has rolled back', () => {
  const path = join(folder, 'unsynced');
  const { store, add } = openWithChecksums(path);
  add(100);
  const failing = Object.assign(new Error('disk I/O error'), { name: 'SQLiteError', errno: ioErrorOfFsync });
  expect(() =>
    store.write(() => {
      throw failing;
    }),
  ).toThrow('disk I/O error');
  add(100);
  store.close();
  expect(hasPageChecksums(openFile, path)).toBe(false);
  expect(openWithChecksums(path).store.close()).toBe(true);
  expect([hasPageChecksums(openFile, path), differing(path)]).toEqual([true, []]);
});

/** SQLITE_IOERR_FSYNC, SQLITE_FULL */
const [ioErrorOfFsync, diskIsFull] = [1034, 13];

test('a commit that a full disk has cut off, and whose last frame still looks committed, is not in the checksums', () => {
  const path = join(folder, 'cut-off');
  const { store, add } = openWithChecksums(path);
  add(100);
  const pages = statSync(path).size / 4096;
  expect(() =>
    store.write(() => {
      // The header of the last frame is written, its page is not: in a log that was started again, older bytes are in its place.
      const log = readFileSync(`${path}-wal`);
      const frame = Buffer.from(log.subarray(-(24 + 4096)));
      frame.writeUInt32BE(pages, 0);
      writeFileSync(`${path}-wal`, Buffer.concat([log, frame.fill(7, 24)]));
      throw Object.assign(new Error('database or disk is full'), { name: 'SQLiteError', errno: diskIsFull });
    }),
  ).toThrow('disk is full');
  store.close();
  expect([hasPageChecksums(openFile, path), differing(path)]).toEqual([true, []]);
});

test('while a long read keeps the log, only what was added to it is read before a checkpoint', () => {
  const path = join(folder, 'kept');
  let read = 0;
  const countReads = ((file: string, access: 'write') => {
    const opened = openFile(file, access);
    const readAndCount: typeof opened.read = (offset, bytes) => {
      const count = opened.read(offset, bytes);
      if (file.endsWith('-wal')) read += count;
      return count;
    };
    return opened && { ...opened, read: readAndCount };
  }) as typeof openFile;
  openWithChecksums(path).store.close();
  const sums = openPageChecksums(countReads, path);
  const { store, add } = openWithChecksums(path, () => sums);
  sums.record();
  for (let i = 0; i < 10; i++) {
    const before = statSync(`${path}-wal`).size;
    add(2000);
    const added = statSync(`${path}-wal`).size - before;
    read = 0;
    sums.record();
    expect([read > added, read < 2 * added + 1_000]).toEqual([true, true]);
  }
  store.close();
  expect(differing(path)).toEqual([]);
});

test('a log whose sync has failed, or that an earlier process has left, is written again; until then the database is not closed', () => {
  const path = join(folder, 'forgotten');
  let failing = 0;
  let written = 0;
  const open = ((file: string, access: 'write') => {
    const opened = openFile(file, access);
    if (opened === undefined || !file.endsWith('-wal')) return opened;
    const write: typeof opened.write = (offset, bytes) => {
      written += bytes.length;
      opened.write(offset, bytes);
    };
    const sync = (): void => {
      if (failing-- > 0) throw new Error('no sync');
      opened.sync();
    };
    return { ...opened, write, sync };
  }) as typeof openFile;
  const sums = openPageChecksums(open, path);
  const store = openStore(openDatabase, { path, networkID: 5, genesis: zeroId, pageChecksums: sums });
  openPageChecksums(open, path).syncLog();
  expect(written).toBe(readFileSync(`${path}-wal`).length);
  written = 0;
  const log = readFileSync(`${path}-wal`);
  failing = 2;
  expect(sums.record).toThrow('no sync');
  expect([store.close(), written]).toEqual([false, log.length]);
  expect([sums.syncLog(), written]).toEqual([undefined, 2 * log.length]);
  sums.syncLog();
  expect([store.close(), written]).toEqual([true, 2 * log.length]);
});

test('at an exit a database that could not be opened nor closed, because the disk fails, keeps its log: the process ends before Bun closes it', () => {
  const path = join(folder, 'at-exit');
  openWithChecksums(path).store.close();
  const exits = new Set<() => void>();
  let [isFailing, abandoned] = [true, 0];
  const process = {
    onExit: (run: () => void) => {
      exits.add(run);
      return () => void exits.delete(run);
    },
    abandon: () => void abandoned++,
  };
  const syncLog = (): void => {
    if (isFailing) throw new Error('no sync');
  };
  const open = (open: OpenDatabase) =>
    openStore(open, { path, networkID: 5, genesis: zeroId, process, pageChecksums: { ...openPageChecksums(openFile, path), syncLog } });
  const openUnreadable: OpenDatabase = (...args) => ({
    ...openDatabase(...args),
    prepare: () => {
      throw new Error('no read');
    },
  });
  expect(() => open(openUnreadable)).toThrow('no read');
  for (const run of exits) run();
  expect(abandoned).toBe(1);
  isFailing = false;
  for (const run of exits) run();
  expect([abandoned, exits.size]).toEqual([1, 1]);
  expect([open(openDatabase).close(), exits.size]).toEqual([true, 1]);
});
