import { spawn } from 'node:child_process';
import type { ReaderProcess } from '../node-processes.ts';
import { readActivity } from '../process-activity.ts';
import { childEnvironment } from '../supervised-process.ts';

/** Starts another process of this program on Node, with a message channel to it. It inherits stdout and stderr. */
export function spawnReaderProcess(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): ReaderProcess & { readonly pid: number } {
  const child = spawn(command, args, {
    env: childEnvironment(env),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const { promise: exited, resolve } = Promise.withResolvers<number>();
  child.once('exit', (code) => resolve(code ?? 1));
  // A process that could not be started counts as one that has exited.
  child.once('error', () => resolve(1));
  return {
    pid: child.pid ?? 0,
    exited,
    activity: () => readActivity(child.pid ?? 0),
    kill: (signal) => void child.kill(signal),
    // Messages to a process that has exited are dropped.
    send: (message) => void (child.connected && child.send(message as object, () => {})),
    onMessage: (listener) => void child.on('message', listener),
  };
}
