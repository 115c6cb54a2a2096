import { afterAll, describe, expect, test } from 'bun:test';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from './http.ts';
import { childrenOf, eventually, processesMatching } from './processes.ts';
import { programCommand, runProgram, startProgram } from './program.ts';

/** `--process-context-file`, `--detach` and `--wait`. */

const folder = mkdtempSync(join(tmpdir(), 'serac-detach-'));
const pids: number[] = [];
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
afterAll(() => {
  for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

type Context = { readonly pid: number; readonly uri: string; readonly stakingAddress: string };
const readContext = (path: string): Context => JSON.parse(readFileSync(path, 'utf8')) as Context;

/** Runs a command that starts a node in the background. Its output must not be held open by the node. */
async function detach(...flags: string[]) {
  const { code, out, err } = await runProgram('--http-port=0', '--json', '--detach', ...flags);
  const started = out === '' ? undefined : (JSON.parse(out) as { pid: number; log: string; url?: string });
  if (started !== undefined) pids.push(started.pid);
  return { code, err, started };
}

const stop = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGTERM');
  await eventually(
    async () => isRunning(pid),
    (is) => !is,
  );
};

describe('the process context file', () => {
  test('has what AvalancheGo writes, while the node runs', async () => {
    const path = join(folder, 'context.json');
    const node = await startProgram(`--process-context-file=${path}`, '--staking-port=9751', '--public-ip=::1');
    const text = readFileSync(path, 'utf8');
    // What follows are fields of Serac.
    expect(text).toStartWith(`{\n  "pid": ${node.pid},\n  "uri": "${node.url}",\n  "stakingAddress": "[::1]:9751",\n  "processStart": "`);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(await node.client.call('/ext/info', 'info.getNodeIP')).toMatchObject({ result: { ip: '[::1]:9751' } });
    await node.stop();
    expect(existsSync(path)).toBe(false);
  });

  test('is process.json in the data directory by default; one that cannot be written fails the start', async () => {
    const dataDir = join(folder, 'data');
    const node = await startProgram(`--data-dir=${dataDir}`);
    expect(readContext(join(dataDir, 'process.json'))).toMatchObject({ pid: node.pid, uri: node.url, stakingAddress: '127.0.0.1:0' });
    expect(await node.client.call('/ext/info', 'info.getNodeIP')).toMatchObject({ result: { ip: '127.0.0.1:0' } });
    await node.stop('SIGINT');
    expect(existsSync(join(dataDir, 'process.json'))).toBe(false);
    const { code, err } = await runProgram('--http-port=0', `--process-context-file=${folder}/missing/context.json`);
    expect(code).toBe(1);
    expect(err).toContain(`cannot write the process context to ${folder}/missing/context.json: ENOENT`);
  });
});

describe('--detach', () => {
  test('--wait returns when the node is healthy; its log is in the data directory', async () => {
    const dataDir = join(folder, 'detached');
    const { code, err, started } = await detach('--wait', `--data-dir=${dataDir}`);
    expect([code, err]).toEqual([0, '']);
    const { pid, log, url = '' } = started as NonNullable<typeof started>;
    expect(log).toBe(join(dataDir, 'serac.log'));
    expect((await fetch(`${url}/ext/health`)).status).toBe(200);
    expect(readContext(join(dataDir, 'process.json'))).toMatchObject({ pid, uri: url });
    expect(JSON.parse(readFileSync(log, 'utf8').split('\n')[0] ?? '')).toMatchObject({ url });
    const { code: refused } = await runProgram('send', 'bogus', '5', '--url', url);
    expect(refused).toBe(1);
    await stop(pid);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines.at(-1)).toContain('"event":"stopped"');
    // Every line, also those of the log, is JSON with time and level.
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ time: expect.stringMatching(/^20.*Z$/), level: expect.any(String) });
  });

  test('status, logs and stop find the node by its data directory', async () => {
    const flag = `--data-dir=${join(folder, 'managed')}`;
    const none = await runProgram('status', flag);
    expect([none.code, none.out]).toEqual([1, 'not running\n']);
    expect((await runProgram('stop', flag)).code).toBe(1);
    const noLog = await runProgram('logs', flag);
    expect([noLog.code, noLog.err]).toEqual([1, expect.stringContaining('there is no log ')]);
    const notALog = await runProgram('logs', '--log-file', folder);
    expect([notALog.code, notALog.err]).toEqual([1, `serac: cannot read the log ${folder}: EISDIR; choose another with --log-file\n`]);
    const { started } = await detach(flag);
    const { pid, url = '' } = started as NonNullable<typeof started>;
    expect(url).toStartWith('http://127.0.0.1:');
    const status = await eventually(
      () => runProgram('status', flag),
      ({ out }) => out.includes('healthy') && !out.includes('not healthy'),
    );
    expect([status.code, status.out]).toEqual([0, expect.stringContaining(`running with pid ${pid} at ${url}, healthy\nlog `)]);
    expect(JSON.parse((await runProgram('status', flag, '--json')).out)).toMatchObject({ running: true, pid, url, healthy: true });
    expect((await runProgram('logs', flag, '--lines', '1')).out.trim().split('\n')).toHaveLength(1);
    // A copy of the data directory has the process context of a node that is not its own.
    const copy = join(folder, 'copied');
    cpSync(join(folder, 'managed'), copy, { recursive: true });
    for (const command of ['status', 'stop'])
      expect([command, await runProgram(command, `--data-dir=${copy}`)]).toEqual([command, { code: 1, out: 'not running\n', err: '' }]);
    expect(isRunning(pid)).toBe(true);
    // A second start is refused before it can write to the log of the running node.
    const before = readFileSync(join(folder, 'managed', 'serac.log'), 'utf8');
    const second = await detach(flag);
    expect([second.code, second.err]).toEqual([
      1,
      expect.stringContaining(`the node runs already with pid ${pid} at ${url}; stop it first`),
    ]);
    expect(readFileSync(join(folder, 'managed', 'serac.log'), 'utf8')).toBe(before);
    expect(await runProgram('stop', flag)).toEqual({ code: 0, out: `stopped pid ${pid}\n`, err: '' });
    // It may be a zombie for a moment.
    await eventually(
      async () => isRunning(pid),
      (is) => !is,
    );
    expect((await runProgram('status', flag)).code).toBe(1);
    expect((await runProgram('logs', flag)).out).toContain('"event":"stopped"');
  });

  test('status and stop do not take a node whose process context they cannot read for stopped', async () => {
    // A directory stands for a file of another user: root may read that.
    for (const command of ['status', 'stop']) {
      const { code, out, err } = await runProgram(command, `--process-context-file=${folder}`);
      expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^serac: cannot read .*: EISDIR; run the command as the user/)]);
    }
  });

  test('logs --follow prints what is added', async () => {
    const log = join(folder, 'followed.log');
    writeFileSync(log, 'one\ntwo\n');
    const child = Bun.spawn([...programCommand, 'logs', `--log-file=${log}`, '--follow', '--lines=1'], { stdout: 'pipe' });
    let out = '';
    const read = (async () => {
      for await (const chunk of child.stdout) out += Buffer.from(chunk).toString();
    })();
    await eventually(
      async () => out,
      (text) => text === 'two\n',
    );
    appendFileSync(log, 'three\n');
    await eventually(
      async () => out,
      (text) => text === 'two\nthree\n',
    );
    child.kill();
    await read;
  });

  test('--supervise in the background: a supervisor, a writer and a reader; status, logs and stop find the supervisor', async () => {
    const [dataDir, log] = [join(folder, 'supervised'), join(folder, 'supervised.log')];
    const flag = `--data-dir=${dataDir}`;
    const { started, err } = await detach('--supervise', '--workers=1', '--wait', flag, `--log-file=${log}`);
    expect(err).toBe('');
    const { pid } = started as NonNullable<typeof started>;
    await eventually(
      () => childrenOf(pid),
      (children) => children.length === 2,
    );
    expect(processesMatching(dataDir)).toHaveLength(3);
    // The log is not where it is by default, but the node has said where.
    expect((await runProgram('logs', flag)).out).toContain('"event":"started"');
    const [writer = 0] = childrenOf(pid).sort((a, b) => a - b);
    process.kill(writer, 'SIGKILL');
    // Also while there is no writer, which holds the lock.
    expect(await runProgram('stop', flag)).toEqual({ code: 0, out: `stopped pid ${pid}\n`, err: '' });
    await eventually(
      () => processesMatching(dataDir),
      (left) => left.length === 0,
    );
  });

  test('the node outlives the process that started it, and its group', async () => {
    const log = join(folder, 'alone.log');
    const child = Bun.spawn(['setsid', ...programCommand, '--http-port=0', '--json', '--detach', `--log-file=${log}`], { stdout: 'pipe' });
    const { pid } = JSON.parse(await new Response(child.stdout).text()) as { pid: number };
    pids.push(pid);
    expect(await child.exited).toBe(0);
    const { uri } = (await eventually(
      async () => (existsSync(`${log}.process.json`) ? readContext(`${log}.process.json`) : undefined),
      (context): context is Context => context !== undefined,
    )) as Context;
    const client = createClient(Number(new URL(uri).port));
    expect(await client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '1' } });
    client.close();
    await stop(pid);
  });

  test('a taken port exits with 3 and the reason, with and without --wait', async () => {
    const taken = await startProgram();
    for (const flags of [['--wait'], []]) {
      const { code, err } = await runProgram('--detach', ...flags, `--http-port=${taken.port}`, `--log-file=${folder}/taken.log`);
      expect([flags, code]).toEqual([flags, 3]);
      expect(err).toContain('the node has stopped: 20');
      expect(err).toContain(' fatal ');
      expect(err).toContain('is already in use');
    }
    await taken.stop();
  });

  test('--wait exits with 1 and the reason if the node does not become healthy in time', async () => {
    const flags = ['--detach', '--wait', '--wait-timeout=4s', '--http-port=0', '--network-id=local', `--log-file=${folder}/sick.log`];
    const { code, err } = await runProgram('follow', 'http://127.0.0.1:1', ...flags);
    expect([code, err]).toEqual([1, expect.stringMatching(/the node is not healthy after 4 s: .+; it runs on with pid \d+/)]);
    const pid = Number(/pid (\d+)/.exec(err)?.[1]);
    pids.push(pid);
    // On a busy machine it listens after these 4 s.
    const context = `${folder}/sick.log.process.json`;
    await eventually(() => existsSync(context), Boolean);
    expect(readContext(context).pid).toBe(pid);
    await stop(pid);
  });

  test('flags that need each other exit with 2', async () => {
    const refusals: [string, ...string[]][] = [
      ['give --data-dir DIR or --log-file FILE', '--detach'],
      ['needs --detach', '--wait'],
      ['needs --detach', `--log-file=${folder}/x.log`],
    ];
    for (const [text, ...flags] of refusals) {
      const { code, err } = await runProgram(...flags);
      expect([flags, code]).toEqual([flags, 2]);
      expect(err).toContain(text);
    }
  });
});
