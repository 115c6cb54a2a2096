import { fetchDirectly } from '../../api/client/node-fetch.ts';
import type { Config, InterfaceConfig } from '../../app/config/config.ts';
import { dataFilesIn } from '../../app/node/data-files.ts';
import { DetachError, fileSize, readEnd, startDetached } from '../../app/platform/detached-process.ts';
import type { DatabaseEnv, FileEnv, TimeEnv } from '../../app/platform/env.ts';
import { findRunningNode, type ProcessContext } from '../../app/platform/process-context.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { acquireLock } from '../../ledger/store/lock.ts';

export type Detached = { readonly pid: number; readonly logFile: string; readonly url: string | undefined; readonly isHealthy: boolean };

/** Milliseconds between two looks at the node. */
const pollInterval = 50;
/** Milliseconds for one answer of the node. */
const answerTimeout = 2000;
const maxShownLog = 2000;
/** Milliseconds that a start is watched without `--wait`: a node that cannot start, because its port is taken, fails before. */
const startTimeout = 10_000;

/**
 * `--detach`: starts the node in the background. Returns when it listens, or with `--wait` when it is healthy. Throws a DetachError with the
 * reason if it stops or does not become healthy.
 */
export async function detach(
  config: Config,
  env: NodeFinderEnv & TimeEnv,
  {
    program,
    logFile,
    waitTimeout,
  }: {
    /** The file of this program; undefined in a single-file executable. */
    readonly program: string | undefined;
    readonly logFile: string;
    /** Milliseconds to wait until the node is healthy; undefined: it is not waited for. */
    readonly waitTimeout: number | undefined;
  },
): Promise<Detached> {
  refuseSecondNode(config, env);
  if (config.dataDir !== undefined) env.makeFolder(config.dataDir);
  const logStart = fileSize(logFile);
  const { pid, exited } = await startDetached(program, logFile);
  let exit: { readonly code: number | null } | undefined;
  void exited.then((code) => {
    exit = { code };
  });
  const deadline = env.clock.monotonic() + (waitTimeout ?? startTimeout);
  let reason = 'it does not listen yet';
  while (env.clock.monotonic() < deadline) {
    if (exit !== undefined)
      throw new DetachError(`the node has stopped: ${readEnd(logFile, logStart, maxShownLog).text.trim() || `exit code ${exit.code}`}`, {
        code: 'DETACH_STOPPED',
        exitCode: exit.code,
      });
    const node = findNode(config, env);
    if (node?.pid === pid) {
      const url = node.uri;
      if (waitTimeout === undefined) return { pid, logFile, url, isHealthy: false };
      const found = await findReason(config, url);
      if (found === undefined) return { pid, logFile, url, isHealthy: true };
      reason = found;
    }
    await sleep(env.timers, pollInterval);
  }
  if (waitTimeout === undefined) return { pid, logFile, url: undefined, isHealthy: false };
  throw new DetachError(
    `the node is not healthy after ${waitTimeout / 1000} s: ${reason}; it runs on with pid ${pid}, its log is ${logFile}`,
    {
      code: 'DETACH_UNHEALTHY',
    },
  );
}

type NodeFinderEnv = Pick<FileEnv, 'makeFolder' | 'identifyFile'> & Pick<DatabaseEnv, 'openDatabase'>;

/** The node that runs with this data directory or process context file; undefined if there is none. */
export const findNode = (config: Pick<Config, 'processContextFile' | 'dataDir'>, env: NodeFinderEnv): ProcessContext | undefined =>
  findRunningNode(config.processContextFile, () => {
    try {
      requireFreeDirectory(config, env);
      return config.dataDir === undefined ? undefined : false;
    } catch {
      return true;
    }
  });

/** Throws if another process, a node or a command, holds the lock of the data directory. */
function requireFreeDirectory({ dataDir }: Pick<Config, 'dataDir'>, env: NodeFinderEnv): void {
  const lock = dataDir === undefined ? undefined : dataFilesIn(dataDir).lock;
  // Opening the file would create it.
  if (lock !== undefined && env.identifyFile(lock) !== undefined) acquireLock(env.openDatabase, lock).release();
}

/** Throws if a node runs already: a second one would write its reason for not starting to the log of the first. */
function refuseSecondNode(config: Config, env: NodeFinderEnv): void {
  const node = findNode(config, env);
  if (node !== undefined)
    throw new DetachError(
      `the node runs already with pid ${node.pid} at ${node.uri}; stop it first, or choose another --data-dir or --log-file`,
      {
        code: 'DETACH_RUNNING',
        pid: node.pid,
        url: node.uri,
      },
    );
  if (config.store !== 'memory') requireFreeDirectory(config, env);
}

/** Why the node is not healthy; undefined if it is. Where neither health nor readiness is served, a node that listens is healthy. */
async function findReason({ apis, publicApi, strict }: InterfaceConfig, url: string): Promise<string | undefined> {
  const path = apis.health && !publicApi ? '/ext/health' : strict ? undefined : '/ready';
  return path === undefined ? undefined : findUnhealthyReason(url, path);
}

/** Why a node on this machine is not healthy; undefined if it is. */
export async function findUnhealthyReason(url: string, path = '/ext/health'): Promise<string | undefined> {
  try {
    const response = await fetchDirectly(url + path, { signal: AbortSignal.timeout(answerTimeout) });
    if (response.status === 200) return undefined;
    if (response.status === 404) return path === '/ready' ? undefined : findUnhealthyReason(url, '/ready');
    return describeFailure((await response.json()) as FailureReport);
  } catch (error) {
    return `${url}${path} does not answer: ${(error as { message?: string }).message}`;
  }
}

type FailureReport = { readonly reason?: string; readonly checks?: { readonly [name: string]: { readonly error?: string } } };

function describeFailure({ reason, checks = {} }: FailureReport): string {
  const failing = Object.entries(checks).flatMap(([name, { error }]) => (error === undefined ? [] : [`${name}: ${error}`]));
  return reason ?? failing.join(', ');
}
