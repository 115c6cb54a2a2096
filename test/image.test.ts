import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { commandOf, parseDockerfile, type Stage, textsOf } from './dockerfile.ts';
import { childrenOf, eventually } from './processes.ts';

/** The image without Docker: the steps of the Dockerfile in a Debian root of the test's own, and containers as namespaces in it. */

const stages = parseDockerfile(readFileSync('Dockerfile', 'utf8'));
const image = stages.at(-1) as Stage;

/** What this needs and what a machine may lack; the first one that is missing. */
const findProgram = (name: string) => Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) ?? undefined;
const missing = [
  ...['debootstrap', 'chroot', 'unshare', 'nsenter', 'ip'].filter((name) => findProgram(name) === undefined),
  ...(existsSync('/usr/share/keyrings/debian-archive-keyring.gpg') ? [] : ["Debian's keys"]),
  ...(process.getuid?.() === 0 && Bun.spawnSync(['unshare', '--mount', '--pid', '--net', '--fork', 'true']).success ? [] : ['root rights']),
][0];

const folder = mkdtempSync(join(tmpdir(), 'serac-image-'));
const root = join(folder, 'root');
/** What Docker gives every container, and what the image adds. */
const imageEnv: Record<string, string> = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/home/serac' };
let user = 'root';
/** Processes that are stopped at the end, whatever failed. */
const running = new Set<Bun.Subprocess>();

