import { createHash } from 'node:crypto';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { posix, win32 } from 'node:path';

/**
 * The name of the socket by which processes of this machine reach the process that owns a folder. Windows has no sockets in folders: there it is
 * a named pipe, whose name is computed from the folder's.
 */
export function socketPathOf(folder: string, platform: string = process.platform): string {
  if (platform !== 'win32') return posix.join(folder, 'control.sock');
  // Windows compares names without case.
  const hash = createHash('sha256').update(win32.resolve(folder).toLowerCase()).digest('hex').slice(0, 32);
  return `\\\\.\\pipe\\serac-${hash}`;
}

/** Whether there is a socket of a folder; its process may have been killed since. */
export const hasSocket = (folder: string): boolean => existsSync(socketPathOf(folder));

export const connectToSocket = (folder: string): Socket => connect(socketPathOf(folder));

/** Listens on the socket of a folder, which only its owner can open. Returns a function that ends it. */
export async function listenOnSocket(folder: string, onConnection: (socket: Socket) => void): Promise<() => void> {
  const path = socketPathOf(folder);
  const isFile = process.platform !== 'win32';
  if (isFile) rmSync(path, { force: true });
  const server = createServer(onConnection);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  if (isFile) chmodSync(path, 0o600);
  return () => {
    server.close();
    if (isFile) rmSync(path, { force: true });
  };
}
