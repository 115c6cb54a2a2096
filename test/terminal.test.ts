import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { recordTime } from './figure.ts';
import { createClient } from './http.ts';
import { freePort } from './processes.ts';
import { programCommand, startProgramAsUsers } from './program.ts';

/**
 * Drives the program in a real terminal (tmux) and compares the screen with the texts in test/terminal/. Times, sizes and the port are masked.
 * To write the texts again: SERAC_WRITE_GOLDEN=1.
 */

/** Every test has a tmux server of its own. */
let tests = 0;
const tmux = (...args: string[]) => {
  const server = `serac-test-${process.pid}-${tests}`;
  return Bun.spawnSync(['tmux', '-L', server, ...args], { env: { ...process.env, TERM: 'xterm-256color' } });
};
const capture = (...flags: string[]): string => tmux('capture-pane', '-p', '-t', 'serac', ...flags).stdout.toString();

afterEach(() => {
  tmux('kill-server');
  tests++;
});

const mask = (screen: string, port: number): string =>
  screen
    .replaceAll(`:${port}`, `:${'9'.repeat(String(port).length)}`)
    .replace(/\b\d\d:\d\d:\d\d\b/g, 'HH:MM:SS')
    .replace(/ready in [\d.]+ s/g, 'ready in S.SS s')
    .replace(/[\d.]+ tx\/s · \d+ MB/g, 'N tx/s · N MB')
    .trimEnd();

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let waited = 0; !condition(); waited += 50) {
    if (waited > 40_000) throw new Error(`${what}, but the screen is:\n${capture()}`);
    await Bun.sleep(50);
  }
}

/** Starts the program, or a command with its arguments, in a terminal with a number of columns. */
async function openTerminal(columns: number, environment: readonly string[] = [], command: readonly string[] = []) {
  const port = freePort();
  const words = ['env', 'TZ=UTC', ...environment, ...programCommand, ...command, `--http-port=${port}`];
  // The shell stays after the program and shows its exit code.
  const script = `${words.map((word) => `'${word}'`).join(' ')}; echo "exit code $?"; sleep 60`;
  tmux('new-session', '-d', '-s', 'serac', '-x', `${columns}`, '-y', '60', script);
  await until(() => capture().includes('height 1 '), 'the node should start');
  const client = createClient(port);
  return { port, client };
}

const to = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';

