import { readFileSync } from 'node:fs';
import { childProcess } from '../../base/bytes/runtime-modules.ts';
import { attempt } from '../../base/fault.ts';

/**
 * A process that runs. `start` tells it from every other process that has had or will have the same ID; undefined where the system does not say
 * when a process started: on Windows, and for a process of another user that is hidden.
 */
export type RunningProcess = { readonly start: string | undefined };

/** Returns the running process with an ID; undefined if there is none. A process that has ended and waits for its parent (a zombie) does not run. */
export function findProcess(pid: number): RunningProcess | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EPERM') return undefined;
  }
  const found = process.platform === 'linux' ? readProcFile(pid) : askPs(pid);
  return found?.state.startsWith('Z') ? undefined : { start: found?.start };
}

type ProcessFacts = { readonly state: string; readonly start: string };

/** Linux: the start in ticks since the machine has booted, and the ID of that boot. The name of a process, in parentheses, may contain anything. */
function readProcFile(pid: number): ProcessFacts | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields?.[0], fields?.[startField]];
  if (state === undefined || ticks === undefined) return undefined;
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '';
  return { state, start: `${boot}/${ticks}` };
}

/** The index of the start among the fields after the name; see proc_pid_stat(5). */
const startField = 19;

/** Elsewhere: the start in whole seconds. Undefined without `ps`. */
function askPs(pid: number): ProcessFacts | undefined {
  const { stdout } = childProcess().spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  const [, state, start] = /^\s*(\S+)\s+(.+?)\s*$/.exec(stdout ?? '') ?? [];
  return state === undefined || start === undefined ? undefined : { state, start };
}
