import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

// Reads the list of processes from Linux's /proc.

/** PIDs of the running children of a process. */
export const childrenOf = (pid: number): number[] => pids().filter((one) => statOf(one)?.parent === pid && statOf(one)?.state !== 'Z');

/** PIDs of the processes whose command line contains the text. */
export const processesMatching = (text: string): number[] => pids().filter((pid) => read(`/proc/${pid}/cmdline`)?.includes(text));

/** Number of open sockets of a process. */
export function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return list(folder).filter((fd) => linkOf(`${folder}/${fd}`)?.startsWith('socket:')).length;
}

/** A port on which nothing listens. Where the program can, let it choose: `--http-port=0`. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/**
 * Calls `read` until `isDone` accepts the value, and returns it. Throws with the last value when the timeout (in milliseconds) is over, so
 * that a wait without an assertion after it can fail. The pauses are a tenth of the time waited, 5 to 200 ms: a long wait costs little CPU
 * time, which the files that run beside it can use.
 */
export async function eventually<T>(read: () => T | Promise<T>, isDone: (answer: T) => boolean, timeout = 30_000): Promise<T> {
  const start = performance.now();
  for (;;) {
    const answer = await read();
    if (isDone(answer)) return answer;
    const waited = performance.now() - start;
    if (waited > timeout)
      throw new Error(
        `after ${timeout} ms the value is still ${Bun.inspect(answer, { depth: 6 }).slice(0, maxShown)}; expected: ${isDone}`,
      );
    await Bun.sleep(Math.min(200, Math.max(5, waited / 10)));
  }
}

/** Waits for the only reader process of a node and returns its PID. */
export async function untilReader(pid: number): Promise<number> {
  const [reader] = await eventually(
    () => childrenOf(pid),
    (children) => children.length === 1,
  );
  return reader as number;
}

/** Characters of a value in an error. */
const maxShown = 2000;

const pids = (): number[] =>
  list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Parses `pid (name) state parent ...`; the name may contain spaces and brackets. */
function statOf(pid: number): { state: string; parent: number } | undefined {
  const text = read(`/proc/${pid}/stat`);
  const [state, parent] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === undefined ? undefined : { state, parent: Number(parent) };
}

/** A process may exit between two reads. */
const orUndefined = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch {
    return undefined;
  }
};

const read = (path: string) => orUndefined(() => readFileSync(path, 'utf8'));
const linkOf = (path: string) => orUndefined(() => readlinkSync(path));
const list = (path: string): string[] => orUndefined(() => readdirSync(path)) ?? [];