describe.skipIf(Bun.which('tmux') === null)('in a terminal', () => {
  for (const columns of [80, 120])
    test(`banner, blocks, refused calls, status line and last line at ${columns} columns`, async () => {
      const { port, client } = await openTerminal(columns, ['NO_COLOR=1']);
      const dev = (method: string, params: object) => client.call('/ext/dev', `dev.${method}`, params);
      const first = capture().split('\n');
      expect(first.filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(26);
      await dev('send', { to, amount: '1250 AVAX' });
      await dev('createAsset', { name: 'Gold', symbol: 'GLD', denomination: 2, supply: '1000 GLD' });
      await dev('snapshot', { name: 'clean' });
      await dev('send', { to, amount: '0.5 AVAX' });
      await dev('revert', { name: 'clean' });
      await client.call('/ext/bc/X', 'avm.getUTXOs', { address: [to] });
      await client.call('/ext/bc/X', 'avm.getTxx', {});
      await client.call('/ext/bc/X', 'avm.getBalance', { address: 'X-fuji1qurswpc8qurswpc8qurswpc8qurswpc82rwv4r', assetID: 'AVAX' });
      await client.call('/ext/bc/X', 'avm.\x1b[2Jx', {});
      await until(() => capture().includes('avm.?[2Jx'), 'the last call should be shown');
      const running = mask(capture(), port);
      client.close();
      const began = performance.now();
      tmux('send-keys', '-t', 'serac', 'C-c');
      await until(() => capture().includes('exit code'), 'the node should stop');
      recordTime('stop by Ctrl-C', began, 1000);
      const stopped = mask(capture(), port);
      const text = `${running}\n\n--- after Ctrl-C ---\n${stopped.slice(stopped.lastIndexOf('refused'))}\n`;
      const file = fileURLToPath(new URL(`./terminal/${columns}.txt`, import.meta.url));
      if (process.env.SERAC_WRITE_GOLDEN !== undefined) writeFileSync(file, text);
      expect(text).toBe(readFileSync(file, 'utf8'));
    });

  test('a command shows what it waits for, erases it, and prints a receipt; reset asks', async () => {
    const node = await startProgramAsUsers('--workers=0');
    const dev = (method: string, params: object = {}) => node.client.call('/ext/dev', `dev.${method}`, params);
    await dev('setAutomine', { enabled: false });
    await dev('setIntervalMining', { seconds: 3600 });
    const serac = (...args: string[]) => [...programCommand, ...args, '--url', node.url].map((word) => `'${word}'`).join(' ');
    const commands = [serac('send', '1', '1.5'), serac('import', 'C', '1'), serac('reset'), serac('reset')];
    tmux('new-session', '-d', '-s', 'serac', '-x', '80', '-y', '60', `${commands.join('; ')}; echo "exit code $?"; sleep 60`);
    await until(() => capture().includes('waiting for the next block; one is made every 3600 s …'), 'the command should say that it waits');
    const waiting = capture().trimEnd();
    await dev('mine');
    await until(() => capture().includes('[y/N]'), 'reset should ask');
    tmux('send-keys', '-t', 'serac', 'Enter');
    await until(() => capture().split('[y/N]').length === 3, 'the second reset should ask');
    tmux('send-keys', '-t', 'serac', 'y', 'Enter');
    await until(() => capture().includes('exit code'), 'the second reset should end');
    const maskCommand = (screen: string): string =>
      screen
        .replaceAll(/\b[1-9A-HJ-NP-Za-km-z]{47,52}\b/g, 'ID')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
        .replaceAll(node.url, 'URL')
        .replaceAll(/ … \d+ s/g, ' …');
    const text = `${maskCommand(waiting)}\n\n--- after dev.mine ---\n${maskCommand(capture().trimEnd())}\n`;
    const file = fileURLToPath(new URL('./terminal/waiting.txt', import.meta.url));
    if (process.env.SERAC_WRITE_GOLDEN !== undefined) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
    await node.stop();
  });

  test('a follower has a status line too, and prints a block when its node does', async () => {
    const node = await startProgramAsUsers('--workers=0');
    const { client } = await openTerminal(80, [], ['follow', node.url]);
    await node.client.call('/ext/dev', 'dev.send', { to, amount: '3 AVAX' });
    await until(() => capture().includes('Transfer 1  3 AVAX'), 'the block should be shown');
    // The state of the followed node is read several times a second, and must not erase the status line.
    for (let i = 0; i < 5; i++) {
      await Bun.sleep(170);
      expect(capture().trimEnd().split('\n').at(-1)).toMatch(/^height 2 · 0 pending/);
    }
    client.close();
    await node.stop();
  });

  test('colours only without NO_COLOR; a narrow terminal does not wrap the status line', async () => {
    const { client } = await openTerminal(30, ['NO_COLOR=']);
    expect(capture('-e')).toContain('\x1b[2mMnemonic');
    const last = (): string => capture().trimEnd().split('\n').at(-1) ?? '';
    expect(last()).toMatch(/^height 1 · 0 pending/);
    for (let i = 0; i < 3; i++) await client.call('/ext/dev', 'dev.send', { to, amount: 1 });
    await until(() => last().startsWith('height 4'), 'the status line should be redrawn');
    expect(capture().match(/height \d/g)).toHaveLength(1);
    client.close();
  });
});

test('docs/start/first-hour.md shows the banner as it is', () => {
  const [page, golden] = ['../docs/start/first-hour.md', './terminal/80.txt'].map((path) =>
    readFileSync(new URL(path, import.meta.url), 'utf8'),
  );
  const banner = golden?.split('\n').slice(0, 25).join('\n').replaceAll(':99999', ':9650').replace('S.SS', '0.33');
  expect(page).toContain(banner ?? '');
});
