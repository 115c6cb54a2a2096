import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseFlags } from '../src/app/config/flags.ts';
import { commandOf, parseDockerfile, type Stage, textsOf } from './dockerfile.ts';
import { eventually } from './processes.ts';
import { startProgram } from './program.ts';
import { type PrivateRedis, redisBinary, startRedis } from './redis.ts';

/** Checks Dockerfile and compose file as far as possible without Docker: flags, paths, names and the health check's script. */

const dockerfile = readFileSync('Dockerfile', 'utf8');
const image = parseDockerfile(dockerfile).at(-1) as Stage;

type Service = {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, unknown>;
  ports?: string[];
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> };
const compose = Bun.YAML.parse(readFileSync('packaging/compose.yaml', 'utf8')) as Compose;
const seracServices = Object.entries(compose.services).filter(([, { image }]) => image === 'serac');

test('the image does not run as root, which Kubernetes sees from a number', () => {
  const names = image.instructions.map(({ name }) => name);
  expect(names.indexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'));
  expect(textsOf(image, 'USER')).toEqual([/useradd .*--uid (\d+) /.exec(textsOf(image, 'RUN').join('\n'))?.[1] as string]);
});

const hadolint = process.env.SERAC_TEST_HADOLINT ?? Bun.which('hadolint') ?? undefined;
test.skipIf(hadolint === undefined)('hadolint: the Dockerfile has no finding', () => {
  const lint = (text: string) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([hadolint as string, '--no-color', '-'], { stdin: Buffer.from(text) });
    return { exitCode, text: `${stdout}${stderr}` };
  };
  expect(lint(dockerfile)).toEqual({ exitCode: 0, text: '' });
  expect(lint(dockerfile.replace('USER 10001', 'USER root')).text).toContain('DL3002');
});

test('every file that the Dockerfile copies exists and is not ignored', () => {
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
  expect(copied.length).toBeGreaterThan(4);
  for (const name of copied) expect([name, existsSync(name), ignored.includes(`!${name}`)]).toEqual([name, true, true]);
});

test('the health check of the image passes on a healthy node and fails without one', async () => {
  const [, , , flag = '', script = ''] = commandOf(image, 'HEALTHCHECK');
  expect(flag).toBe('-e');
  // Docker gives every container the proxy of its configuration: nothing listens there.
  const env = { http_proxy: 'http://127.0.0.1:1' };
  const check = (url: string) =>
    Bun.spawnSync([process.execPath, flag, script], { env: { ...env, SERAC_HEALTH_URL: url }, stderr: 'ignore' }).exitCode;
  const node = await startProgram();
  const url = `${node.url}/v1/health-check`;
  expect(dockerfile).toContain('SERAC_HEALTH_URL=http://127.0.0.1:9650/v1/health-check');
  expect(check(url)).toBe(0);
  await node.stop();
  expect(check(url)).toBe(1);
});

test('the commands of image and compose file are accepted by the program', () => {
  const commands = [commandOf(image, 'CMD'), ...seracServices.map(([, { command = [] }]) => command)];
  expect(commands).toHaveLength(4);
  for (const command of commands) expect([command, parseFlags(command, {}).kind]).toEqual([command, 'run']);
});

test('services, volumes and files that the compose file names exist', () => {
  const named = Object.values(compose.services).flatMap(({ depends_on = {} }) => Object.keys(depends_on));
  for (const name of named) expect(Object.keys(compose.services)).toContain(name);
  for (const volume of Object.values(compose.services).flatMap(({ volumes = [] }) => volumes)) {
    const [source = ''] = volume.split(':');
    expect([source, source.startsWith('.') ? existsSync(resolve('packaging', source)) : source in compose.volumes]).toEqual([source, true]);
  }
  for (const ports of Object.values(compose.services).flatMap(({ ports = [] }) => ports)) expect(ports).toStartWith('127.0.0.1:');
});

type PrometheusConfig = {
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly { readonly job_name: string; readonly static_configs: readonly { readonly targets: string[] }[] }[];
};
const { rule_files, scrape_configs } = Bun.YAML.parse(readFileSync('packaging/prometheus.yml', 'utf8')) as PrometheusConfig;

test('Prometheus finds its alert rules beside its configuration, and the job that they name', () => {
  const { volumes = [] } = compose.services.prometheus as Service;
  const files = ['prometheus.yml', ...rule_files];
  expect(rule_files).toEqual(['alerts.yml']);
  for (const file of files) expect(volumes).toContain(`./${file}:/etc/prometheus/${file}:ro`);
  const jobs = [...readFileSync('packaging/alerts.yml', 'utf8').matchAll(/job="(\w+)"/g)].map(([, job]) => job as string);
  expect([...new Set(jobs)]).toEqual(scrape_configs.map(({ job_name }) => job_name));
});

test('Prometheus scrapes every Serac service, at the port and host that it serves', () => {
  const targets = scrape_configs.flatMap(({ static_configs }) => static_configs.flatMap(({ targets }) => targets));
  const served = seracServices.map(([name, { command = [] }]) => {
    const parsed = parseFlags(command, {});
    if (parsed.kind !== 'run') throw new Error(`${name}: ${command.join(' ')}`);
    const { options } = parsed;
    expect([name, options['http-host'], options['http-allowed-hosts']]).toEqual([name, '0.0.0.0', expect.arrayContaining([name])]);
    return `${name}:${options['http-port']}`;
  });
  expect(targets.sort()).toEqual(served.sort());
});

test.skipIf(redisBinary === undefined)('a full Redis with the eviction policy of compose file and docs stays healthy', async () => {
  const { command = [] } = compose.services.valkey as Service;
  const policy = command[command.indexOf('--maxmemory-policy') + 1] as string;
  expect(readFileSync('docs/reference/data-and-metrics.md', 'utf8')).toContain(`maxmemory-policy ${policy}\``);
  const redis = (await startRedis(['--maxmemory', '4mb', '--maxmemory-policy', policy])) as PrivateRedis;
  const node = await startProgram('--rate-limits=on', `--cache-url=${redis.url}`);
  const fill = new Bun.RedisClient(redis.url);
  try {
    const response = 'x'.repeat(65_536);
    for (let i = 0; i < 200; i++) await fill.send('SET', [`response ${i}`, response, 'PX', '600000']);
    expect(await fill.send('INFO', ['stats'])).toMatch(/evicted_keys:[1-9]/);
    const health = await node.client.send('GET', '/v1/health-check');
    expect([health.status, JSON.parse(health.text).details]).toEqual([200, { database: { status: 'up' }, cache: { status: 'up' } }]);

    // Without Redis the health check fails, as the docs say, but requests are answered.
    await redis.kill();
    const statusOf = async (path: string) => (await node.client.send('GET', path)).status;
    const failed = await eventually(
      () => statusOf('/v1/health-check'),
      (status) => status === 503,
      30_000,
    );
    expect([failed, await statusOf('/ready'), await statusOf('/v1/networks/local/blockchains/x-chain/blocks')]).toEqual([503, 200, 200]);
  } finally {
    fill.close();
    await node.stop();
    await redis.kill();
  }
});
