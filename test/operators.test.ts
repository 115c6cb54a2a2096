import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from './http.ts';
import { type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';
import { eventually } from './processes.ts';
import { type Program, programCommand, runProgram, startProgram } from './program.ts';
import { createSelfTransfers } from './self-transfers.ts';

/** What operators need: mistakes are refused, messages name hosts, lag is measured. */

const folder = mkdtempSync(join(tmpdir(), 'serac-operators-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a mistyped --data-dir is not created', () => {
  const commands = [['check'], ['reindex'], ['keys', 'list'], ['keys', 'create'], ['keys', 'revoke', 'x']];
  for (const command of commands)
    test(`serac ${command.join(' ')}`, async () => {
      const missing = join(folder, 'mistyped');
      const { code, err, out } = await runProgram(...command, `--data-dir=${missing}`);
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain(missing);
      expect(existsSync(missing)).toBe(false);
    });

  test('check and reindex leave an empty directory empty', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    for (const command of ['check', 'reindex']) {
      const { code, err } = await runProgram(command, `--data-dir=${empty}`);
      expect([command, code]).toEqual([command, 1]);
      expect(err).toContain('there is no database');
      expect(readdirSync(empty)).toEqual([]);
    }
  });
});

describe('a bad URL exits with 2 and is named', () => {
  const database = '--database-url=postgres://127.0.0.1/x';
  const cases: [string, ...string[]][] = [
    ['127.0.0.1:9650', 'follow', '127.0.0.1:9650'],
    ['ftp://127.0.0.1', 'index', 'ftp://127.0.0.1', database],
    ['http://', 'doctor', 'http://'],
    ['--url', 'accounts', '--url=localhost:9650'],
    ['--url', 'accounts', '--url=redis://localhost'],
    ['--database-url', 'api', '--database-url=http://127.0.0.1/x'],
    ['--database-url', 'keys', 'list', '--database-url=postgres://host:port/x'],
    ['--cache-url', '--cache-url=http://127.0.0.1:6379'],
    ['--cache-url', 'api', database, '--cache-url=redis://'],
  ];
  for (const [named, ...args] of cases)
    test(`serac ${args.join(' ')}`, async () => {
      const { code, err } = await runProgram(...args);
      expect(code).toBe(2);
      expect(err).toContain(named);
    });
});

describe('messages name the host, without credentials', () => {
  /** Runs the program until stderr matches. */
  const readError = async (pattern: RegExp, ...args: string[]): Promise<string> => {
    const child = Bun.spawn([...programCommand, ...args], { stdout: 'ignore', stderr: 'pipe' });
    let text = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    for await (const chunk of child.stderr) {
      text += Buffer.from(chunk).toString();
      if (pattern.test(text)) break;
    }
    clearTimeout(timer);
    child.kill('SIGKILL');
    await child.exited;
    return text;
  };

  test('a followed node that is down', async () => {
    const text = await readError(/does not answer/, 'follow', 'http://user:secret@127.0.0.1:1', '--network-id=local', '--http-port=0');
    expect(text).toContain('http://127.0.0.1:1: the followed node does not answer');
    expect(text).not.toContain('secret');
  });

  for (const command of [
    ['index', 'http://127.0.0.1:1', '--network-id=local'],
    ['api', '--http-port=0'],
  ])
    test(`a database that is down: serac ${command[0]}`, async () => {
      const text = await readError(/PostgreSQL/, ...command, '--database-url=postgres://user:secret@127.0.0.1:1/name');
      expect(text).toContain('PostgreSQL at 127.0.0.1:1/name: ');
      expect(text).not.toContain('secret');
    });
});

const readGauge = (text: string, name: string): number | undefined => {
  const found = new RegExp(`^${name}\\{chain="X"\\} (\\S+)$`, 'm').exec(text);
  return found === null ? undefined : Number(found[1]);
};

test('serac follow: the lag is a metric, and it is logged once that it has caught up', async () => {
  const node = await startProgram('--workers=0');
  await createSelfTransfers('operators').send(node.client, 3);
  const follower = await startProgram('follow', node.url, '--log-level=info');
  try {
    const metrics = async () => (await follower.client.send('GET', '/ext/metrics')).text;
    await eventually(metrics, (text) => readGauge(text, 'serac_chain_height') === 3 && readGauge(text, 'serac_follow_lag_blocks') === 0);
    expect(readGauge(await metrics(), 'serac_follow_lag_seconds')).toBe(0);
    expect((await node.client.send('GET', '/ext/metrics')).text).not.toContain('serac_follow_lag_blocks{');
    await node.stop();
    await eventually(metrics, (text) => (readGauge(text, 'serac_follow_lag_seconds') ?? 0) > 1);
    expect(follower.stderrText().match(/caught up with http:\/\/127\.0\.0\.1:\d+ at height 3/g)).toHaveLength(1);
  } finally {
    await Promise.all([follower.stop(), node.stop()]);
  }
});

describe.skipIf(!postgresInstalled)('serac index with --http-port', () => {
  let postgres: PrivatePostgres;
  let node: Program;
  beforeAll(async () => {
    postgres = (await startPostgres()) as PrivatePostgres;
    node = await startProgram('--workers=0');
    await createSelfTransfers('index').send(node.client, 2);
  });
  afterAll(async () => {
    await node.stop();
    await postgres.remove();
  });

  test('health, readiness and metrics of the writer and of a standby', async () => {
    const start = () => startProgram('index', node.url, `--database-url=${postgres.url}`);
    const writer = await start();
    const get = async ({ client }: Program, path: string) => client.send('GET', path);
    try {
      const ready = await eventually(
        () => get(writer, '/ready'),
        ({ status }) => status === 200,
        20_000,
      );
      expect(ready.headers['x-serac-version']).toBe('0.1.0');
      const health = await eventually(
        () => get(writer, '/ext/health'),
        // It is healthy before it has caught up.
        ({ text }) => text.includes('"state":"live"'),
      );
      expect(JSON.parse(health.text)).toMatchObject({ healthy: true, checks: { index: { message: { state: 'live' } } } });
      const { text } = await eventually(
        () => get(writer, '/ext/metrics'),
        (metrics) => readGauge(metrics.text, 'serac_chain_height') === 2,
      );
      expect(readGauge(text, 'serac_follow_lag_blocks')).toBe(0);
      expect(text).toContain('process_resident_memory_bytes');
      const { endpoints } = JSON.parse((await get(writer, '/')).text) as { endpoints: object };
      expect(Object.keys(endpoints)).toEqual(['health', 'metrics', 'ready']);
      const standby = await start();
      await eventually(
        () => get(standby, '/ext/health'),
        ({ status, text }) => status === 200 && text.includes('"role":"standby"'),
      );
      expect((await get(standby, '/ext/metrics')).text).not.toContain('serac_follow_lag_blocks{');
      expect(await writer.stop()).toBe(0);
      await eventually(
        () => get(standby, '/ext/metrics'),
        (metrics) => readGauge(metrics.text, 'serac_follow_lag_blocks') === 0,
        20_000,
      );
      expect(await standby.stop()).toBe(0);
    } finally {
      await writer.stop();
    }
  });

  test('it is unhealthy while the database is down; a taken port exits with 3; without the flag it does not listen', async () => {
    const indexer = await startProgram('index', node.url, '--database-url=postgres://127.0.0.1:1/x');
    const client = createClient(indexer.port);
    const health = await eventually(
      () => client.send('GET', '/ext/health'),
      ({ text }) => text.includes('PostgreSQL at 127.0.0.1:1'),
    );
    expect(health.status).toBe(503);
    expect((await client.send('GET', '/ready')).status).toBe(503);
    client.close();
    const { code } = await runProgram('index', node.url, '--database-url=postgres://127.0.0.1:1/x', `--http-port=${indexer.port}`);
    expect(code).toBe(3);
    await indexer.stop();
    const silent = Bun.spawn([...programCommand, 'index', node.url, '--json', `--database-url=${postgres.url}`], { stdout: 'pipe' });
    for await (const chunk of silent.stdout) {
      expect(JSON.parse(Buffer.from(chunk).toString())).toMatchObject({ following: node.url });
      break;
    }
    silent.kill('SIGTERM');
    expect(await silent.exited).toBe(0);
  });
});
