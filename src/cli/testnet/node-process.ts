import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { NodeProcess } from './testnet.ts';

/**
 * The arguments before a program that make the system stop it when this process is killed: `setpriv` of Linux, or nothing where it is missing or
 * cannot do that. Serac does not need it (see owner-processes.ts).
 */
export function stopWithParent(): readonly string[] {
  const command = ['setpriv', '--pdeathsig', 'TERM'] as const;
  const { status } = spawnSync(command[0], [...command.slice(1), 'true'], { stdio: 'ignore', timeout: 2000 });
  return status === 0 ? command : [];
}

/** Starts a program whose output is appended to a file. It stops when this process does, if it is Serac or was started with `stopWithParent`. */
export async function startNodeProcess([program = '', ...args]: readonly string[], folder: string, logFile: string): Promise<NodeProcess> {
  mkdirSync(folder, { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(program, args, { stdio: ['ignore', log, log], env: { ...process.env, SERAC_OWNERS: `${process.pid}` } });
    const exited = new Promise<string>((resolve) =>
      child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal)),
    );
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    return { pid: child.pid as number, exited, kill: (signal) => void child.kill(signal) };
  } finally {
    closeSync(log);
  }
}

/** Whether nobody listens on any of these ports of the loopback address. */
export async function arePortsFree(ports: readonly number[]): Promise<boolean> {
  const opened = await Promise.all(ports.map((port) => listenOn(port).catch(() => undefined)));
  await Promise.all(opened.map((server) => server && closeServer(server)));
  return opened.every((server) => server !== undefined);
}

async function listenOn(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return server;
}

const closeServer = (server: Server): Promise<unknown> => new Promise((resolve) => server.close(resolve));

/** Finds free TCP ports of the loopback address. All are open at once, so they differ. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listenOn(0)));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map(closeServer));
  return ports;
}
