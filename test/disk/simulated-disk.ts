import { dlopen } from 'bun:ffi';
import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { FileEnv } from '../../src/app/platform/env.ts';
import type { OffsetFile, OpenFile } from '../../src/ledger/store/offset-file.ts';

/** What the disk does in one session of a node; simulated-disk.c does it. Positions count changes and syncs of files. */
export type DiskPlan = {
  readonly seed: number;
  /** Where the power is cut; with a failure, after it. */
  readonly crashAt?: number;
  /** Where the process is killed, and the power stays on. */
  readonly killAt?: number;
  /**
   * Whether the power is cut, the process is killed or writes fail only at the next sync, where a commit is complete and not on disk, or at the last
   * page of a commit, where the log holds the mark of a commit that was not written to its end.
   */
  readonly moment?: 'any' | 'sync' | 'last page';
  /** Writes and syncs that fail: with this error of the operating system, from a position on. */
  readonly failure?: { readonly at: number; readonly count: number; readonly error: 'EIO' | 'ENOSPC' };
  /** Reads of SQLite that fail with `EIO`, from a position on that counts them. */
  readonly failingReads?: { readonly at: number; readonly count: number } | undefined;
  /** The same for the node's own reads: of the log, the checksums and the names of the last blocks. */
  readonly failingOwnReads?: { readonly at: number; readonly count: number } | undefined;
  /** Whether a failing write writes a part, and a failing sync forgets the writes before it, as Linux does. */
  readonly isRough?: boolean;
  /** Whether an exit leaves what was not synced, as a kill does. */
  readonly exitLeaves?: boolean;
  /** Whether it says that files are synced and does nothing. */
  readonly lies?: boolean;
  /** Of 100 reads, those that take 2 ms. */
  readonly slowReads?: number;
};

/** In the order of simulated-files.h. */
const moments: readonly DiskPlan['moment'][] = ['any', 'sync', 'last page'];

const errorNumbers = { EIO: 5, ENOSPC: 28 } as const;

/** The variables of a process whose files in a folder are on such a disk. `images`: a folder of the disk itself. */
export const diskVariables = (library: string, folder: string, images: string, plan: DiskPlan): Record<string, string> => ({
  LD_PRELOAD: library,
  SERAC_DISK_FOLDER: folder,
  SERAC_DISK_IMAGES: images,
  SERAC_DISK_SEED: String(plan.seed),
  SERAC_DISK_CRASH_AT: String(plan.crashAt ?? 0),
  SERAC_DISK_KILL_AT: String(plan.killAt ?? 0),
  SERAC_DISK_FAIL_AT: String(plan.failure?.at ?? 0),
  SERAC_DISK_FAIL_COUNT: String(plan.failure?.count ?? 0),
  SERAC_DISK_READ_FAIL_AT: String(plan.failingReads?.at ?? 0),
  SERAC_DISK_READ_FAIL_COUNT: String(plan.failingReads?.count ?? 0),
  SERAC_DISK_OWN_READ_FAIL_AT: String(plan.failingOwnReads?.at ?? 0),
  SERAC_DISK_OWN_READ_FAIL_COUNT: String(plan.failingOwnReads?.count ?? 0),
  SERAC_DISK_ERROR: String(plan.failure === undefined ? 0 : errorNumbers[plan.failure.error]),
  SERAC_DISK_ROUGH: plan.isRough === true ? '1' : '0',
  SERAC_DISK_MOMENT: String(moments.indexOf(plan.moment ?? 'any')),
  SERAC_DISK_EXIT_LEAVES: plan.exitLeaves === true ? '1' : '0',
  SERAC_DISK_LIES: plan.lies === true ? '1' : '0',
  SERAC_DISK_SLOW: String(plan.slowReads ?? 0),
});

/** Builds the library with the compiler of the system. Returns its path; undefined where there is no compiler, or another system. */
export function buildDisk(folder: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const library = join(folder, 'simulated-disk.so');
  const source = join(import.meta.dir, 'simulated-disk.c');
  const compiler = ['cc', 'gcc', 'clang'].find((name) => Bun.which(name) !== null);
  if (compiler === undefined) return undefined;
  const built = Bun.spawnSync([
    compiler,
    '-shared',
    '-fPIC',
    '-O1',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-o',
    library,
    source,
    '-ldl',
    '-lpthread',
  ]);
  if (built.exitCode !== 0) throw new Error(`the simulated disk was not built: ${built.stderr.toString()}`);
  return library;
}

type SimulatedFiles = Pick<FileEnv, 'openFile' | 'removeFile' | 'renameFile'> & {
  /** The number of changes and syncs so far. */
  readonly operations: () => number;
};

const asCString = (text: string): Uint8Array => Buffer.from(`${text}\0`);

/** Opens files on the simulated disk of this process. Bun reads and writes files with system calls of its own, which the library does not see. */
export function createSimulatedFiles(library: string): SimulatedFiles {
  const { symbols } = dlopen(library, {
    pwrite64: { args: ['i32', 'ptr', 'u64', 'i64'], returns: 'i64' },
    readOwnFile: { args: ['i32', 'ptr', 'u64', 'i64'], returns: 'i64' },
    fdatasync: { args: ['i32'], returns: 'i32' },
    ftruncate64: { args: ['i32', 'i64'], returns: 'i32' },
    unlink: { args: ['ptr'], returns: 'i32' },
    renameOwnFile: { args: ['ptr', 'ptr'], returns: 'i32' },
    simulatedOperations: { args: [], returns: 'i64' },
  });
  const isFull = process.env.SERAC_DISK_ERROR === String(errorNumbers.ENOSPC);
  const check = (path: string, result: number | bigint, code = isFull ? 'ENOSPC' : 'EIO'): number => {
    if (Number(result) < 0) throw Object.assign(new Error(`cannot use the file ${path}: the disk reports an error`), { code });
    return Number(result);
  };
  const openFile = (path: string, access: 'read' | 'write'): OffsetFile | undefined => {
    if (access === 'read' && !existsSync(path)) return undefined;
    const handle = openSync(path, existsSync(path) ? (access === 'read' ? 'r' : 'r+') : 'wx+', 0o600);
    return {
      size: () => fstatSync(handle).size,
      read: (offset, into) => {
        let done = 0;
        for (let count = 1; count > 0 && done < into.length; done += count)
          count = check(path, symbols.readOwnFile(handle, into.subarray(done), BigInt(into.length - done), BigInt(offset + done)), 'EIO');
        return done;
      },
      write: (offset, bytes) => {
        if (bytes.length > 0) check(path, symbols.pwrite64(handle, bytes, BigInt(bytes.length), BigInt(offset)));
      },
      truncate: (size) => void check(path, symbols.ftruncate64(handle, BigInt(size))),
      sync: () => void check(path, symbols.fdatasync(handle)),
      close: () => closeSync(handle),
    };
  };
  return {
    openFile: openFile as OpenFile,
    removeFile: (path) => void symbols.unlink(asCString(path)),
    renameFile: (from, to) => void check(from, symbols.renameOwnFile(asCString(from), asCString(to))),
    operations: () => Number(symbols.simulatedOperations()),
  };
}
