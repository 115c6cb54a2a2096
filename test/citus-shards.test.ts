import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { createShardReads } from '../src/cluster/hosts/shard-reads.ts';
import { replaceHost } from '../src/cluster/postgres/database-url.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { placeTable, shardOf } from '../src/ledger/index/distribution.ts';
import { citusSuite, namedCitus } from './citus-cluster.ts';
import { eventually } from './processes.ts';

/** Shards that are read on the workers: while they are moved, and while a worker is not reached from here. */

const address = new Uint8Array(20).fill(9);
const query = { text: 'SELECT o.seq, m.id FROM moved_owner o JOIN moved m ON m.seq = -o.seq WHERE o.address = ?', values: [address] };
const last = { text: 'SELECT count(*) AS n FROM moved WHERE seq > ?', values: [0] };

describe.skipIf(namedCitus === undefined)(citusSuite('shards of Citus'), () => {
  const schema = `shards_${process.pid}`;
  const open = (url: string, dialect: 'citus' | 'postgres' = 'postgres') =>
    openPostgres({ url, max: 1, statementMilliseconds: 20_000, dialect });
  let admin: Postgres;
  let sql: Postgres;

  beforeAll(async () => {
    admin = open(namedCitus as string);
    await admin.all(`CREATE SCHEMA ${schema}`, []);
    sql = open(`${namedCitus}?schema=${schema}`, 'citus');
    await sql.all('CREATE TABLE moved_owner(address bytea, seq bigint, PRIMARY KEY (address, seq))', []);
    await sql.all('CREATE TABLE moved(seq bigint PRIMARY KEY, id bytea)', []);
    for (const name of ['moved_owner', 'moved']) for (const text of placeTable(name)) await sql.all(text, []);
    await sql.all('INSERT INTO moved VALUES (1, ?)', [address]);
    await sql.all('INSERT INTO moved_owner VALUES (?, -1)', [address]);
  });
  afterAll(async () => {
    await sql.close();
    await admin.all(`DROP SCHEMA ${schema} CASCADE`, []);
    await admin.close();
  });

  /** Reads, with the texts that the coordinator and the workers were sent. `retry`: ends the pause after a failure. */
  function openReads(hostOf: (host: string) => string = (host) => host) {
    const sent: string[] = [];
    const lines: string[] = [];
    let retry = (): void => {};
    const record = (to: Postgres): Postgres => ({
      ...to,
      groupThen: (queries, end) => {
        sent.push(...queries.map(({ text }) => text), end.text);
        return to.groupThen(queries, end);
      },
    });
    const reads = createShardReads({
      coordinator: () => record(sql),
      openWorker: ({ host, port }, name) => record(open(replaceHost(namedCitus as string, { host: hostOf(host), port }, name))),
      timers: {
        after: (_, run) => {
          retry = run;
          return () => {};
        },
      },
      log: Object.assign((line: string) => void lines.push(line), { isShown: () => true }),
    });
    const readAll = async () => {
      sent.length = 0;
      const { results, last: end } = await reads.groupThen([query], last);
      return { rows: (results[0] as PromiseFulfilledResult<unknown[]>).value, moved: (end as { n: number }[]).map(({ n }) => n) };
    };
    const read = async () => {
      const { rows: found, moved } = await readAll();
      expect(moved).toEqual([1]);
      return found;
    };
    /** The rows that workers return without the coordinator. */
    const readUnchecked = async () => {
      const [result] = (await reads.groupOnWorkers([query])) ?? [];
      return (result as PromiseFulfilledResult<unknown[]> | undefined)?.value;
    };
    const isDirect = () => sent.some((text) => /FROM moved_owner_\d+ /.test(text));
    const { changes, close } = reads;
    return { read, readAll, readUnchecked, isDirect, lines, asked: () => sent.slice(1), changes, retry: () => retry(), close };
  }
  const rows = [{ seq: -1, id: address }];

  test('a moved shard is not read where it was', async () => {
    const { read, readUnchecked, isDirect, changes, retry, close } = openReads();
    expect(await read()).toEqual(rows);
    await eventually(read, () => isDirect());
    expect(await readUnchecked()).toEqual(rows);
    const [shard] = await admin.all<{ id: number; host: string; port: number }>(
      `SELECT s.shardid AS id, n.nodename AS host, n.nodeport AS port FROM pg_dist_shard s JOIN pg_dist_placement l USING (shardid) JOIN pg_dist_node n USING (groupid)
       WHERE s.logicalrelid = CAST('${schema}.moved_owner' AS regclass) ORDER BY CAST(s.shardminvalue AS bigint) LIMIT 1 OFFSET ?`,
      [shardOf(address)],
    );
    const [to] = await admin.all<{ host: string; port: number }>(
      'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid > 0 AND nodeport <> ?',
      [shard?.port as number],
    );
    await admin.all(
      `SELECT citus_move_shard_placement(${shard?.id}, '${shard?.host}', ${shard?.port}, '${to?.host}', ${to?.port}, 'block_writes')`,
      [],
    );
    // The old placement stays for a while, without this row.
    await sql.all('INSERT INTO moved_owner VALUES (?, -2)', [address]);
    await sql.all('INSERT INTO moved VALUES (2, ?)', [address]);
    await sql.all('DELETE FROM moved WHERE seq = 1', []);
    const before = changes();
    // What is read before the coordinator is asked lacks the new row; the next check tells.
    expect(await readUnchecked()).not.toEqual([{ seq: -2, id: address }]);
    expect(changes()).toBe(before);
    expect(await read()).toEqual([{ seq: -2, id: address }]);
    expect(changes()).toBe(before + 1);
    expect(await read()).toEqual([{ seq: -2, id: address }]);
    expect(isDirect()).toBe(false);
    retry();
    await eventually(read, () => isDirect());
    expect(await read()).toEqual([{ seq: -2, id: address }]);
    await close();
    await sql.all('INSERT INTO moved VALUES (1, ?)', [address]);
    await sql.all('DELETE FROM moved WHERE seq = 2', []);
    await sql.all('DELETE FROM moved_owner WHERE seq = -2 AND address = ?', [address]);
  });

  test('the last statement shows what was committed before it, and is run only after a commit', async () => {
    const { read, readAll, isDirect, asked, close } = openReads();
    await eventually(read, () => isDirect());
    const movedThen = async (statements: number) => {
      const { moved } = await readAll();
      expect(asked()).toHaveLength(statements);
      return moved;
    };
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const writing = admin.write(async (tx) => {
      await tx.all(`INSERT INTO ${schema}.moved VALUES (3, ?)`, [address]);
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    // The background of PostgreSQL and Citus ends transactions too.
    await eventually(
      () => movedThen(1).catch(() => undefined),
      (moved) => moved?.[0] === 1,
    );
    ended.resolve();
    await writing;
    expect(await movedThen(2)).toEqual([2]);
    await sql.all('DELETE FROM moved WHERE seq = 3', []);
    expect(await movedThen(2)).toEqual([1]);
    await close();
  });

  test('the coordinator answers while the workers are not reached from here, which is logged once', async () => {
    const { read, isDirect, lines, retry, close } = openReads(() => '127.255.255.254');
    for (let i = 0; i < 3; i++) {
      await eventually(read, () => lines.length > 0);
      expect(await read()).toEqual(rows);
      expect(isDirect()).toBe(false);
      retry();
    }
    expect(lines).toEqual([
      expect.stringContaining('reading shards through the coordinator, which takes more of its time: PostgreSQL at 127.255.255.254:'),
    ]);
    await close();
  });
});
