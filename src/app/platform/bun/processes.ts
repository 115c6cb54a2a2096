import type { ReaderProcess } from '../node-processes.ts';
import { readActivity } from '../process-activity.ts';
import { childEnvironment } from '../supervised-process.ts';

/** Starts another process of this program, with a message channel to it. It inherits stdout and stderr. */
export function spawnReaderProcess(
  command: readonly string[],
  env: Record<string, string | undefined>,
): ReaderProcess & { readonly pid: number } {
  const listeners: ((message: unknown) => void)[] = [];
  const child = Bun.spawn([...command], {
    env: childEnvironment(env),
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'advanced',
    ipc: (message) => {
      for (const listener of listeners) listener(message);
    },
  });
  return {
    pid: child.pid,
    exited: child.exited,
    activity: () => readActivity(child.pid),
    kill: (signal) => child.kill(signal),
    // Messages to a process that has exited are dropped. Bun has `connected`, but its types do not.
    send: (message) => void ((child as unknown as { connected: boolean }).connected && child.send(message)),
    onMessage: (listener) => void listeners.push(listener),
  };
}

/**
 * The environment of a reader process: that of this process, with the values of variables with the prefix in place of their own. The
 * launcher (bin/launcher.js) sets `SERAC_READER_BUN_JSC_forceRAMSize`, so that Bun's garbage collector has a size of its own in readers.
 */
export function readerEnvironment(own: Record<string, string | undefined>): Record<string, string | undefined> {
  const entries = Object.entries(own);
  return Object.fromEntries([
    ...entries.filter(([name]) => !name.startsWith(prefix)),
    ...entries.flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [])),
  ]);
}

const prefix = 'SERAC_READER_';
