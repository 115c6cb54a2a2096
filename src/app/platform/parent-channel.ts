import type { Channel } from '../workers/relay.ts';

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
