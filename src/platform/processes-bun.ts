import type { Channel } from '../workers/relay.ts';
import type { Child } from '../workers/supervisor.ts';

/** Starts another process of this program, joined to this one by a channel. It inherits the output. */
export function spawnChild(command: readonly string[], env: Record<string, string | undefined>): Child & { readonly pid: number } {
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
    // What is sent to a process that has ended is dropped. Bun has `connected`, its types do not.
    send: (message) => void ((child as unknown as { connected: boolean }).connected && child.send(message)),
    onMessage: (listener) => void listeners.push(listener),
  };
}

/** The channel to the process that started this one; undefined if nobody did. */
export function parentChannel(): (Channel & { readonly onClose: (listener: () => void) => void; readonly kill: () => void }) | undefined {
  if (process.send === undefined) return undefined;
  const parent = process.ppid;
  return {
    // A process whose parent has ended has another one.
    kill: () => void (process.ppid === parent && process.kill(parent, 'SIGKILL')),
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.on('disconnect', listener),
  };
}
