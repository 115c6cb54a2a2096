import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import type { Log } from './cli/log.ts';
import { createProgressWriter } from './cli/progress-writer.ts';
import { recoverNative } from './crypto/curve-native.ts';
import { openDatabase } from './platform/database-bun.ts';
import { createFolder, files, readFileSystemSize, renameFile } from './platform/files.ts';
import { createForwarder } from './platform/forward-request.ts';
import { nativeKeyCrypto } from './platform/key-crypto.ts';
import { openFile } from './platform/offset-file.ts';
import { openPostgres } from './platform/postgres-bun.ts';
import { tryPostgresLock } from './platform/postgres-lock-bun.ts';
import { parentChannel, spawnReaderProcess } from './platform/processes-bun.ts';
import { openRedis } from './platform/redis-bun.ts';
import { serve } from './platform/serve-bun.ts';
import { openThread } from './platform/thread.ts';
import { createUnixNanos } from './platform/unix-nanos.ts';
import type { Env } from './wiring/env.ts';

export type BunEnvOptions = {
  readonly version: string;
  readonly log: Log;
  /** The file that a reader process runs, with the same arguments as this process. */
  readonly program: string;
};

/** Creates the environment of a node on Bun: clock, randomness, files, databases, sockets and processes of this machine. */
export const createBunEnv = ({ version, log, program }: BunEnvOptions): Env => ({
  version,
  gitCommit: '',
  clock: {
    unixSeconds: () => BigInt(Math.floor(Date.now() / 1000)),
    unixNanos: createUnixNanos(Date.now, process.hrtime.bigint),
    monotonic: () => performance.now(),
  },
  timers: {
    soon: (run) => void setImmediate(run),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  },
  random: (length) => randomBytes(length),
  recoverKey: recoverNative,
  keyCrypto: nativeKeyCrypto,
  openRecoveryThread: () => openThread(new URL('./recovery/recovery-thread.ts', import.meta.url)),
  files,
  readText,
  readData: (file) => readFileSync(new URL(`./genesis/data/${file}`, import.meta.url)),
  fileSystem: readFileSystemSize,
  openDatabase,
  openFile,
  openRedis,
  openPostgres,
  tryPostgresLock,
  fetch,
  makeFolder: createFolder,
  removeFile: (path) => rmSync(path, { force: true }),
  renameFile,
  tempFolder: tmpdir,
  serve,
  forwardRequest: createForwarder,
  parent: parentChannel(),
  spawnReader: () =>
    spawnReaderProcess([process.execPath, '--no-env-file', '--config=/dev/null', program, ...process.argv.slice(2)], process.env),
  cores: availableParallelism(),
  process: () => ({ residentBytes: process.memoryUsage.rss(), cpuSeconds: cpuSeconds() }),
  exit: (code) => process.exit(code),
  onExit: (run) => {
    process.on('exit', run);
    return () => void process.off('exit', run);
  },
  log,
  showProgress: createProgressWriter(process.stderr, () => log.isShown('info')),
});

const readText = (path: string): string => readFileSync(path, 'utf8');

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
