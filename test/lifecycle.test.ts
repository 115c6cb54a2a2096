import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idOf } from '../src/bytes/id.ts';
import { parseFlags } from '../src/cli/flags.ts';
import { createLog } from '../src/cli/log.ts';
import { configFrom } from '../src/config.ts';
import { recoverNative } from '../src/crypto/curve-native.ts';
import { Fault } from '../src/fault.ts';
import { migratePostgres } from '../src/index/migrate.ts';
import { startNode } from '../src/node.ts';
import { fileSystem, files, makeFolder } from '../src/platform/files.ts';
import { openFile } from '../src/platform/offset-file.ts';
import { openPostgres } from '../src/platform/postgres-bun.ts';
import { serve } from '../src/platform/serve-bun.ts';
import { openThread } from '../src/platform/thread.ts';
import { startApiServer } from '../src/wiring/api-server.ts';
import type { Env } from '../src/wiring/env.ts';
import { createNetworkContext } from '../src/wiring/network-context.ts';
import { aboutOf } from '../src/wiring/served-network.ts';
import { writeAbout } from '../src/wiring/served-network-store.ts';
import { failingDatabase } from './failing-database.ts';
import { createClient } from './http.ts';
import { type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';

/** The whole node in this process over the real platform, with everything it opens counted. */

const root = mkdtempSync(join(tmpdir(), 'serac-lifecycle-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let opened: ReturnType<typeof counted>;
let folder: string;
const taken: { stop: () => Promise<void> }[] = [];
beforeEach(() => {
  opened = counted();
  folder = mkdtempSync(join(root, 'node-'));
});
afterEach(() => Promise.all(taken.splice(0).map((one) => one.stop())));

function counted() {
  const database = failingDatabase();
  const timers = new Set<unknown>();
  const servers = new Set<unknown>();
  const logged: string[] = [];
  let touched = 0;
  const missing = (): never => {
    throw new Error('not part of this test');
  };
  const env: Env = {
    version: '0.0.0',
    gitCommit: '',
    clock: {
      unixSeconds: () => BigInt(Math.floor(Date.now() / 1000)),
      unixNanos: () => BigInt(Date.now()) * 1_000_000n,
      monotonic: () => performance.now(),
    },
    timers: {
      soon: (run) => void setImmediate(run),
      after: (ms, run) => {
        const timer = setTimeout(() => {
          timers.delete(timer);
          run();
        }, ms);
        timers.add(timer);
        return () => {
          timers.delete(timer);
          clearTimeout(timer);
        };
      },
    },
    random: (length) => randomBytes(length),
    recoverKey: recoverNative,
    openRecoveryThread: () => openThread(new URL('../src/recovery/recovery-thread.ts', import.meta.url)),
    files,
    readText: (path) => readFileSync(path, 'utf8'),
    readData: (file) => readFileSync(new URL(`../src/genesis/data/${file}`, import.meta.url)),
    // Every round of health checks asks for it.
    fileSystem: (path) => {
      touched++;
      return fileSystem(path);
    },
    openDatabase: database.open,
    openFile,
    openRedis: missing,
    openPostgres: missing,
    tryPostgresLock: missing,
    fetch: missing,
    makeFolder,
    removeFile: missing,
    serve: async (options) => {
      const server = await serve(options);
      servers.add(server);
      return {
        ...server,
        close: async () => {
          await server.close();
          servers.delete(server);
        },
      };
    },
    parent: undefined,
    spawnReader: missing,
    cores: 2,
    process: () => ({ residentBytes: 0, cpuSeconds: 0 }),
    exit: missing,
    log: createLog(
      (line) => logged.push(line),
      () => 'info',
    ),
    showProgress: () => {},
  };
  const left = () => ({ databases: [...database.opened], timers: timers.size, servers: servers.size });
  return { env, left, logged, rounds: () => touched };
}

const nothing = { databases: [], timers: 0, servers: 0 };

const configOf = (...flags: string[]) => configFromWords(`--data-dir=${folder}`, '--workers=0', '--health-check-frequency=20ms', ...flags);

function configFromWords(...words: string[]) {
  const parsed = parseFlags(words, { home: folder, vars: {}, readFile: () => '' });
  if (parsed.kind !== 'run') throw new Error(`bad flags: ${JSON.stringify(parsed)}`);
  return configFrom(parsed.options, parsed.command);
}

const takePort = (): number => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') });
  taken.push({ stop: () => server.stop(true) });
  return server.port ?? 0;
};

const codeOf = (error: unknown): unknown => (error instanceof Fault ? error.fault.code : error);

for (const [what, flags] of [
  ['its port', (port: number) => [`--http-port=${port}`]],
  ['the port of the Data interface', (port: number) => ['--http-port=0', `--data-port=${port}`]],
  ['the last of three ports', (port: number) => ['--http-port=0', '--data-port=0', `--metrics-port=${port}`]],
] as const)
  test(`a start that fails because ${what} is taken leaves nothing open, and the directory can be used again`, async () => {
    const error = await startNode(configOf(...flags(takePort())), opened.env).catch(codeOf);
    expect(error).toBe('PORT_TAKEN');
    expect(opened.left()).toEqual(nothing);
    const rounds = opened.rounds();
    expect(rounds).toBeGreaterThan(0);
    await Bun.sleep(100);
    expect(opened.rounds()).toBe(rounds);
    expect(opened.logged).toEqual([]);

    const node = await startNode(configOf('--http-port=0'), opened.env);
    await node.close();
    expect(opened.left()).toEqual(nothing);
  }, 30_000);

test('closing twice, at once and later, is closing once', async () => {
  const node = await startNode(configOf('--http-port=0', '--http-shutdown-wait=50ms'), opened.env);
  const client = createClient(Number(new URL(node.url).port));
  expect((await client.send('GET', '/ext/health')).status).toBe(200);
  client.close();
  await Promise.all([node.close(), node.close()]);
  expect(opened.left()).toEqual(nothing);
  await node.close();
  const rounds = opened.rounds();
  await Bun.sleep(100);
  expect(opened.rounds()).toBe(rounds);
  expect(opened.logged).toEqual([]);
}, 30_000);

test('a part that cannot be closed keeps nothing else from being closed', async () => {
  const { env } = opened;
  const serveStubborn: Env['serve'] = async (options) => {
    const server = await env.serve(options);
    return {
      ...server,
      close: async () => {
        await server.close();
        throw new Error('stubborn');
      },
    };
  };
  const node = await startNode(configOf('--http-port=0'), { ...env, serve: serveStubborn });
  await expect(node.close()).rejects.toThrow('stubborn');
  expect(opened.left()).toEqual(nothing);
}, 30_000);

test.skipIf(!postgresInstalled)(
  'serac api: a start that fails closes the database and stops looking at it, and closing twice is closing once',
  async () => {
    const database = (await startPostgres()) as PrivatePostgres;
    try {
      await writeIndex(database.url);
      let connections = 0;
      const openCounted: Env['openPostgres'] = (options) => {
        const sql = openPostgres(options);
        connections++;
        const close = async () => {
          connections--;
          await sql.close();
        };
        return { ...sql, close };
      };
      const env = { ...opened.env, openPostgres: openCounted };
      const words = ['api', `--database-url=${database.url}`, '--http-port=0'];
      const start = (...flags: string[]) => startApiServer(configFromWords(...words, ...flags), env);
      expect(await start(`--metrics-port=${takePort()}`).catch(codeOf)).toBe('PORT_TAKEN');
      expect([connections, opened.left()]).toEqual([0, nothing]);

      const server = await start();
      expect(connections).toBe(1);
      await Promise.all([server.close(), server.close()]);
      await server.close();
      expect([connections, opened.left()]).toEqual([0, nothing]);
    } finally {
      await database.remove();
    }
  },
  60_000,
);

/** What `serac index` makes before it follows its node. */
async function writeIndex(url: string): Promise<void> {
  const sql = openPostgres({ url });
  const frame = createNetworkContext(configOf(), opened.env);
  const [{ id, genesis }] = frame.specs;
  await migratePostgres(sql, frame.chain.network.id, [{ id, genesis: idOf(genesis.bytes) }]);
  await writeAbout(sql, aboutOf(frame));
  await sql.close();
}
