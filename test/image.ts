import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { commandOf, parseDockerfile, type Stage, textsOf } from './dockerfile.ts';
import { childrenOf, eventually } from './processes.ts';

/** The image of the Dockerfile without Docker: its files in a Debian root of the test's own. Containers are namespaces in that root. */
export type Image = ReturnType<typeof buildImage>;

type Variables = Readonly<Record<string, string>>;

/** Words before a command with which it runs in a network namespace. */
type Network = readonly string[];

/** Carries out the steps of the Dockerfile. `hosts`: names by which containers find each other, all on one loopback. */
export function buildImage(hosts: readonly string[]) {
  const stages = parseDockerfile(readFileSync('Dockerfile', 'utf8'));
  const stage = stages.at(-1) as Stage;
  const folder = mkdtempSync(join(tmpdir(), 'serac-image-'));
  const root = join(folder, 'root');
  const { user, env } = carryOut(stages, stage, folder, root);
  writeFileSync(join(root, 'etc/hosts'), `127.0.0.1 localhost ${hosts.join(' ')}\n`);
  const mountPoint = join(root, textsOf(stage, 'VOLUME')[0] as string);
  /** Processes that are killed at the end, whatever failed. */
  const running = new Set<Bun.Subprocess>();
  const inEnv = (more: Variables): string[] => [
    'env',
    '--ignore-environment',
    ...Object.entries({ ...env, ...more }).map(([name, value]) => `${name}=${value}`),
  ];

  return {
    stage,
    root,
    user,
    /** A new volume: as with Docker, it has the contents and the owner of the image's folder. */
    createVolume: (name: string): string => {
      const volume = join(folder, `volume-${name}`);
      run(['cp', '--archive', mountPoint, volume]);
      return volume;
    },
    /** Creates a network that has nothing but loopback. */
    startNetwork: async (): Promise<Network> => {
      const holder = Bun.spawn(['unshare', '--net', 'sh', '-c', 'ip link set lo up && echo up && exec sleep infinity'], { stdout: 'pipe' });
      running.add(holder);
      await holder.stdout.getReader().read();
      return ['nsenter', `--net=/proc/${holder.pid}/ns/net`];
    },
    /** Makes a server with a Unix socket listen on a port of a network. */
    forward: (network: Network, port: number, socket: string): void => {
      const script = `const { connect, createServer } = require('node:net');
        createServer((client) => client.pipe(connect('${socket}')).pipe(client)).listen(${port}, '127.0.0.1')`;
      running.add(Bun.spawn([...network, process.execPath, '-e', script], { stderr: 'ignore' }));
    },
    /** Runs `docker run -v VOLUME:/data serac ARGS`: PID 1, processes and mounts of its own. */
    startContainer: async (network: Network, volume: string, args: readonly string[], variables: Variables = {}) => {
      const prepare = `mount -t proc proc ${root}/proc && mount --bind ${volume} ${mountPoint} && exec "$@"`;
      const isolate = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', prepare, 'sh'];
      const program = ['chroot', `--userspec=${user}`, root, ...commandOf(stage, 'ENTRYPOINT'), ...args];
      const child = Bun.spawn([...network, ...isolate, ...inEnv(variables), ...program], { stdout: 'ignore', stderr: 'pipe' });
      running.add(child);
      const errors = new Response(child.stderr).text();
      const [pid = 0] = await eventually(
        () => childrenOf(child.pid).filter((one) => readFileSync(`/proc/${one}/comm`, 'utf8') === 'serac\n'),
        (pids) => pids.length === 1 || child.exitCode !== null,
      );
      if (pid === 0) throw new Error(`the container ended: ${await errors}`);

      /** Runs `docker exec`. */
      const exec = (words: readonly string[]) => {
        const enter = ['nsenter', `--target=${pid}`, '--mount', '--pid', '--net', '--root', `--setuid=${user}`, '--setgid=65534'];
        const { exitCode, stdout } = Bun.spawnSync([...enter, ...inEnv(variables), ...words]);
        return { exitCode, text: stdout.toString() };
      };
      return {
        pid,
        /** Waits until the health check of the image passes. */
        untilHealthy: () =>
          eventually(
            () => exec(commandOf(stage, 'HEALTHCHECK')).exitCode,
            (code) => code === 0,
            60_000,
          ),
        /** Evaluates an expression inside of the container, with the Bun of the executable. */
        evaluate: (expression: string): unknown =>
          JSON.parse(exec(['env', 'BUN_BE_BUN=1', 'serac', '-e', `console.log(JSON.stringify(${expression}))`]).text),
        /** Runs `docker stop`. Returns exit code, seconds and error output. */
        stop: async () => {
          const start = performance.now();
          process.kill(pid, 'SIGTERM');
          const code = await child.exited;
          running.delete(child);
          return { code, seconds: (performance.now() - start) / 1000, err: await errors };
        },
      };
    },
    remove: async (): Promise<void> => {
      for (const child of running) {
        child.kill('SIGKILL');
        await child.exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Carries out the instructions of the last stage in a new Debian root. Returns the user and the environment of containers. */
function carryOut(stages: readonly Stage[], stage: Stage, folder: string, root: string) {
  // What Docker gives every container.
  const env: Record<string, string> = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/home/serac' };
  let user = 'root';
  const suite = /^debian:(\w+)-slim$/.exec(stage.base)?.[1];
  if (suite === undefined) throw new Error(`the image is not built on Debian: ${stage.base}`);
  run(['debootstrap', '--variant=minbase', suite, root]);
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  for (const { name, text } of stage.instructions) {
    if (name === 'RUN') run(['chroot', root, 'sh', '-c', text], { ...process.env, PATH: env.PATH });
    else if (name === 'COPY') {
      const [, from, source = '', target = ''] = /^--from=(\S+) (\S+) (\S+)$/.exec(text) ?? [];
      const built = stages.find((one) => one.name === from);
      if (built === undefined) throw new Error(`no stage for COPY ${text}`);
      mkdirSync(dirname(join(root, target)), { recursive: true });
      cpSync(buildFile(built, source, folder), join(root, target));
    } else if (name === 'USER') user = text;
    else if (name === 'ENV') env[text.slice(0, text.indexOf('='))] = text.slice(text.indexOf('=') + 1);
    else if (!['VOLUME', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'].includes(name)) throw new Error(`unknown instruction ${name}`);
  }
  return { user, env };
}

/** Builds the file that a stage leaves at a path, with the command of the stage that names the path; its `npm ci` is that of this checkout. */
function buildFile(stage: Stage, path: string, folder: string): string {
  const command = textsOf(stage, 'RUN').find((text) => text.endsWith(` ${path}`));
  if (command === undefined) throw new Error(`no RUN of the stage ${stage.name} makes ${path}`);
  const built = join(folder, basename(path));
  run(['sh', '-c', command.replace(path, built)]);
  return built;
}

function run(command: readonly string[], env = process.env): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { env });
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: exit code ${exitCode}\n${stdout}${stderr}`.slice(-4000));
}
