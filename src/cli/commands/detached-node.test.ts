import { afterAll, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock, settle } from '../../base/timing/virtual-timing.fixture.ts';
import { type DetachedContext, detachedCommands, printLog } from './detached-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-detached-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const logFile = join(folder, 'serac.log');

async function run(command: keyof typeof detachedCommands, options: object, context: Partial<DetachedContext> = {}) {
  const printed: string[] = [];
  const clock = createVirtualClock(0);
  const env = { timers: clock, clock: { monotonic: clock.now } };
  const own = { findNode: () => undefined, logFile, options, print: (text: string) => printed.push(text), env, ...context };
  const code = await detachedCommands[command](own as unknown as DetachedContext);
  return { code, text: printed.join('') };
}

describe('without a node in the background', () => {
  test('status and stop say so and fail', async () => {
    expect(await run('status', {})).toEqual({ code: 1, text: 'not running\n' });
    expect(await run('stop', {})).toEqual({ code: 1, text: 'not running\n' });
    expect(await run('stop', { json: true })).toEqual({ code: 1, text: '{"stopped":false,"running":false}\n' });
    expect(await run('status', { json: true }, { logFile: join(folder, 'none') })).toEqual({ code: 1, text: '{"running":false}\n' });
    writeFileSync(logFile, 'a line\n');
    expect(JSON.parse((await run('status', { json: true })).text)).toEqual({ running: false, log: logFile });
  });
});

describe('a node that answers', () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ healthy: true, checks: {} }) });
  afterAll(() => server.stop(true));
  const node = { pid: 77, uri: `http://127.0.0.1:${server.port}`, log: '/var/log/serac' } as never;

  test('is running and healthy; its own log comes before the usual one', async () => {
    const findNode = () => node;
    expect(await run('status', {}, { findNode })).toEqual({
      code: 0,
      text: `running with pid 77 at http://127.0.0.1:${server.port}, healthy\nlog /var/log/serac\n`,
    });
    const { code, text } = await run('status', { json: true }, { findNode });
    expect([code, JSON.parse(text)]).toEqual([
      0,
      { running: true, pid: 77, url: `http://127.0.0.1:${server.port}`, healthy: true, log: '/var/log/serac' },
    ]);
  });

  test('is not healthy if nothing answers', async () => {
    const findNode = () => ({ pid: 77, uri: 'http://127.0.0.1:1' }) as never;
    const { code, text } = await run('status', {}, { findNode, logFile: join(folder, 'none') });
    expect([code, text.startsWith('running with pid 77 at http://127.0.0.1:1, not healthy: '), text.includes('\nlog')]).toEqual([
      0,
      true,
      false,
    ]);
    expect(JSON.parse((await run('status', { json: true }, { findNode })).text)).toMatchObject({
      healthy: false,
      reason: expect.any(String),
    });
  });

  test('is stopped by its pid, and the command waits until it has ended', async () => {
    const child = Bun.spawn(['sleep', '60']);
    const waiting = run('stop', { 'wait-timeout': 60_000 }, { findNode: () => ({ pid: child.pid }) as never, env: realEnv() });
    expect(await waiting).toEqual({ code: 0, text: `stopped pid ${child.pid}\n` });
    expect(() => process.kill(child.pid, 0)).toThrow('ESRCH');
  });

  test('that ignores the signal is named after the timeout', async () => {
    const child = Bun.spawn(['sh', '-c', 'trap "" TERM INT; echo ready; while :; do sleep 0.05; done'], { stdout: 'pipe' });
    await child.stdout.getReader().read();
    const findNode = () => ({ pid: child.pid }) as never;
    const { code, text } = await run('stop', { 'wait-timeout': 200, json: true }, { findNode, env: realEnv() });
    expect([code, JSON.parse(text)]).toEqual([1, { stopped: false, running: true, pid: child.pid }]);
    const again = await run('stop', { 'wait-timeout': 200 }, { findNode, env: realEnv() });
    expect(again.text).toBe(`pid ${child.pid} was told to stop, but runs after 0.2 s; kill -9 ${child.pid} ends it at once\n`);
    child.kill('SIGKILL');
    await child.exited;
  });
});

const realEnv = () => ({
  timers: {
    soon: (run: () => void) => void setImmediate(run),
    after: (milliseconds: number, run: () => void) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  },
  clock: { monotonic: () => performance.now() } as DetachedContext['env']['clock'],
});

describe('the log', () => {
  const print = async (text: string, lines: number): Promise<string> => {
    writeFileSync(logFile, text);
    return (await run('logs', { lines, follow: false })).text;
  };

  test('ends with the last lines, complete or not', async () => {
    expect(await print('a\nb\nc\n', 2)).toBe('b\nc\n');
    expect(await print('a\nb\nc', 2)).toBe('b\nc\n');
    expect(await print('a\nb\n', 5)).toBe('a\nb\n');
    expect([await print('a\nb\n', 0), await print('', 3), await print('\n', 3), await print('a\n\n', 1)]).toEqual(['', '', '', '']);
    expect(await print('a\n\nb\n', 2)).toBe('\nb\n');
  });

  test('is that of --log-file, of the node, or the usual one', async () => {
    const [own, given] = [join(folder, 'own.log'), join(folder, 'given.log')];
    writeFileSync(logFile, 'usual\n');
    writeFileSync(own, 'own\n');
    writeFileSync(given, 'given\n');
    const findNode = () => ({ log: own }) as never;
    const options = { lines: 9, follow: false };
    expect((await run('logs', options)).text).toBe('usual\n');
    expect((await run('logs', options, { findNode })).text).toBe('own\n');
    expect((await run('logs', { ...options, 'log-file': given }, { findNode })).text).toBe('given\n');
    await expect(run('logs', { ...options, 'log-file': join(folder, 'missing') })).rejects.toThrow('missing');
  });

  test('is followed: what is added is printed once; a file that became shorter is read from its start', async () => {
    const clock = createVirtualClock(0);
    const printed: string[] = [];
    writeFileSync(logFile, 'a\nb\n');
    void printLog(logFile, { lines: 1, follow: true }, (text) => printed.push(text), { timers: clock } as never);
    const look = async (): Promise<string> => {
      clock.advance(100);
      await settle();
      return printed.splice(0).join('|');
    };
    await settle();
    expect(printed.splice(0)).toEqual(['b\n']);
    expect(await look()).toBe('');
    appendFileSync(logFile, 'c\n');
    expect([await look(), await look()]).toEqual(['c\n', '']);
    writeFileSync(logFile, 'd\n');
    expect([await look(), await look()]).toEqual(['d\n', '']);
  });
});
