import { afterAll, describe, expect, test } from 'bun:test';
import { eventually } from './processes.ts';
import { startIndexer, startProgram } from './program.ts';
import { hasPrivateServers, openPrivateServers, openServers, suiteName } from './servers.ts';

/** Losing and regaining a server is one line of the log each, with time and level. */

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** The lines of a log about one server, as level and message; every line must have a time and a level. */
function linesAbout(text: string, server: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const read = lines.map((line) => {
    if (line.startsWith('{')) {
      const { time, level, message } = JSON.parse(line) as Record<string, string>;
      expect([time, level]).toEqual([expect.stringMatching(timePattern), expect.stringMatching(levelPattern)]);
      return `${level} ${message}`;
    }
    const [, time, level, message] = /^(\S+) (\w+) +(.*)$/.exec(line) ?? [];
    expect([line, time, level]).toEqual([line, expect.stringMatching(timePattern), expect.stringMatching(levelPattern)]);
    return `${level} ${message}`;
  });
  return read.filter((line) => line.includes(server));
}

const timePattern = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const levelPattern = /^(?:info|warn|error|fatal)$/;

/** Waits until a log has so many lines about a server. */
const untilLines = (read: () => string, server: string, count: number): Promise<string[]> =>
  eventually(
    () => linesAbout(read(), server),
    (lines) => lines.length >= count,
    60_000,
  );

/** Waits until clients have tried several times to connect to the port of a server that is down. */
async function untilAttempts(port: number): Promise<void> {
  let attempts = 0;
  const socket = {
    open: (opened: Bun.Socket) => {
      attempts++;
      opened.end();
    },
    data: () => {},
  };
  const listener = Bun.listen({ hostname: '127.0.0.1', port, socket });
  await eventually(
    () => attempts,
    (count) => count >= 3,
    60_000,
  );
  listener.stop(true);
}

// At the same time: each waits most of its time for a server.
test.concurrent('the followed node', async () => {
  const node = await startProgram();
  const logs = await startLogged('follow', node.url, '--network-id=local');
  await untilLines(logs, 'caught up with', 1);
  await node.stop();
  const about = node.url;
  const lost = await untilLines(logs, about, 2);
  expect(lost.at(-1)).toMatch(/^warn http\S+: the followed node does not answer .*; retrying$/);
  await untilAttempts(node.port);
  const again = await startProgram(`--http-port=${node.port}`);
  closing.push(again.stop);
  const all = await untilLines(logs, about, 3);
  expect(all).toHaveLength(3);
  expect(all.at(-1)).toBe(`info ${about} answers again`);
});

/** Starts a server and returns a function that reads its log, which is JSON. */
async function startLogged(...args: string[]): Promise<() => string> {
  const program = await startProgram(...args);
  closing.push(program.stop);
  return program.stderrText;
}

describe.concurrent.skipIf(!hasPrivateServers)(suiteName('PostgreSQL and Redis', hasPrivateServers), () => {
  test('are lost and regained', async () => {
    const { postgres, redis } = await openPrivateServers();
    const node = await startProgram();
    const database = `--database-url=${postgres.url}`;
    const index = startIndexer(node.url, database);
    const server = await startProgram('api', database, `--cache-url=${redis.url}`, '--rate-limits=on');
    const api = server.stderrText;
    closing.push(redis.kill, postgres.remove, node.stop, index.stop, server.stop);
    // A stream reads the database all the time.
    const stream = await fetch(`${server.url}/ext/events`);
    closing.push(() => stream.body?.cancel());
    await untilLines(index.stderrText, 'indexing', 1);
    const [postgresPort, redisPort] = [postgres.url, redis.url].map((url) => Number(new URL(url).port)) as [number, number];
    for (const round of [1, 2]) {
      await postgres.end('kill');
      await redis.kill();
      for (const read of [index.stderrText, api]) await untilLines(read, 'PostgreSQL at ', 2 * round - 1);
      await untilLines(api, 'Redis at ', 2 * round - 1);
      if (round === 1) await Promise.all([untilAttempts(postgresPort), untilAttempts(redisPort)]);
      await Promise.all([postgres.start(), redis.start()]);
      await untilLines(index.stderrText, 'PostgreSQL at ', 2 * round);
      await untilLines(api, 'Redis at ', 2 * round);
      // After ten seconds without a failure (src/cluster/api-server/index-status.test.ts); the indexer works undisturbed by then.
      await untilLines(api, 'PostgreSQL at ', 2 * round);
    }
    const once = ['warn retrying', 'info answers again'];
    for (const [lines, expected] of [
      [linesAbout(index.stderrText(), 'PostgreSQL at '), [...once, ...once]],
      [linesAbout(api(), 'PostgreSQL at '), [...once, ...once]],
      [linesAbout(api(), 'Redis at '), [...once, ...once]],
    ] as const)
      expect(lines.map((line) => line.replace(/^(\w+) .*?(retrying|answers again)$/, '$1 $2'))).toEqual(expected as string[]);
  });

  test('a statement of requests that always takes too long is one line, however many requests fail', async () => {
    const { database, close } = await openServers('outage_log');
    const node = await startProgram();
    const flag = `--database-url=${database}`;
    const index = startIndexer(node.url, flag);
    const api = await startProgram('api', flag, '--database-timeout=1s');
    const sql = new Bun.SQL(database, { max: 1 });
    closing.push(close, node.stop, index.stop, api.stop, sql.close);
    const url = `${api.url}/v1/networks/local/blockchains/x-chain/transactions`;
    await sql.begin(async (tx) => {
      await tx.unsafe('LOCK TABLE c1_history IN ACCESS EXCLUSIVE MODE');
      const statuses: Promise<number>[] = [];
      // For 3 s, in which the status is read too. Ten seconds without a failure would end the outage, also on a busy machine.
      for (let pageSize = 11; pageSize <= 25; pageSize++) {
        statuses.push(fetch(`${url}?pageSize=${pageSize}&txTypes=ImportTx`).then(({ status }) => status));
        await Bun.sleep(200);
      }
      expect(await Promise.all(statuses)).toEqual(statuses.map(() => 503));
    });
    const lines = linesAbout(api.stderrText(), 'PostgreSQL at ');
    expect(lines).toEqual([expect.stringMatching(/^warn PostgreSQL at .*: .* retrying$/)]);
  });
});
