import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDataDir } from '../bench/data-dir.ts';
import { median } from '../bench/report.ts';
import { idText } from '../src/base/bytes/id.ts';
import { areFiguresRecorded, recordFigure } from './figure.ts';
import { createIssuer } from './issuer.ts';
import { runKills } from './kills/kill-run.ts';
import type { KillSetup, SetupOptions } from './kills/kill-setup.ts';
import { followSetup, hasStatusAccepted, joinSetup, postgresSetup, soloSetup } from './kills/kill-setups.ts';
import { startProgram } from './program.ts';
import { recordProof } from './proofs/proof.ts';
import { createRandom } from './random.ts';
import { hasServers } from './servers.ts';

/** How often processes are killed under load, all set-ups together; .ci/run sets more. */
const kills = Number(process.env.SERAC_KILLS ?? 4);
const seed = Number(process.env.SERAC_SEED ?? 9);

const folder = mkdtempSync(join(tmpdir(), 'serac-crash-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Setup = readonly [name: string, open: (options: SetupOptions) => KillSetup | Promise<KillSetup>, isAvailable: boolean];
const setups: readonly Setup[] = [
  ['a node alone', soloSetup, true],
  ['a follower', followSetup, true],
  ['one of two nodes of a network', joinSetup, true],
  ['the indexer or the API server on PostgreSQL', postgresSetup, hasServers],
];
const share = Math.ceil(kills / setups.length);

/** What all set-ups together have done, and those that ended as they should. */
const totals = { kills: 0, transactions: 0, reads: 0, events: 0 };
const passed = new Set<string>();
afterAll(() => {
  const failed = setups.filter(([name, , isAvailable]) => isAvailable && !passed.has(name)).map(([name]) => `${name} failed`);
  recordProof('kills', kills, { seed, ...totals }, failed);
});

// At the same time: each waits most of its time for a process that starts.
describe.concurrent(`kill -9 at ${share} random times, seed ${seed}: nothing accepted is lost, no event is missing or comes twice`, () => {
  for (const [name, open, isAvailable] of setups)
    test.skipIf(!isAvailable)(
      name,
      async () => {
        const random = createRandom(seed);
        const setup = await open({ folder, random });
        try {
          const { accepted, reads, txEvents, connections, restarts } = await runKills(setup, random, share);
          totals.kills += share;
          totals.transactions += accepted;
          totals.reads += reads;
          totals.events += txEvents;
          expect(accepted).toBeGreaterThan(share);
          passed.add(name);
          const [median, longest] = [restarts[restarts.length >> 1], restarts.at(-1)].map((ms) => `${Math.round(ms ?? 0)} ms`);
          console.log(
            `${name}: ${share} kills, ${accepted} transactions, ${reads} reads, ${txEvents} events of transactions over ${connections} connections; restart: median ${median}, longest ${longest}`,
          );
        } finally {
          await setup.close();
        }
      },
      // A minute per kill: a machine that runs other tests too took 25 s for some.
      120_000 + share * 60_000,
    );
});

/** The chain of the figure has 10^5 transactions; else a short one shows that a node with a history comes back. */
const history = areFiguresRecorded ? 100_000 : 1000;

test(`a killed node with ${history} transactions is healthy again at its first answer`, async () => {
  const dataDir = join(folder, 'history');
  await prepareDataDir(dataDir, history, new AbortController().signal);
  const start = () => startProgram(`--data-dir=${dataDir}`);
  let program = await start();
  const issuer = createIssuer({ seed, client: program.client, funds: 'deposit' });
  await issuer.fund();
  const issued = await issuer.issue(40);
  const times: number[] = [];
  for (let round = 0; round < (areFiguresRecorded ? 5 : 1); round++) {
    await program.stop('SIGKILL');
    const since = performance.now();
    program = await start();
    expect((await program.client.send('GET', '/ext/health')).status).toBe(200);
    times.push(performance.now() - since);
  }
  for (const { id } of issued) expect(await hasStatusAccepted(program.client, idText(id))).toBe(true);
  expect(await program.stop()).toBe(0);
  recordFigure({ name: `restart after a kill with ${history} transactions`, unit: 'ms', value: median(times), limit: 500 });
});
