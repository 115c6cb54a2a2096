import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeyStore } from '../src/api/access/key-store.ts';
import { configFrom } from '../src/app/config/config.ts';
import { parseFlags } from '../src/app/config/flags.ts';
import { createNetworkContext, describeNetwork } from '../src/app/node/network-context.ts';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { serve } from '../src/app/platform/bun/serve.ts';
import type { Env } from '../src/app/platform/env.ts';
import { createFolder, files, identifyFile, readFileSystemSize, renameFile } from '../src/app/platform/files.ts';
import { nativeKeyCrypto } from '../src/app/platform/key-crypto.ts';
import { openFile } from '../src/app/platform/offset-file.ts';
import { openThread } from '../src/app/platform/thread.ts';
import { runApiServer } from '../src/app/programs/api.ts';
import { startNode } from '../src/app/programs/start-node.ts';
import { idOf } from '../src/base/bytes/id.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { Fault } from '../src/base/fault.ts';
import { createLog } from '../src/base/log/log.ts';
import { createBackfillQueue } from '../src/cluster/indexer/backfill-queue.ts';
import { writeNetworkDescription } from '../src/cluster/indexer/served-network-store.ts';
import { migratePostgres } from '../src/ledger/index/migrate.ts';
import { failingDatabase } from './failing-database.ts';
import { createClient } from './http.ts';
import { type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';

/** Runs the whole node in this process on the real platform and counts the resources it opens. */

const root = mkdtempSync(join(tmpdir(), 'serac-lifecycle-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let resources: ReturnType<typeof createCountingEnv>;
let folder: string;
const usedPorts: { stop: () => Promise<void> }[] = [];
beforeEach(() => {
  resources = createCountingEnv();
  folder = mkdtempSync(join(root, 'node-'));
});
afterEach(() => Promise.all(usedPorts.splice(0).map((one) => one.stop())));

function createCountingEnv() {
  const database = failingDatabase();
  const timers = new Set<unknown>();
  const servers = new Set<unknown>();
  const logged: string[] = [];
  let diskReads = 0;
  const notInThisTest = (): never => {
    throw new Error('not part of this test');
  };
  const env: Env = {
    version: '0.0.0',
    gitCommit: '',
    renameFile,
    identifyFile,
    tempFolder: tmpdir,
    forwardRequest: notInThisTest,
    openPeerSockets: notInThisTest,
    postSockets: { resolve: notInThisTest, post: notInThisTest },
    loadPageAssets: notInThisTest,
    loadDocs: notInThisTest,
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
    keyCrypto: nativeKeyCrypto,
    openRecoveryThread: () => openThread(new URL('../src/chain/recovery/recovery-thread.ts', import.meta.url)),
    files,
    readText: (path) => readFileSync(path, 'utf8'),
    readData: (file) => readFileSync(new URL(`../src/avm/genesis/data/${file}`, import.meta.url)),
    // Every round of health checks reads it.
    fileSystem: (path) => {
      diskReads++;
      return readFileSystemSize(path);
    },
    openDatabase: database.open,
    openFile,
    openRedis: notInThisTest,
    loadPostgres: notInThisTest,
    fetch: notInThisTest,
    makeFolder: createFolder,
    removeFile: (path) => rmSync(path, { force: true }),
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
    spawnReader: notInThisTest,
    readActivity: notInThisTest,
    spawnWriter: notInThisTest,
    distributesConnections: true,
    cores: 2,
    process: () => ({ residentBytes: 0, heapBytes: 0, cpuSeconds: 0 }),
    abandon: notInThisTest,
    exit: notInThisTest,
    onExit: () => () => {},
    log: createLog(
      (line) => logged.push(line),
      () => 'info',
    ),
    showProgress: () => {},
  };
  const openResources = () => ({ databases: [...database.opened], timers: timers.size, servers: servers.size });
  return { env, left: openResources, logged, healthRounds: () => diskReads };
}

const noneOpen = { databases: [], timers: 0, servers: 0 };

const nodeConfig = (...flags: string[]) =>
  parseConfig(`--data-dir=${folder}`, '--accounts=0', '--workers=0', '--health-check-frequency=20ms', ...flags);

function parseConfig(...words: string[]) {
  const parsed = parseFlags(words, { home: folder, vars: {}, readFile: () => '' });
  if (parsed.kind !== 'run') throw new Error(`bad flags: ${JSON.stringify(parsed)}`);
  return configFrom(parsed.options, parsed.command);
}

const usePort = (): number => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') });
  usedPorts.push({ stop: () => server.stop(true) });
  return server.port ?? 0;
};

const codeOf = (error: unknown): unknown => (error instanceof Fault ? error.fault.code : error);

for (const [what, flags] of [
  ['its port', (port: number) => [`--http-port=${port}`]],
  ['the port of the Data API', (port: number) => ['--http-port=0', `--data-port=${port}`]],
  ['the last of three ports', (port: number) => ['--http-port=0', '--data-port=0', `--metrics-port=${port}`]],
] as const)
  test(`a start that fails because ${what} is in use leaves nothing open, and the directory can be used again`, async () => {
    const error = await startNode(nodeConfig(...flags(usePort())), resources.env).catch(codeOf);
    expect(error).toBe('PORT_TAKEN');
    expect(resources.left()).toEqual(noneOpen);
    const rounds = resources.healthRounds();
    expect(rounds).toBeGreaterThan(0);
    await Bun.sleep(100);
    expect(resources.healthRounds()).toBe(rounds);
    expect(resources.logged).toEqual([]);

    const node = await startNode(nodeConfig('--http-port=0'), resources.env);
    await node.close();
    expect(resources.left()).toEqual(noneOpen);
  });

test('a start that fails because the plans of API keys cannot be read leaves nothing open', async () => {
  const missing = join(folder, 'plans.json');
  await expect(startNode(nodeConfig('--http-port=0', `--rate-limit-plans=${missing}`), resources.env)).rejects.toThrow(missing);
  expect(resources.left()).toEqual(noneOpen);
});

test('closing again, at the same time or later, has no further effect', async () => {
  const node = await startNode(nodeConfig('--http-port=0', '--http-shutdown-wait=50ms'), resources.env);
  const client = createClient(Number(new URL(node.url).port));
  expect((await client.send('GET', '/ext/health')).status).toBe(200);
  client.close();
  await Promise.all([node.close(), node.close()]);
  expect(resources.left()).toEqual(noneOpen);
  await node.close();
  const rounds = resources.healthRounds();
  await Bun.sleep(100);
  expect(resources.healthRounds()).toBe(rounds);
  expect(resources.logged).toEqual([]);
});

test('if one resource fails to close, all others are still closed', async () => {
  const { env } = resources;
  const serveFailingClose: Env['serve'] = async (options) => {
    const server = await env.serve(options);
    return {
      ...server,
      close: async () => {
        await server.close();
        throw new Error('cannot close');
      },
    };
  };
  const node = await startNode(nodeConfig('--http-port=0'), { ...env, serve: serveFailingClose });
  await expect(node.close()).rejects.toThrow('cannot close');
  expect(resources.left()).toEqual(noneOpen);
});

test.skipIf(!postgresInstalled)(
  'serac api: a failed start closes the database connection and stops polling, and closing again has no further effect',
  async () => {
    const database = (await startPostgres()) as PrivatePostgres;
    try {
      await writeIndex(database.url);
      let connections = 0;
      const openCounted: typeof openPostgres = (options) => {
        const sql = openPostgres(options);
        connections++;
        const close = async () => {
          connections--;
          await sql.close();
        };
        return { ...sql, close };
      };
      const env = { ...resources.env, loadPostgres: async () => openCounted };
      const words = ['api', `--database-url=${database.url}`, '--http-port=0'];
      const start = (...flags: string[]) => runApiServer(parseConfig(...words, ...flags), env);
      expect(await start(`--metrics-port=${usePort()}`).catch(codeOf)).toBe('PORT_TAKEN');
      expect([connections, resources.left()]).toEqual([0, noneOpen]);

      const server = await start();
      expect(connections).toBe(1);
      await Promise.all([server.close(), server.close()]);
      await server.close();
      expect([connections, resources.left()]).toEqual([0, noneOpen]);
    } finally {
      await database.remove();
    }
  },
);

/** Writes what `serac index` writes before it follows its node. */
async function writeIndex(url: string): Promise<void> {
  const sql = openPostgres({ url });
  const context = createNetworkContext(nodeConfig(), resources.env);
  const [{ id, genesis }] = context.specs;
  await migratePostgres(sql, context.chain.network.id, [{ id, genesis: idOf(genesis.bytes) }]);
  await createBackfillQueue(sql);
  await openKeyStore(sql);
  await writeNetworkDescription(sql, describeNetwork(context), new Uint8Array(32));
  await sql.close();
}
