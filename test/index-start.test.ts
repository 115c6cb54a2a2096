import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { configFrom } from '../src/app/config/config.ts';
import { parseFlags } from '../src/app/config/flags.ts';
import { createIndexWriter, prepareIndex } from '../src/app/index/index-writer.ts';
import { createNetworkContext } from '../src/app/node/network-context.ts';
import { createBunEnv } from '../src/app/platform/bun/env.ts';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import type { Env } from '../src/app/platform/env.ts';
import { createLog } from '../src/base/log/log.ts';
import { blocksChannel } from '../src/cluster/chain/postgres-chain.ts';
import { loadClusterEnv } from '../src/cluster/cluster-env.ts';
import { readNetworkDescription } from '../src/cluster/indexer/served-network-store.ts';
import type { WritableSql } from '../src/ledger/index/sql.ts';
import { tablesOf } from '../src/ledger/state/schema.ts';
import { eventually } from './processes.ts';
import { startProgram } from './program.ts';
import { hasServers, openServers, suiteName } from './servers.ts';

/** What `serac index` does before it writes the first blocks of its node, and what is left of it if a part cannot be started. */
describe.skipIf(!hasServers)(suiteName('the start of serac index', hasServers), () => {
  let servers: Awaited<ReturnType<typeof openServers>>;
  beforeAll(async () => {
    servers = await openServers('index_start');
  });
  afterAll(() => servers.close());

  const logged: string[] = [];
  const createEnv = (changes: (env: Env) => Partial<Env> = () => ({})): Env => {
    const log = createLog(
      (line) => logged.push(line),
      () => 'info',
    );
    const env = createBunEnv({ version: '0.0.0', log });
    return { ...env, ...changes(env) };
  };
  const configOf = (node: string) => {
    const words = ['index', node, '--network-id=local', `--database-url=${servers.database}`, '--http-port=0'];
    const parsed = parseFlags(words, { home: '/', vars: {}, readFile: () => '' });
    if (parsed.kind !== 'run') throw new Error(`bad flags: ${JSON.stringify(parsed)}`);
    return configFrom(parsed.options, parsed.command);
  };

  test('servers find the index when it has its first block: the description is written last', async () => {
    const sql = openPostgres({ url: servers.database, max: 2, statementMilliseconds: 20_000 });
    const context = createNetworkContext(configOf('http://127.0.0.1:1'), createEnv());
    const seen: (number | undefined)[] = [];
    const lock: WritableSql = {
      ...sql,
      write: async (work) => {
        const result = await sql.write(work);
        if ((await readNetworkDescription(sql)) !== undefined)
          seen.push((await sql.all<{ n: number }>(`SELECT count(*) AS n FROM ${tablesOf(1).block}`, []))[0]?.n);
        return result;
      },
    };
    await prepareIndex(lock, context, 'http://127.0.0.1:1', { pageSecret: new Uint8Array(32) });
    await sql.close();
    expect(seen).toEqual([1]);
  });

  test('while webhooks cannot be delivered, one follower at a time asks the node; none does after the end', async () => {
    const node = await startProgram('--accounts=1', '--workers=0');
    let requests = 0;
    const env = createEnv(({ fetch }) => ({
      fetch: ((...args: Parameters<Env['fetch']>) => {
        requests++;
        return fetch(...args);
      }) as Env['fetch'],
      loadPostgres: async () => (options) => {
        const postgres = openPostgres(options);
        const listen: typeof postgres.listen = (channel, to) => {
          if (channel === blocksChannel) throw new TypeError('cannot listen for blocks');
          return postgres.listen(channel, to);
        };
        return { ...postgres, listen };
      },
    }));
    const writer = createIndexWriter(node.url, configOf(node.url), env, await loadClusterEnv(env));
    writer.start();
    await eventually(
      () => writer.read(),
      ({ error }) => error?.includes('cannot listen for blocks') === true,
    );
    await writer.close();
    const before = requests;
    await Bun.sleep(2500);
    expect(requests).toBe(before);
    await node.stop();
  });
});
