import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Processes as Linux shows them. */

/** Those that a process has started and that still run. */
export const childrenOf = (pid: number): number[] => pids().filter((one) => statOf(one)?.parent === pid && statOf(one)?.state !== 'Z');

/** Those whose command line has this text in it. */
export const processesWith = (text: string): number[] => pids().filter((pid) => read(`/proc/${pid}/cmdline`)?.includes(text));

/** How many sockets a process holds open. */
export function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return list(folder).filter((fd) => linkOf(`${folder}/${fd}`)?.startsWith('socket:')).length;
}

/** Asks again and again until the answer holds, or too much time has passed; gives the last answer. */
export async function eventually<T>(ask: () => T | Promise<T>, holds: (answer: T) => boolean, patience = 10_000): Promise<T> {
  const until = performance.now() + patience;
  for (;;) {
    const answer = await ask();
    if (holds(answer) || performance.now() > until) return answer;
    await Bun.sleep(10);
  }
}

const pids = (): number[] =>
  list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** `pid (name) state parent ...`; the name may hold blanks and brackets. */
function statOf(pid: number): { state: string; parent: number } | undefined {
  const text = read(`/proc/${pid}/stat`);
  const [state, parent] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === undefined ? undefined : { state, parent: Number(parent) };
}

/** A process may end between two looks at it. */
const orNothing = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch {
    return undefined;
  }
};

const read = (path: string) => orNothing(() => readFileSync(path, 'utf8'));
const linkOf = (path: string) => orNothing(() => readlinkSync(path));
const list = (path: string): string[] => orNothing(() => readdirSync(path)) ?? [];
