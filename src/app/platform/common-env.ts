import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { fetchNode } from '../../api/client/node-fetch.ts';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import type { Log } from '../../base/log/log.ts';
import type { DocsFiles } from '../../explorer/pages/docs-handler.ts';
import { home, moduleExtension } from '../home.ts';
import { createProgressWriter } from '../output/progress-writer.ts';
import { type ConnectionLimit, createConnectionLimit, readHandles } from './connection-limit.ts';
import { docsFile, readDocsFile, unpackDocs } from './docs-files.ts';
import type { Env, WorkerEnv } from './env.ts';
import { createFolder, files, identifyFile, readFileSystemSize, renameFile } from './files.ts';
import { createForwarder } from './forward-request.ts';
import { nativeKeyCrypto } from './key-crypto.ts';
import { openFile, readText } from './offset-file.ts';
import { ownMemory } from './own-memory.ts';
import { pageFile, readPageFile } from './page-files.ts';
import { readActivity } from './process-activity.ts';
import { isChildOfNode } from './supervised-process.ts';
import { openThread } from './thread.ts';
import { createUnixNanos } from './unix-nanos.ts';

export type EnvOptions = {
  readonly version: string;
  readonly log: Log;
  /** The file that a reader process runs, with the same arguments as this process; undefined in a single-file executable. */
  readonly program?: string | undefined;
  /** Whether timers keep the process running; default true. */
  readonly keepsRunning?: boolean | undefined;
};

/** What an environment takes from its runtime, Bun or Node. */
export type RuntimeEnv = Pick<
  Env,
  'openDatabase' | 'openRedis' | 'loadPostgres' | 'openPeerSockets' | 'serve' | 'connections' | 'spawnReader' | 'spawnWriter'
>;

async function buildDocsInThread(): Promise<DocsFiles> {
  const thread = openThread(new URL('app/platform/docs-thread.ts', home));
  try {
    return unpackDocs(await thread.request(new Uint8Array()));
  } finally {
    thread.close();
  }
}

/** Returns a function that gives the limit of the connections of this process, which is read when it is first called: before the first server listens. */
export function createConnections({ log }: EnvOptions): NonNullable<Env['connections']> {
  let limit: ConnectionLimit | undefined;
  const after = (ms: number, run: () => void) => setTimeout(run, ms).unref();
  return () => {
    const handles = limit === undefined ? readHandles() : undefined;
    if (handles !== undefined) limit = createConnectionLimit(handles, log, () => performance.now(), after);
    return limit;
  };
}

/** Creates what the environments on Bun and on Node share: clock, randomness, files and threads of this machine. */
export const createCommonEnv = ({ version, log, keepsRunning = true }: EnvOptions): Omit<Env, keyof RuntimeEnv> => ({
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
      if (!keepsRunning) timer.unref();
      return () => clearTimeout(timer);
    },
  },
  random: (length) => randomBytes(length),
  recoverKey: recoverNative,
  keyCrypto: nativeKeyCrypto,
  openRecoveryThread: () => openThread(new URL(`chain/recovery/recovery-thread.${moduleExtension}`, home)),
  files,
  readText,
  readData: (file) => readFileSync(new URL(`avm/genesis/data/${file}`, home)),
  loadPageAssets: async () =>
    moduleExtension === 'ts' ? (await import('./page-build.ts')).buildPage('clone') : readPageFile(new URL(pageFile, home)),
  loadDocs: async () => (moduleExtension === 'ts' ? buildDocsInThread() : readDocsFile(new URL(docsFile, home))),
  fileSystem: readFileSystemSize,
  openFile,
  fetch: fetchNode,
  postSockets: {
    resolve: async (host) => (await import('./post-sockets.ts')).postSockets.resolve(host),
    post: async (request) => (await import('./post-sockets.ts')).postSockets.post(request),
  },
  makeFolder: createFolder,
  removeFile: (path) => rmSync(path, { force: true }),
  renameFile,
  identifyFile,
  tempFolder: tmpdir,
  forwardRequest: createForwarder,
  parent: parentChannel(),
  readActivity,
  cores: availableParallelism(),
  // Elsewhere SO_REUSEPORT does not exist or gives all connections to one process.
  distributesConnections: process.platform === 'linux',
  // Each is read when it is asked for: the CPU time is, twice a second, and reading the memory opens files.
  process: () => ({
    get residentBytes() {
      return ownMemory.residentBytes();
    },
    get heapBytes() {
      return ownMemory.heapBytes();
    },
    get cpuSeconds() {
      return cpuSeconds();
    },
  }),
  exit: (code) => process.exit(code),
  abandon: () => {
    if (keepsRunning) process.kill(process.pid, 'SIGKILL');
  },
  onExit: (run) => {
    process.on('exit', run);
    return () => void process.off('exit', run);
  },
  log,
  showProgress: createProgressWriter(() => process.stderr, log),
});

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The channel to the process of this node that started this one; undefined if a person or another program did. */
function parentChannel(): WorkerEnv['parent'] {
  if (!isChildOfNode) return undefined;
  const parent = process.ppid;
  return {
    // When the parent exits, `ppid` changes: another process must not be killed.
    kill: () => void (process.ppid === parent && process.kill(parent, 'SIGKILL')),
    activity: () => readActivity(parent),
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.on('disconnect', listener),
  };
}
