import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf, eventually } from './processes.ts';
import { programCommand } from './program.ts';

/** The program as the first process of a container, PID 1: in a PID namespace of its own. */

const unshare = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];
const canUnshare = process.platform === 'linux' && spawnSync(unshare[0] as string, [...unshare.slice(1), 'true']).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-init-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a node as PID 1, behind a shell that leaves an orphan. Returns its process ID outside of the namespace. */
async function startAsInit(...flags: string[]) {
  const command = [...programCommand, '--http-port=0', '--json', '--accounts=0', ...flags].map((one) => `'${one}'`).join(' ');
  const child = Bun.spawn([...unshare, 'sh', '-c', `(sleep 0.1 &); exec ${command}`], { stdout: 'pipe', stderr: 'inherit' });
  const [init = 0] = await eventually(
    // Waits until the shell has become the program.
    () => childrenOf(child.pid).filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('bun')),
    (pids) => pids.length === 1,
  );
  const untilReady = async (): Promise<string> => {
    let text = '';
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString('utf8');
      if (text.includes('\n')) break;
    }
    return text;
  };
  return { init, exited: child.exited, untilReady };
}

/** Children of a process that have ended, but were not waited for. */
const zombiesOf = (parent: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter(Number.isSafeInteger)
    .filter((pid) => {
      try {
        const [, state, ppid] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        return state === 'Z' && Number(ppid) === parent;
      } catch {
        return false;
      }
    });

describe.skipIf(!canUnshare)('as PID 1', () => {
  for (const flags of [[], ['--supervise']])
    test(`a node ${flags.join('')} stops on SIGTERM, and removes orphans that have ended`, async () => {
      const { init, exited, untilReady } = await startAsInit(
        `--data-dir=${join(folder, `node${flags.join('')}`)}`,
        '--workers=1',
        ...flags,
      );
      expect(await untilReady()).toContain('"started"');
      await eventually(
        () => zombiesOf(init),
        (pids) => pids.length === 1,
      );
      await eventually(
        () => zombiesOf(init),
        (pids) => pids.length === 0,
        60_000,
      );
      process.kill(init, 'SIGTERM');
      expect(await exited).toBe(0);
    });

  test('SIGTERM ends a node that is still starting', async () => {
    const { init, exited } = await startAsInit();
    // The kernel ignores the signal until the program handles it, which a node that has started does anyway; passed on to a process that does not
    // handle it yet, it ends that one (143). What counts is that it ends.
    const sending = setInterval(() => {
      try {
        process.kill(init, 'SIGTERM');
      } catch {
        // It has ended, which is noticed a moment later.
        clearInterval(sending);
      }
    }, 20);
    const code = await exited;
    clearInterval(sending);
    expect([0, 1, 143]).toContain(code);
  });
});
