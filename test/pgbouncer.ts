import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServerUser, handOver, type PrivatePostgres } from './postgres.ts';
import { freePort } from './processes.ts';

/** PgBouncer in transaction mode before one PostgreSQL server. `stop` ends it for good, `kill` until `start`, on the same port. */
export type PrivatePgBouncer = {
  readonly url: string;
  readonly port: number;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Path of PgBouncer, if installed. */
export const pgBouncerBinary: string | undefined =
  process.platform === 'linux' ? (Bun.which('pgbouncer') ?? ['/usr/sbin/pgbouncer'].find((path) => existsSync(path))) : undefined;

/** Settings are lines of its configuration, such as `ignore_startup_parameters = search_path`. */
export async function startPgBouncer(
  { port: serverPort }: Pick<PrivatePostgres, 'port'>,
  settings: readonly string[] = [],
  logins: readonly string[] = ['"serac" ""'],
): Promise<PrivatePgBouncer> {
  const user = findServerUser();
  if (pgBouncerBinary === undefined || user === undefined) throw new Error('PgBouncer is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'serac-pgbouncer-'));
  const port = freePort();
  writeFileSync(join(folder, 'users'), `${logins.join('\n')}\n`);
  writeFileSync(
    join(folder, 'config'),
    [
      '[databases]',
      `* = host=127.0.0.1 port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'auth_type = trust',
      `auth_file = ${join(folder, 'users')}`,
      'pool_mode = transaction',
      'default_pool_size = 4',
      'unix_socket_dir =',
      // So that a test does not wait: a server that was down is tried again at once.
      'server_login_retry = 0.2',
      ...settings,
      '',
    ].join('\n'),
  );
  handOver(folder, user);
  const spawnServer = () =>
    Bun.spawn([...user.prefix, pgBouncerBinary as string, '-q', join(folder, 'config')], {
      cwd: folder,
      stdout: 'ignore',
      stderr: Bun.file(join(folder, 'log')),
    });
  let server: ReturnType<typeof spawnServer>;
  const start = async (): Promise<void> => {
    server = spawnServer();
    for (let attempt = 0; !(await isListening(port)); attempt++) {
      if (attempt === 1000 || server.exitCode !== null)
        throw new Error(`PgBouncer did not start: ${await Bun.file(join(folder, 'log')).text()}`);
      await Bun.sleep(10);
    }
  };
  const kill = async (): Promise<void> => {
    server.kill('SIGKILL');
    await server.exited;
  };
  await start();
  return {
    url: `postgres://serac@127.0.0.1:${port}/postgres`,
    port,
    kill,
    start,
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
