import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseFlags } from '../src/app/config/flags.ts';
import { eventually } from './processes.ts';
import { startProgram } from './program.ts';
import { type PrivateRedis, redisBinary, startRedis } from './redis.ts';

/** Checks Dockerfile and compose file as far as possible without Docker: flags, paths, names and the health check's script. */

const dockerfile = readFileSync('Dockerfile', 'utf8');

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

/** The JSON array after an instruction of the Dockerfile. */
const jsonAfter = (instruction: string): string[] =>
  JSON.parse(new RegExp(`${instruction} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]');

test('the image does not run as root', () => {
  const [, runtime = ''] = dockerfile.split(/^FROM (?!.* AS )/m);
  expect(runtime).toMatch(/^USER serac$/m);
  expect(runtime.indexOf('USER serac')).toBeLessThan(runtime.indexOf('ENTRYPOINT'));
});

test('every file that the Dockerfile copies exists and is not ignored', () => {
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
  expect(copied.length).toBeGreaterThan(4);
  for (const name of copied) expect([name, existsSync(name), ignored.includes(`!${name}`)]).toEqual([name, true, true]);
});

test('the health check of the image passes on a healthy node and fails without one', async () => {
  const [, , , flag = '', script = ''] = jsonAfter('HEALTHCHECK .* CMD');
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
  const commands = [jsonAfter('^CMD'), ...seracServices.map(([, { command = [] }]) => command)];
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

test('Prometheus scrapes every Serac service, at the port and host that it serves', () => {
  type Scraped = { scrape_configs: { metrics_path: string; static_configs: { targets: string[] }[] }[] };
  const { scrape_configs } = Bun.YAML.parse(readFileSync('packaging/prometheus.yml', 'utf8')) as Scraped;
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
