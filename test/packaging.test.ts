import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseFlags } from '../src/app/flags/flags.ts';
import { startProgram } from './program.ts';

/** Checks Dockerfile and compose file as far as possible without Docker: flags, paths, names and the health check's script. */

const dockerfile = readFileSync('Dockerfile', 'utf8');

type Service = { image: string; command?: string[]; volumes?: string[]; depends_on?: Record<string, unknown>; ports?: string[] };
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
  const check = (url: string) =>
    Bun.spawnSync([process.execPath, flag, script], { env: { SERAC_HEALTH_URL: url }, stderr: 'ignore' }).exitCode;
  const node = await startProgram();
  const url = `${node.url}/v1/health-check`;
  expect(dockerfile).toContain('SERAC_HEALTH_URL=http://127.0.0.1:9650/v1/health-check');
  expect(check(url)).toBe(0);
  await node.stop();
  expect(check(url)).toBe(1);
}, 30_000);

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

test('Prometheus scrapes services whose allowed hosts include their name', () => {
  type Scrape = { scrape_configs: { static_configs: { targets: string[] }[] }[] };
  const { scrape_configs } = Bun.YAML.parse(readFileSync('packaging/prometheus.yml', 'utf8')) as Scrape;
  const targets = scrape_configs.flatMap(({ static_configs }) => static_configs.flatMap((row) => row.targets));
  expect(targets).toEqual(['node:9650', 'api:9670']);
  for (const target of targets) {
    const [host = '', port] = target.split(':');
    const parsed = parseFlags(compose.services[host]?.command ?? [], {});
    if (parsed.kind !== 'run') throw new Error(`no flags for ${host}`);
    expect(parsed.options['http-allowed-hosts']).toContain(host);
    expect(parsed.options['http-port']).toBe(Number(port));
  }
});
