import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './processes.ts';

/** A PostgreSQL server for one test, which can be stopped and killed. */
export type PrivatePostgres = {
  readonly url: string;
  readonly port: number;
  /** The process of the server; its sessions are its children. */
  readonly pid: () => number;
  /** The folder of its Unix socket, where a test may also put files for the server to read. */
  readonly folder: string;
  readonly start: () => Promise<void>;
  /** `kill`: at once, like a crash. `stop`: closes its sessions first. */
  readonly end: (how: 'kill' | 'stop') => Promise<void>;
  /** Suspends the server: it accepts connections and bytes, but does not respond until `thaw`. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Makes a replica the primary: it accepts writes when this resolves. */
  readonly promote: () => Promise<void>;
  readonly remove: () => Promise<void>;
};

/** Whether PostgreSQL is installed and can be started. */
export const postgresInstalled: boolean = process.platform === 'linux' && findBinaries() !== undefined && findServerUser() !== undefined;

type PostgresOptions = {
  /** Lines of its configuration file. */
  readonly settings?: readonly string[];
  /** The server that it copies and then follows, as a replica with streaming replication. */
  readonly replicaOf?: PrivatePostgres;
  /** The server that it copies with pg_basebackup. It is not started: the test chooses what is recovered. */
  readonly backupOf?: PrivatePostgres;
  /** A free port if it is left out. */
  readonly port?: number;
};

/**
 * Starts a server with an empty database, or a replica of another one. Returns undefined if PostgreSQL is not installed. Linux only, because it
 * reads /proc.
 */
export async function startPostgres({
  settings = [],
  replicaOf,
  backupOf,
  port: wantedPort,
}: PostgresOptions = {}): Promise<PrivatePostgres | undefined> {
  const bin = process.platform === 'linux' ? findBinaries() : undefined;
  const user = bin === undefined ? undefined : findServerUser();
  if (bin === undefined || user === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'serac-postgres-'));
  handOver(folder, user);
  const data = join(folder, 'data');
  const run = (program: string, ...args: string[]) => runAs(user, folder, join(bin, program), ...args);
  if (backupOf !== undefined) run('pg_basebackup', '--pgdata', data, '--dbname', backupOf.url, '--checkpoint=fast');
  else if (replicaOf === undefined) createCluster(data, bin, user);
  else
    run('pg_basebackup', '--pgdata', data, '--dbname', replicaOf.url, '--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast');
  const port = wantedPort ?? freePort();
  appendFileSync(
    join(data, 'postgresql.auto.conf'),
    [
      `port = ${port}`,
      `unix_socket_directories = '${folder}'`,
      `listen_addresses = '127.0.0.1'`,
      'shared_buffers = 16MB',
      ...settings,
      '',
    ].join('\n'),
  );
  const start = async () => run('pg_ctl', 'start', '--pgdata', data, '--wait', '--log', join(folder, 'log'));
  const main = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const isUp = () => existsSync(join(data, 'postmaster.pid'));
  const all = () => [main(), ...childrenOf(main())];
  const send = (name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT', pids: readonly number[]) => {
    for (const pid of pids)
      try {
        process.kill(pid, name);
      } catch {
        // The process has already exited.
      }
  };
  /** Stops the main process first, and lists its sessions only then: one that it starts meanwhile would go on responding. */
  const freeze = () => {
    send('SIGSTOP', [main()]);
    while (!isStopped(main())) Bun.sleepSync(1);
    send('SIGSTOP', childrenOf(main()));
  };
  const end = async (how: 'kill' | 'stop') => {
    if (how === 'stop') return run('pg_ctl', 'stop', '--pgdata', data, '--mode=fast');
    const pids = all();
    send('SIGKILL', pids);
    while (pids.some(isAlive)) await Bun.sleep(5);
    // A killed process that nobody has waited for counts as running, so the locks of its files are removed here.
    for (const lock of [join(data, 'postmaster.pid'), join(folder, `.s.PGSQL.${port}.lock`)]) rmSync(lock, { force: true });
  };
  if (backupOf === undefined) await start();
  return {
    url: `postgres://serac@127.0.0.1:${port}/postgres`,
    port,
    pid: main,
    folder,
    promote: async () => run('pg_ctl', 'promote', '--pgdata', data, '--wait'),
    start,
    end,
    freeze,
    thaw: () => send('SIGCONT', all()),
    remove: async () => {
      if (isUp()) await end('kill');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runAs({ prefix }: ServerUser, cwd: string, ...command: readonly string[]): void {
  const { success, stderr } = Bun.spawnSync([...prefix, ...command], { cwd, stdout: 'ignore' });
  if (!success) throw new Error(`${command.join(' ')}: ${stderr.toString()}`);
}

/** Makes the files of an empty server: a copy of those that `npm run test:all` made once, which costs a fifteenth of the CPU time of `initdb`. */
function createCluster(data: string, bin: string, user: ServerUser): void {
  const { SERAC_TEST_POSTGRES_DATA: template } = process.env;
  const initdb = [join(bin, 'initdb'), '--username=serac', '--auth=trust', '--no-sync', '--encoding=UTF8', '--no-locale', '--pgdata'];
  runAs(user, join(data, '..'), ...(template === undefined ? initdb : ['cp', '-a', template]), data);
}

/** The files of an empty server, of which tests start copies; undefined if PostgreSQL is not installed. */
export function createPostgresTemplate(): { readonly data: string; readonly remove: () => void } | undefined {
  const [bin, user] = [postgresInstalled ? findBinaries() : undefined, findServerUser()];
  if (bin === undefined || user === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'serac-postgres-'));
  handOver(folder, user);
  createCluster(join(folder, 'data'), bin, user);
  return { data: join(folder, 'data'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Folder of the server's programs: on the PATH, or Debian's folder of the newest version. */
function findBinaries(): string | undefined {
  const onPath = Bun.which('initdb');
  // A link may lead to the folder of a version, which has all programs.
  if (onPath !== null) return join(realpathSync(onPath), '..');
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

type ServerUser = { readonly prefix: string[]; readonly uid: number; readonly gid: number };

/** Gives a folder and its files to the user that runs the server. */
export function handOver(folder: string, { uid, gid }: ServerUser): void {
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) chownSync(path, uid, gid);
}

/** The user that runs the server. PostgreSQL does not run as root, so root switches to another user. */
export function findServerUser(): ServerUser | undefined {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  if (uid !== 0) return { prefix: [], uid, gid };
  const [, , id, group] = readFileSync('/etc/passwd', 'utf8').match(/^(postgres|nobody):[^:]*:(\d+):(\d+)/m) ?? [];
  if (id === undefined || group === undefined || Bun.which('setpriv') === null) return undefined;
  return { prefix: ['setpriv', `--reuid=${id}`, `--regid=${group}`, '--clear-groups'], uid: Number(id), gid: Number(group) };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** Whether a process runs. A killed process stays in /proc as a zombie (Z) until its parent has waited for it. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

/** Whether a process is suspended, or has exited. */
function isStopped(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T ');
  } catch {
    return true;
  }
}
