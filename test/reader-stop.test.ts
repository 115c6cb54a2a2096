import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordTime } from './figure.ts';
import { createClient } from './http.ts';
import { childrenOf, eventually, processesMatching, socketsOf } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** A node that stops answers the open requests of its reader process too, and waits neither for an idle nor for a hung one. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-reader-stop-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a node with one reader process, and waits until it serves. */
async function start(name: string, ...flags: string[]): Promise<{ readonly program: Program; readonly reader: number }> {
  const program = await startProgram(`--data-dir=${join(folder, name)}`, '--workers=1', ...flags);
  // With a supervisor the first child is the writer process.
  const pids = await eventually(
    () => childrenOf(program.pid).sort((a, b) => a - b),
    (all) => all.length === (flags.includes('--supervise') ? 2 : 1),
  );
  await eventually(
    async () => (await program.client.send('GET', '/ext/health')).text,
    (text) => text.includes('"serving":1'),
  );
  return { program, reader: pids.at(-1) as number };
}

/** Waits until no process of a node is left. */
const untilGone = (name: string): Promise<unknown> =>
  eventually(
    () => processesMatching(join(folder, name)),
    (pids) => pids.length === 0,
  );

const modes = [
  ['alone', []],
  ['supervised', ['--supervise']],
] as const;

for (const [mode, flags] of modes) {
  test(`${mode}: calls that are open when the node is told to stop are answered by both processes`, async () => {
    const { program, reader } = await start(`open-${mode}`, ...flags);
    await program.client.call('/ext/dev', 'dev.setLatency', { ms: 2000, method: 'avm.getHeight' });
    const before = socketsOf(reader);
    const clients = Array.from({ length: 16 }, () => createClient(program.port));
    const calls = clients.map(async (client) => JSON.stringify(await client.call('/ext/bc/X', 'avm.getHeight').catch(String)));
    await Bun.sleep(300);
    expect(socketsOf(reader)).toBeGreaterThan(before);
    const stopped = program.stop();
    expect(await Promise.all(calls)).toEqual(clients.map(() => '{"jsonrpc":"2.0","result":{"height":"0"},"id":1}'));
    expect(await stopped).toBe(0);
    await untilGone(`open-${mode}`);
  });

  test(`${mode}: without open calls the node ends at once, also with clients of the event stream`, async () => {
    const { program } = await start(`idle-${mode}`, ...flags);
    const streams = await Promise.all(Array.from({ length: 16 }, () => fetch(`${program.url}/ext/events`)));
    const ends = streams.map((stream) => stream.text().catch(() => ''));
    const began = performance.now();
    expect(await program.stop()).toBe(0);
    // Open calls would get 10 s.
    expect(performance.now() - began).toBeLessThan(9000);
    recordTime(`${mode}: a node without open calls has stopped`, began, 1000);
    await Promise.all(ends);
    await untilGone(`idle-${mode}`);
  });

  test(`${mode}: a hung reader delays the stop by no more than --http-shutdown-timeout and a little`, async () => {
    const { program, reader } = await start(`hung-${mode}`, ...flags, '--http-shutdown-timeout=1s');
    process.kill(reader, 'SIGSTOP');
    const began = performance.now();
    expect(await program.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(20_000);
    recordTime(`${mode}: a node with a hung reader has stopped`, began, 5000);
    await untilGone(`hung-${mode}`);
  });
}
