import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heightOf } from './chain-oracle.ts';
import { chainRoot, fetchPages, itemsOf, type Json, sendRequest } from './data-requests.ts';
import { openEvents } from './event-client.ts';
import { recordTime } from './figure.ts';
import type { Client } from './http.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { type PrivatePostgres, startPostgres } from './postgres.ts';
import { eventually } from './processes.ts';
import { type Program, runProgram } from './program.ts';
import { hasReplicatedServers, type ReplicatedDeployment, startReplicatedDeployment } from './replicated-deployment.ts';

const seed = Number(process.env.SERAC_SEED ?? 22);

/** Milliseconds that a test waits for something. */
const patience = 60_000;
/** Milliseconds of a figure: until a promoted host is written to, and until what it lacked is back. */
const [outageLimit, backLimit] = [2_000, 5_000];
/** How much longer a busy machine may take. */
const busyFactor = 10;

/** Records the milliseconds since a moment, and returns those since now. */
function expectWithin(name: string, since: number, limit: number): number {
  recordTime(name, since, limit);
  expect(performance.now() - since).toBeLessThan(busyFactor * limit);
  return performance.now();
}

const lastBlock = { path: `${chainRoot}/blocks?pageSize=1` };
const minHeight = (height: number) => ({ 'x-serac-min-height': String(height) });

/** Callers that ask for the last block without pause. */
type Watch = {
  /** Heights and hashes that were answered. */
  readonly blocks: ReadonlyMap<number, string>;
  /** Answers that were older than one before, or contradicted it. */
  readonly wrong: readonly string[];
  readonly unavailable: () => number;
  readonly stop: () => Promise<void>;
};

/** One caller for each server, and one that goes from server to server and names the height that it has seen. */
function watchBlocks(clients: readonly Client[]): Watch {
  const blocks = new Map<number, string>();
  const wrong: string[] = [];
  let unavailable = 0;
  let isStopped = false;
  const ask = async (name: string, choose: (turn: number) => Client, roams: boolean): Promise<void> => {
    let seen = 0;
    /** What the last answer says that the caller has seen. */
    let brought = 0;
    for (let turn = 0; !isStopped; turn++) {
      const { status, json, headers } = await sendRequest(choose(turn), lastBlock, roams ? minHeight(brought) : {});
      if (status === 503) unavailable++;
      else if (status !== 200) wrong.push(`${name}: ${status} ${JSON.stringify(json)}`);
      else {
        const [{ blockNumber, blockHash }] = json.blocks as [Json];
        const height = Number(blockNumber);
        if (height < seen) wrong.push(`${name}: ${height} after ${seen}`);
        if ((blocks.get(height) ?? blockHash) !== blockHash) wrong.push(`${name}: another block ${height}`);
        blocks.set(height, blockHash);
        seen = Math.max(seen, height);
        brought = Number(headers['x-serac-height']);
        if (!(brought >= height)) wrong.push(`${name}: ${height} with the height ${brought}`);
      }
      await Bun.sleep(5);
    }
  };
  const running = [
    ...clients.map((client, i) => ask(`server ${i}`, () => client, false)),
    ask('roaming caller', (turn) => clients[turn % clients.length] as Client, true),
  ];
  return {
    blocks,
    wrong,
    unavailable: () => unavailable,
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
    },
  };
}