const run = (command: readonly string[], env = process.env): void => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { env });
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: exit code ${exitCode}\n${stdout}${stderr}`.slice(-4000));
};

/** Builds the file that a stage leaves at a path, with the command of the stage that names the path; its `npm ci` is that of this checkout. */
function buildFile(stage: Stage, path: string): string {
  const command = textsOf(stage, 'RUN').find((text) => text.endsWith(` ${path}`));
  if (command === undefined) throw new Error(`no RUN of the stage ${stage.name} makes ${path}`);
  const built = join(folder, basename(path));
  run(['sh', '-c', command.replace(path, built)]);
  return built;
}

/** Carries out the instructions of the image's stage. Throws at one that it does not know. */
function buildImage(): void {
  const suite = /^debian:(\w+)-slim$/.exec(image.base)?.[1];
  if (suite === undefined) throw new Error(`the image is not built on Debian: ${image.base}`);
  run(['debootstrap', '--variant=minbase', suite, root]);
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  for (const { name, text } of image.instructions) {
    if (name === 'RUN') run(['chroot', root, 'sh', '-c', text], { ...process.env, PATH: imageEnv.PATH });
    else if (name === 'COPY') {
      const [, from, source = '', target = ''] = /^--from=(\S+) (\S+) (\S+)$/.exec(text) ?? [];
      const stage = stages.find((one) => one.name === from);
      if (stage === undefined) throw new Error(`no stage for COPY ${text}`);
      mkdirSync(dirname(join(root, target)), { recursive: true });
      cpSync(buildFile(stage, source), join(root, target));
    } else if (name === 'USER') user = text;
    else if (name === 'ENV') imageEnv[text.slice(0, text.indexOf('='))] = text.slice(text.indexOf('=') + 1);
    else if (!['VOLUME', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'].includes(name)) throw new Error(`unknown instruction ${name}`);
  }
}

/** A new volume: as Docker does, with the contents and the owner of the folder of the image. */
function createVolume(name: string): string {
  const volume = join(folder, `volume-${name}`);
  run(['cp', '--archive', join(root, textsOf(image, 'VOLUME')[0] as string), volume]);
  return volume;
}

const withEnv = (env: Readonly<Record<string, string>>): string[] => [
  'env',
  '--ignore-environment',
  ...Object.entries({ ...imageEnv, ...env }).map(([name, value]) => `${name}=${value}`),
];

/** Starts `docker run -v VOLUME:/data serac ARGS`: PID 1, processes, mounts and loopback of its own. */
async function startContainer(volume: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const mountPoint = join(root, textsOf(image, 'VOLUME')[0] as string);
  const prepare = `ip link set lo up && mount -t proc proc ${root}/proc && mount --bind ${volume} ${mountPoint} && exec "$@"`;
  const command = [...withEnv(env), 'chroot', `--userspec=${user}`, root, ...commandOf(image, 'ENTRYPOINT'), ...args];
  const child = Bun.spawn(['unshare', '--mount', '--pid', '--net', '--fork', '--kill-child', 'sh', '-c', prepare, 'sh', ...command], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  running.add(child);
  const output = new Response(child.stdout).text();
  const errors = new Response(child.stderr).text();
  const [pid = 0] = await eventually(
    () => childrenOf(child.pid).filter((one) => readFileSync(`/proc/${one}/comm`, 'utf8') === 'serac\n'),
    (pids) => pids.length === 1 || child.exitCode !== null,
  );
  if (pid === 0) throw new Error(`the container ended: ${await output}${await errors}`);

  /** Runs `docker exec`, and returns the exit code and what was printed. */
  const exec = (words: readonly string[]) => {
    const enter = ['nsenter', `--target=${pid}`, '--mount', '--pid', '--net', '--root', `--setuid=${user}`, '--setgid=65534'];
    const { exitCode, stdout } = Bun.spawnSync([...enter, ...withEnv(env), ...words]);
    return { exitCode, text: stdout.toString() };
  };
  return {
    pid,
    exec,
    untilHealthy: () =>
      eventually(
        () => exec(commandOf(image, 'HEALTHCHECK')).exitCode,
        (code) => code === 0,
        60_000,
      ),
    /** Evaluates a script inside of the container, with the Bun of the executable, and returns what it prints. */
    evaluate: (script: string): unknown =>
      JSON.parse(exec(['env', 'BUN_BE_BUN=1', 'serac', '-e', `console.log(JSON.stringify(${script}))`]).text),
    /** Runs `docker stop`, and returns exit code, seconds and error output. */
    stop: async () => {
      const start = performance.now();
      process.kill(pid, 'SIGTERM');
      const code = await child.exited;
      running.delete(child);
      return { code, seconds: (performance.now() - start) / 1000, err: await errors };
    },
  };
}

/** Seconds after which `docker stop` kills a container. */
const dockerStopTimeout = 10;

const call = (method: string, path = '/ext/bc/X', host = '127.0.0.1:9650') =>
  `await fetch('http://127.0.0.1:9650${path}', { method: 'POST', headers: { 'content-type': 'application/json', host: '${host}' }, body: '{"jsonrpc":"2.0","id":1,"method":"${method}","params":{}}' })`;

describe.skipIf(missing !== undefined)(`the image in a Debian root${missing === undefined ? '' : ` (missing: ${missing})`}`, () => {
  beforeAll(buildImage, 1_200_000);
  afterAll(async () => {
    for (const child of running) {
      child.kill('SIGKILL');
      await child.exited;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test('has the executable, an unprivileged user with a folder for its data, and neither Node nor npm', () => {
    const [volume] = textsOf(image, 'VOLUME');
    const { mode, uid } = statSync(join(root, volume as string));
    expect([mode & 0o777, `${uid}`]).toEqual([0o700, user]);
    expect(['serac', 'node', 'npm'].map((name) => existsSync(join(root, 'usr/local/bin', name)))).toEqual([true, false, false]);
    expect(existsSync(join(root, 'usr/bin/node'))).toBe(false);
    expect(readFileSync(join(root, 'etc/passwd'), 'utf8')).toContain(`serac:x:${user}:`);
  });

  test('docker run: healthy, without /ext/dev, with rate limits, stops in time, and finds its chain again', async () => {
    const volume = createVolume('serac');
    const blockID = `await (${call('avm.getHeight')}).json()`;
    const first = await startContainer(volume, commandOf(image, 'CMD'));
    await first.untilHealthy();
    expect(readFileSync(`/proc/${first.pid}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\t${user}\\t`, 'm'));
    const height = first.evaluate(blockID);
    expect(height).toHaveProperty('result.height');
    expect(first.evaluate(`(${call('dev.nodeInfo', '/ext/dev')}).status`)).toBe(404);
    const path = '/v1/networks/local/blockchains/x-chain/blocks';
    expect(first.evaluate(`(await fetch('http://127.0.0.1:9650${path}')).headers.has('ratelimit-remaining')`)).toBe(true);
    const { code, seconds, err } = await first.stop();
    expect([code, err]).toEqual([0, '']);
    expect(seconds).toBeLessThan(dockerStopTimeout);

    const again = await startContainer(volume, commandOf(image, 'CMD'));
    await again.untilHealthy();
    expect(again.evaluate(blockID)).toEqual(height);
    expect((await again.stop()).code).toBe(0);
  });

  test('docker compose: the node of the compose file is healthy, and answers to its name only', async () => {
    type Service = { readonly command: string[]; readonly environment?: Record<string, string> };
    const { services } = Bun.YAML.parse(readFileSync('packaging/compose.yaml', 'utf8')) as { services: { node: Service } };
    const { command, environment } = services.node;
    const node = await startContainer(createVolume('chain'), command, environment);
    await node.untilHealthy();
    const statusFor = (host: string) => node.evaluate(`(${call('avm.getHeight', '/ext/bc/X', host)}).status`);
    expect([statusFor('node:9650'), statusFor('localhost:9650'), statusFor('example.org')]).toEqual([200, 200, 403]);
    expect((await node.stop()).code).toBe(0);
  });
});
