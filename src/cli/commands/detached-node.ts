import type { Options } from '../../app/config/flag-table.ts';
import { fileSize, readEnd, requireLog, stopProcess } from '../../app/platform/detached-process.ts';
import type { Env } from '../../app/platform/env.ts';
import type { ProcessContext } from '../../app/platform/process-context.ts';
import { findProcess } from '../../app/platform/running-process.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { findUnhealthyReason } from './detach.ts';

/** What a command about a node in the background works with. */
export type DetachedContext = {
  /** The node that runs; undefined if there is none. */
  readonly findNode: () => ProcessContext | undefined;
  /** Where a node in the background logs by default. */
  readonly logFile: string;
  readonly options: Options;
  readonly print: (text: string) => void;
  readonly env: Pick<Env, 'timers' | 'clock'>;
};

/** Milliseconds between two looks at a process or a file. */
const pollInterval = 100;
/** Bytes of a log that are read at once. */
const maxRead = 4 * 1024 * 1024;

/** Commands about a node that was started with `--detach`. They return the exit code. */
export const detachedCommands = {
  status: async ({ findNode, logFile, options, print }: DetachedContext): Promise<number> => {
    const node = findNode();
    const reason = node && (await findUnhealthyReason(node.uri));
    const log = node?.log ?? (fileSize(logFile) === 0 ? undefined : logFile);
    if (options.json)
      print(
        `${JSON.stringify({ running: node !== undefined, pid: node?.pid, url: node?.uri, healthy: node && reason === undefined, reason, log })}\n`,
      );
    else if (node === undefined) print('not running\n');
    else
      print(
        `running with pid ${node.pid} at ${node.uri}, ${reason === undefined ? 'healthy' : `not healthy: ${reason}`}${log === undefined ? '' : `\nlog ${log}`}\n`,
      );
    return node === undefined ? 1 : 0;
  },

  stop: async ({ findNode, options, print, env }: DetachedContext): Promise<number> => {
    const node = findNode();
    const tell = (text: string, facts: object): void => print(`${options.json ? JSON.stringify(facts) : text}\n`);
    if (node === undefined) {
      tell('not running', { stopped: false, running: false });
      return 1;
    }
    const { pid } = node;
    const start = findProcess(pid)?.start;
    const isRunning = (): boolean => {
      const found = findProcess(pid);
      return found !== undefined && found.start === start;
    };
    stopProcess(pid);
    const deadline = env.clock.monotonic() + options['wait-timeout'];
    while (isRunning()) {
      if (env.clock.monotonic() > deadline) {
        const seconds = options['wait-timeout'] / 1000;
        tell(`pid ${pid} was told to stop, but runs after ${seconds} s; kill -9 ${pid} ends it at once`, {
          stopped: false,
          running: true,
          pid,
        });
        return 1;
      }
      await sleep(env.timers, pollInterval);
    }
    tell(`stopped pid ${pid}`, { stopped: true, running: false, pid });
    return 0;
  },

  logs: async ({ findNode, logFile, options, print, env }: DetachedContext): Promise<number> => {
    await printLog(options['log-file'] ?? findNode()?.log ?? logFile, options, print, env);
    return 0;
  },
};

/** Prints the last lines of a log, and with `follow` what is added to it, until this process is interrupted. */
export async function printLog(
  logFile: string,
  { lines, follow }: Pick<Options, 'lines' | 'follow'>,
  print: (text: string) => void,
  env: Pick<Env, 'timers'>,
): Promise<void> {
  requireLog(logFile);
  const last = readEnd(logFile, 0, maxRead);
  print(lastLines(last.text, lines));
  // Each part begins where the one before ended: the log may grow at any moment.
  for (let at = last.end; follow; ) {
    await sleep(env.timers, pollInterval);
    const size = fileSize(logFile);
    // A log that became shorter was replaced.
    if (size < at) at = 0;
    if (size === at) continue;
    const { text, end } = readEnd(logFile, at, maxRead);
    print(text);
    at = end;
  }
}

function lastLines(text: string, count: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const last = count === 0 ? [] : lines.slice(-count);
  return last.length === 0 || (last.length === 1 && last[0] === '') ? '' : `${last.join('\n')}\n`;
}
