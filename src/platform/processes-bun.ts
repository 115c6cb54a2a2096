import type { Channel } from '../workers/relay.ts';
import type { ReaderProcess } from '../workers/supervisor.ts';

/** Starts another process of this program, with a message channel to it. It inherits stdout and stderr. */
export function spawnReaderProcess(
  command: readonly string[],
  env: Record<string, string | undefined>,
): ReaderProcess & { readonly pid: number } {
  const listeners: ((message: unknown) => void)[] = [];
  const child = Bun.spawn([...command], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'advanced',
    ipc: (message) => {
      for (const listener of listeners) listener(message);
    },
  });
  return {
    pid: child.pid,
    exited: child.exited,
    kill: (signal) => child.kill(signal),
    // Messages to a process that has exited are dropped. Bun has `connected`, but its types do not.
    send: (message) => void ((child as unknown as { connected: boolean }).connected && child.send(message)),
    onMessage: (listener) => void listeners.push(listener),
  };
}

/** The channel to the process that started this one; undefined if this process has no such channel. */
export function parentChannel(): (Channel & { readonly onClose: (listener: () => void) => void; readonly kill: () => void }) | undefined {
  if (process.send === undefined) return undefined;
  const parent = process.ppid;
  return {
    // When the parent exits, `ppid` changes: another process must not be killed.
    kill: () => void (process.ppid === parent && process.kill(parent, 'SIGKILL')),
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.on('disconnect', listener),
  };
}
