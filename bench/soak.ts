import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromiumBinary } from '../test/chromium.ts';
import { followEvents } from '../test/event-follower.ts';
import { type ExplorerTabs, openExplorerTabs } from '../test/explorer-tabs.ts';
import type { Client } from '../test/http.ts';
import { recordProof } from '../test/proofs/proof.ts';
import { prepareSteadyLoad } from '../test/steady-load.ts';
import { BenchError } from './fault.ts';
import { xPath } from './fixture.ts';
import type { Options } from './options.ts';
import { createPatientClient } from './patient-client.ts';
import { measureMachineLoad } from './process-usage.ts';
import { type BenchEnv, type BenchServer, serac } from './servers.ts';
import { drawSeries } from './soak-picture.ts';
import { acceptedReading, createSampler, readSqliteTableSizes, soakReadings } from './soak-samples.ts';
import { openSampledStream } from './soak-stream.ts';
import { createTraffic } from './soak-traffic.ts';
import { fitTrend, formatTrends, isProblem, type Trend, warmUpSeconds } from './soak-trend.ts';
import { formatTableSizes } from './table-sizes.ts';

const senders = 200;
const capacitySeconds = 20;
/** The part of the capacity at which the node runs. */
const loadShare = 0.8;
/** Clients of the event stream that only read. */
const eventClients = 4;
/** Pause between two steps of the sampled stream. */
const streamPause = 1000;

const root = resolve(import.meta.dir, '..');

/** A recorded run, one line each in bench/soak.jsonl. */
type SoakRun = {
  readonly date: string;
  readonly processors: number;
  /** The share of the processors that other work used at the start. */
  readonly busy: number | undefined;
  readonly minutes: number;
  readonly capacity: number;
  readonly rate: number;
  readonly done: Record<string, number>;
  readonly trends: readonly Trend[];
};

/**
 * Measures how many transactions per second the node accepts, each with one read; then runs at 80 % of that, or at `--rate`, with events, pages of
 * the explorer and a sampled stream whose answers are compared, and says what grows.
 */
export async function runSoak(env: BenchEnv, { soak, record }: Options): Promise<void> {
  const busy = await measureMachineLoad(1000);
  const dataDir = mkdtempSync(join(env.dir, 'soak-'));
  const database = join(dataDir, 'db', 'serac.sqlite');
  const server = await serac(env, dataDir, ['--accounts=1']).start();
  const session = await openSession(server);
  const { traffic, events, tabs } = session;
  try {
    const capacity = await traffic.run(Number.POSITIVE_INFINITY, performance.now() + capacitySeconds * 1000);
    const rate = soak.rate ?? Math.floor(capacity * loadShare);
    const seconds = soak.minutes * 60;
    console.error(
      `  seed ${soak.seed}; capacity: ${Math.round(capacity)} transactions and as many reads per second; ${rate} for ${soak.minutes} minutes`,
    );
    const start = performance.now();
    const until = start + seconds * 1000;
    const sampler = createSampler(
      soakReadings({ pid: server.pid, client: session.client, database, takeDelay: traffic.takeDelay, pageHeap: tabs?.home.heapBytes }),
    );
    const stream = await openSampledStream(session.client, server.port, soak.seed);
    const elapsed = () => (performance.now() - start) / 1000;
    const untilEnd = async (pause: number, work: () => Promise<void>): Promise<void> => {
      while (performance.now() < until && !env.signal.aborted) {
        await work();
        await Bun.sleep(Math.min(pause, Math.max(0, until - performance.now())));
      }
    };
    await Promise.all([
      traffic.run(rate, until),
      untilEnd(Math.max(1000, (seconds * 1000) / 360), () => sampler.sample(elapsed())),
      untilEnd(streamPause, stream.step),
      tabs?.showInTurn(until),
    ]);
    const height = await heightIn(session.client);
    const limit = performance.now() + 30_000;
    while ((events.height() ?? 0) < height && performance.now() < limit) await Bun.sleep(20);
    const found = [
      ...events.problems,
      ...traffic.problems,
      ...((events.height() ?? 0) < height ? ['the events end before the chain'] : []),
    ];
    const accepted = sampler.series().find(({ name }) => name === acceptedReading);
    const sampled = sampler.series().filter((series) => series.name !== acceptedReading);
    const warmUp = warmUpSeconds(seconds, accepted?.points ?? []);
    const trends = sampled.map((series) => fitTrend(series, warmUp));
    const { blocks, txs } = events.counts();
    const done = {
      ...traffic.counts(),
      blocks,
      txEvents: txs,
      ...stream.counts(),
      tabs: tabs?.tabs.size ?? 0,
      refusals: session.client.refusals(),
      problems: found.length,
    };
    console.log(
      `${Object.entries(done)
        .map(([name, value]) => `${name} ${value.toLocaleString('en')}`)
        .join(', ')}\n`,
    );
    console.log(formatTrends(trends));
    console.log(`\n${formatTableSizes(readSqliteTableSizes(database), txs)}`);
    if (record) {
      const run: SoakRun = {
        date: new Date().toISOString().slice(0, 10),
        processors: navigator.hardwareConcurrency,
        busy,
        minutes: soak.minutes,
        capacity: Math.round(capacity),
        rate,
        done,
        trends,
      };
      appendFileSync(
        join(root, 'bench/soak.jsonl'),
        `${JSON.stringify(run, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value))}\n`,
      );
      const title = `${run.date}: ${rate} transactions per second for ${soak.minutes} minutes`;
      writeFileSync(join(root, 'bench/soak.svg'), drawSeries(sampled, Math.min(warmUp, seconds), title));
    }
    const problems = trends.filter(isProblem).map(({ name, verdict }) => `${name} (${verdict})`);
    const numbers = { minutes: soak.minutes, 'capacity per second': Math.round(capacity), rate, ...done };
    recordProof('soak', soak.minutes, numbers, [...found, ...problems]);
    if (found.length > 0) throw new BenchError(`${found.length} problems: ${found.slice(0, 5).join('; ')}`);
    if (problems.length > 0) throw new BenchError(problems.join(', '));
  } catch (error) {
    console.error(server.readLog());
    throw error;
  } finally {
    await session.close();
    await server.stop();
  }
}

const heightIn = async (client: Client): Promise<number> =>
  Number(((await client.call(xPath, 'avm.getHeight')).result as unknown as { height: string }).height);

/** The load, its event streams and the pages of the explorer. */
async function openSession({ port }: BenchServer) {
  const client = createPatientClient(port);
  const load = await prepareSteadyLoad(client, senders);
  const events = followEvents({ port: () => port });
  const others = Array.from({ length: eventClients }, () => followEvents({ port: () => port }));
  const traffic = createTraffic(client, load, events);
  const binary = chromiumBinary();
  const tabs: ExplorerTabs | undefined =
    binary === undefined ? undefined : await openExplorerTabs(binary, `http://127.0.0.1:${port}`, load);
  return {
    client,
    traffic,
    events,
    tabs,
    close: async () => {
      await tabs?.close();
      await Promise.all([events, ...others].map(({ stop }) => stop()));
      client.close();
    },
  };
}