const name = 'replicas, PgBouncer and a failover';
describe.skipIf(!hasReplicatedServers)(
  hasReplicatedServers ? name : `${name} (skipped: PostgreSQL, PgBouncer or Redis is not installed)`,
  () => {
    let all: ReplicatedDeployment;
    let issuer: Issuer;
    let clients: Client[];
    const watches: Watch[] = [];
    const watchServers = (): Watch => {
      const watch = watchBlocks(clients);
      watches.push(watch);
      return watch;
    };

    beforeAll(async () => {
      all = await startReplicatedDeployment({ apiFlags: ['--database-max-lag=1s'] });
      clients = all.apis.map(({ client }) => client);
      issuer = createIssuer({ seed, client: all.node.client });
      await issuer.fund();
      for (let i = 0; i < 4; i++) await issuer.issue(8);
      await waitUntilServed(clients);
    });
    afterEach(async () => {
      await Promise.all(watches.splice(0).map(({ stop }) => stop()));
      process.kill(all.indexer.pid, 'SIGCONT');
    });
    afterAll(() => all?.close());

    const heightIn = async (server: PrivatePostgres): Promise<number> =>
      ((await all.run(server, 'SELECT max(height) AS height FROM serac.c1_block')) as [{ height: number }])[0].height;

    /** Waits until the servers serve the node's last block; returns its height. */
    async function waitUntilServed(servers: readonly Client[]): Promise<number> {
      const height = await heightOf(all.node.client);
      for (const client of servers)
        await eventually(
          async () => (await sendRequest(client, { path: `${chainRoot}/blocks/${height}` })).status,
          (status) => status === 200,
          patience,
        );
      return height;
    }

    const health = async (program: Program) => (await sendRequest(program.client, { path: '/v1/health-check' })).json.details.database;

    /** All blocks of a server, page by page, with the node's. */
    async function expectSameBlocks(): Promise<void> {
      const request = { path: `${chainRoot}/blocks?pageSize=7` };
      // A followed chain does not show who built a block.
      const expected = itemsOf(await fetchPages([all.node.client], request)).map(({ proposerDetails: _, ...block }: Json) => block);
      expect(itemsOf(await fetchPages(clients, request))).toEqual(expected);
    }

    /** Issues transactions until `during` ends. */
    async function whileIssuing(during: () => Promise<void>): Promise<void> {
      let isDone = false;
      const issuing = (async () => {
        while (!isDone) {
          await issuer.issue(4);
          await Bun.sleep(50);
        }
      })();
      try {
        await during();
      } finally {
        isDone = true;
        await issuing;
      }
    }

    test('servers read the replica with a role that can only read, directly and through PgBouncer', async () => {
      await expectSameBlocks();
      for (const program of all.apis) expect(program.stderrText()).toContain('reading from PostgreSQL at 127.0.0.1:');
      const active = (await all.run(
        all.replica,
        `SELECT count(*) AS n FROM pg_stat_activity WHERE usename = 'serac_api' AND query LIKE 'SELECT%'`,
      )) as [{ n: number }];
      expect(active[0].n).toBeGreaterThan(0);
      const reading = all.apis[1].stderrText().split('reading from PostgreSQL at 127.0.0.1:').at(-1) as string;
      expect(reading).toStartWith(`${all.replica.port}/serac`);
      expect(await health(all.apis[0])).toEqual({ status: 'up' });
      const owners = await all.run(all.primary, `SELECT DISTINCT tableowner::text AS who FROM pg_tables WHERE schemaname = 'serac'`);
      expect(owners).toEqual([{ who: 'serac_indexer' }]);
      const writable = await all.run(
        all.primary,
        `SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'serac' AND has_table_privilege('serac_api', quote_ident(schemaname) || '.' || quote_ident(tablename), 'INSERT, UPDATE, DELETE, TRUNCATE')`,
      );
      expect(writable).toEqual([{ n: 0 }]);
    });

    test('the indexer refuses a pooler, which cannot hold its lock, and says what to do', async () => {
      const { code, err } = await runProgram('index', all.node.url, `--database-url=${all.pooledIndexerUrl}`);
      expect(code).not.toBe(0);
      expect(err).toContain('is a pooler: the indexer needs the server itself');
    });

    test('serac check verifies a replica, with the role that can only read', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'serac-replica-check-'));
      try {
        const url = `--database-url=postgres://serac_api@127.0.0.1:${all.replica.port}/serac`;
        const { code, out } = await runProgram('check', url, '--data-dir', join(folder, 'copy'));
        expect([code, out]).toEqual([0, expect.stringContaining('no damage found')]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

    test('FLUSHALL of Redis while running changes no answer', async () => {
      const watch = watchServers();
      await whileIssuing(async () => {
        for (let i = 0; i < 5; i++) {
          const redis = new Bun.RedisClient(all.redis.url);
          await redis.send('FLUSHALL', []);
          redis.close();
          await Bun.sleep(200);
        }
      });
      await waitUntilServed(clients);
      await watch.stop();
      expect([watch.wrong, watch.unavailable()]).toEqual([[], 0]);
      await expectSameBlocks();
    });

    test('a height that a caller has seen elsewhere is waited for, and refused while nobody has it', async () => {
      const height = await waitUntilServed(clients);
      for (const client of clients) {
        expect((await sendRequest(client, lastBlock, minHeight(height))).status).toBe(200);
        const refused = await sendRequest(client, lastBlock, minHeight(height + 1_000_000));
        expect([refused.status, refused.json.message]).toEqual([503, expect.stringContaining('does not have yet')]);
        expect((await sendRequest(client, lastBlock, { 'x-serac-min-height': 'x' })).status).toBe(400);
        expect((await sendRequest(client, lastBlock)).status).toBe(200);
      }
    });

    test('a replica that is behind is left out and shown in health, and read again when it has caught up', async () => {
      await all.run(all.replica, 'SELECT pg_wal_replay_pause()');
      const watch = watchServers();
      await whileIssuing(async () => {
        for (const program of all.apis)
          expect(
            await eventually(
              async () => (await health(program)).message,
              (message) => message !== undefined,
              patience,
            ),
          ).toMatch(/is not read: it is (?:a replica|at height)/);
      });
      await waitUntilServed(clients);
      await all.run(all.replica, 'SELECT pg_wal_replay_resume()');
      for (const program of all.apis)
        await eventually(
          async () => (await health(program)).message,
          (message) => message === undefined,
          patience,
        );
      await watch.stop();
      expect([watch.wrong, watch.unavailable()]).toEqual([[], 0]);
    });

    test('a replica that lacks the last blocks is promoted under load: no older answer, 503 until they are back', async () => {
      const events = openEvents(all.apis[1].port, '?kind=block');
      await events.until(() => true, patience);
      const watch = watchServers();
      // From now on the replica receives nothing.
      await all.run(all.replica, `ALTER SYSTEM SET primary_conninfo = ''`);
      await all.run(all.replica, 'SELECT pg_reload_conf()');
      await eventually(
        async () => ((await all.run(all.replica, 'SELECT count(*) AS n FROM pg_stat_wal_receiver')) as [{ n: number }])[0].n,
        (n) => n === 0,
        patience,
      );
      for (let i = 0; i < 5; i++) await issuer.issue(4);
      const served = await waitUntilServed(clients);
      process.kill(all.indexer.pid, 'SIGSTOP');
      await all.primary.end('kill');
      await all.replica.promote();
      const left = await heightIn(all.replica);
      expect(left).toBeLessThan(served);
      // The new primary answers, but lacks blocks that were served.
      const late = await all.startApi();
      for (const program of [...all.apis, late]) {
        const { status, json } = await eventually(
          () => sendRequest(program.client, lastBlock),
          ({ json }) => json.message?.includes('does not have yet') === true,
          patience,
        );
        expect([status, json.message]).toEqual([503, expect.stringContaining('the indexer is catching up')]);
        expect((await sendRequest(program.client, { path: '/ready' })).status).toBe(503);
      }
      process.kill(all.indexer.pid, 'SIGCONT');
      const since = performance.now();
      await eventually(
        () => heightIn(all.replica),
        (height) => height > left,
        patience,
      );
      const written = expectWithin('a promoted replica without the last blocks is written to', since, outageLimit);
      expect(await waitUntilServed([...clients, late.client])).toBeGreaterThanOrEqual(served);
      expectWithin('blocks that a promoted replica lacked are back', written, backLimit);
      await whileIssuing(() => Bun.sleep(500));
      const last = await waitUntilServed(clients);
      await events.until(({ kind, data }) => kind === 'block' && Number(data.height) >= last, patience);
      events.close();
      await watch.stop();
      expect(watch.wrong).toEqual([]);
      expect(watch.unavailable()).toBeGreaterThan(0);
      const nodeBlocks = new Map(
        itemsOf(await fetchPages([all.node.client], { path: `${chainRoot}/blocks?pageSize=100` })).map((block: Json) => [
          Number(block.blockNumber),
          block.blockHash,
        ]),
      );
      for (const [height, hash] of watch.blocks) expect(hash).toBe(nodeBlocks.get(height));
      const heights = events.events.filter(({ kind }) => kind === 'block').map(({ data }) => Number(data.height));
      expect(heights).toEqual(heights.map((_, i) => (heights[0] as number) + i));
      expect(events.events.map(({ kind }) => kind)).not.toContain('reset');
      await expectSameBlocks();
    });

    test('a replica is promoted under load while the former primary still runs, which is not written any more', async () => {
      // The former primary is built anew as a replica of the present one.
      const [former, next] = [all.replica, (await startPostgres({ replicaOf: all.replica, port: all.primary.port })) as PrivatePostgres];
      try {
        for (const program of all.apis)
          await eventually(
            async () => (await health(program)).message,
            (message) => message === undefined,
            patience,
          );
        const watch = watchServers();
        let since = 0;
        await whileIssuing(async () => {
          await Bun.sleep(300);
          await next.promote();
          since = performance.now();
          await eventually(
            () => all.indexer.stderrText(),
            (text) => text.includes(`127.0.0.1:${next.port}/serac was promoted`),
            patience,
          );
          await waitUntilServed(clients);
          expectWithin('service is back after a promotion under load', since, outageLimit);
        });
        const last = await waitUntilServed(clients);
        expect(await heightIn(next)).toBe(last);
        expect(await heightIn(former)).toBeLessThan(last);
        expect((await health(all.apis[1])).message).toContain(`127.0.0.1:${former.port}/serac is not read: it accepts writes`);
        await watch.stop();
        expect(watch.wrong).toEqual([]);
        await expectSameBlocks();
      } finally {
        await next.remove();
      }
    });
  },
);
