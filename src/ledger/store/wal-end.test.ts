import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { openFile } from '../../app/platform/offset-file.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { openPageChecksums, type PageChecksums } from './page-checksums.ts';
import { openStore } from './store.ts';
import { findWalEnd, truncateWal } from './wal-end.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-wal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const finish = <T>(work: Generator<unknown, T>): T => {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
};

/** A database whose commits wait for no disk: row `n` is added by commit `n`, in `rows` rows of that number. */
function openCounted(path: string, watch: (sums: PageChecksums) => Omit<PageChecksums, 'verify' | 'rebuild'>, onCheckpoint?: () => void) {
  const sums = openPageChecksums(openFile, path);
  const options = { path, networkID: 5, genesis: zeroId, durability: 'checkpoint', onCheckpoint } as const;
  if (!existsSync(path)) {
    openStore(openDatabase, options).close();
    finish(sums.rebuild());
  }
  const store = openStore(openDatabase, { ...options, pageChecksums: watch(sums) });
  store.write(() => store.db.exec('CREATE TABLE IF NOT EXISTS t(n INTEGER, i INTEGER, v BLOB, PRIMARY KEY (n, i))'));
  const insert = store.db.prepare('INSERT INTO t VALUES (?, ?, ?)');
  const last = (): number => store.db.prepare<{ n: number | null }>('SELECT max(n) AS n FROM t').get()?.n ?? 0;
  let n = last();
  const commit = (rows: number): void =>
    store.write(() => {
      n++;
      for (let i = 0; i < rows; i++) insert.run(n, i, new Uint8Array(300).fill(n));
    });
  const counts = () => store.db.prepare<{ rows: number }>('SELECT count(*) AS rows FROM t GROUP BY n ORDER BY n').all();
  return { store, commit, last, counts: () => counts().map(({ rows }) => rows) };
}

const plain = (sums: PageChecksums) => sums;
const rowsOf = (n: number): number => (n % 9 === 0 ? 400 : 1 + (n % 40));

test('after a power cut the database is as after an earlier commit, and its checksums still match', () => {
  const [path, copy] = [join(folder, 'running'), join(folder, 'left')];
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  let checkpointed = 0;
  const seen = { cuts: 0, older: 0, torn: 0 };

  /** Copies the files as a power cut leaves them: of what was not synced, a part is missing or an old block remains in the middle. */
  const cutPower = (isSynced: boolean, lastCommit: number): void => {
    seen.cuts++;
    for (const end of ['-wal', '-sums', '-shm']) rmSync(copy + end, { force: true });
    for (const end of ['', '-sums']) copyFileSync(path + end, copy + end);
    const wal = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
    const isTorn = random(2) === 0;
    if (!isSynced && isTorn && wal.length > 8192) wal.fill(0, ...blockIn(wal.length));
    writeFileSync(`${copy}-wal`, isSynced || isTorn ? wal : wal.subarray(0, random(wal.length + 1)));
    truncateWal(openFile, copy);
    expect(finish(openPageChecksums(openFile, copy).verify())).toEqual([]);
    const left = openCounted(copy, plain);
    const found = left.last();
    expect(found).toBeGreaterThanOrEqual(isSynced ? lastCommit : checkpointed);
    expect(found).toBeLessThanOrEqual(lastCommit);
    if (found < lastCommit) seen.older++;
    if (isTorn && found < lastCommit) seen.torn++;
    expect(left.counts()).toEqual(Array.from({ length: found }, (_, i) => rowsOf(i + 1)));
    // The node goes on: what the lost commits left in the log must not count as pages.
    left.commit(rowsOf(found + 1));
    left.store.close();
    expect(finish(openPageChecksums(openFile, copy).verify())).toEqual([]);
  };
  const blockIn = (length: number): [number, number] => {
    const start = 4096 * random(Math.floor(length / 4096));
    return [start, start + 4096];
  };

  let done = 0;
  const { store, commit } = openCounted(
    path,
    (sums) => ({
      ...sums,
      record: () => {
        cutPower(false, done);
        sums.record();
        cutPower(true, done);
      },
    }),
    () => {
      checkpointed = done;
    },
  );
  while (done < 700) {
    done++;
    commit(rowsOf(done));
    if (done % 12 === 0) cutPower(false, done);
  }
  store.close();
  expect(checkpointed).toBeGreaterThan(0);
  expect(seen.older).toBeGreaterThan(20);
  expect(seen.torn).toBeGreaterThan(5);
});

test('the end of a log is that of its last commit; frames of a transaction that was not committed are removed', () => {
  const path = join(folder, 'ends');
  const { store, commit } = openCounted(path, plain);
  const sizes: number[] = [];
  const walSize = (database: string): number => statSync(`${database}-wal`).size;
  for (let i = 1; i <= 5; i++) {
    commit(i * 3);
    sizes.push(walSize(path));
  }
  const whole = readFileSync(`${path}-wal`);
  store.close();
  const copy = join(folder, 'copied');
  const endOf = (bytes: Uint8Array): number => {
    writeFileSync(`${copy}-wal`, bytes);
    truncateWal(openFile, copy);
    const file = openFile(`${copy}-wal`, 'write');
    const end = findWalEnd(file);
    file.close();
    expect(walSize(copy)).toBe(end);
    return end;
  };
  expect(endOf(whole)).toBe(sizes.at(-1) as number);
  for (const [i, size] of sizes.entries()) {
    expect(endOf(whole.subarray(0, size))).toBe(size);
    if (i > 0) expect(endOf(whole.subarray(0, size - 1))).toBe(sizes[i - 1] as number);
    const changed = Buffer.from(whole);
    changed[size - 100] = (changed[size - 100] as number) ^ 1;
    if (i > 0) expect(endOf(changed)).toBe(sizes[i - 1] as number);
  }
  for (const at of [0, 9, 17, 25]) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] as number) ^ 4;
    expect(endOf(changed)).toBe(0);
  }
  expect(endOf(whole.subarray(0, 20))).toBe(0);
});
