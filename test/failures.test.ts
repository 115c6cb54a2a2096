import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idText } from '../src/base/bytes/id.ts';
import { heightOf } from './chain-oracle.ts';
import { chainRoot, type DataResponse, type Json, plainAddress, sendRequest } from './data-requests.ts';
import { type Failure, type FailureParts, failures, type Outcome } from './failure-table.ts';
import { recordFigure, recordTime } from './figure.ts';
import type { Client } from './http.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { eventually, freePort } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { hasReplicatedServers, type ReplicatedDeployment, startReplicatedDeployment } from './replicated-deployment.ts';

const seed = Number(process.env.SERAC_SEED ?? 43);

/** Milliseconds that a test waits for something. */
const patience = 60_000;
/** Milliseconds after which PostgreSQL ends a statement of an API server. */
const statementTimeout = 1800;
/** Milliseconds between two requests of a caller. */
const pause = 50;
/** Milliseconds within which all is well after a failure is mended; a figure, not a limit of the test. */
const backLimit = 5_000;

type Kind = 'newest' | 'settled';
type Asked = { readonly kind: Kind; readonly path: string; readonly status: number; readonly began: number; readonly took: number };

const name = 'what is answered while something is away';
describe.skipIf(!hasReplicatedServers)(
  hasReplicatedServers ? name : `${name} (skipped: PostgreSQL, PgBouncer or Redis is not installed)`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'serac-failures-'));
    const nodeFlags = [`--data-dir=${folder}`, `--http-port=${freePort()}`, '--workers=0'];
    let deployment: ReplicatedDeployment;
    let parts: FailureParts;
    let issuer: Issuer;
    /** How many blocks there were before the first row. */
    let firstBlocks: number;
    /** The second page of transactions. */
    let furtherPage: string;
    /** Transactions all of whose outputs are spent. */
    let spentTxs: readonly string[];

    beforeAll(async () => {
      deployment = await startReplicatedDeployment({ apiFlags: ['--database-max-lag=1s'], nodeFlags });
      issuer = createIssuer({ seed, client: deployment.node.client });
      parts = {
        deployment,
        node: deployment.node,
        indexer: deployment.indexer,
        startNode: () => startProgram(...nodeFlags),
        serveWithoutReplica,
      };
      await issuer.fund();
      for (let i = 0; i < 3; i++) await issuer.issue(6);
      firstBlocks = await waitUntilServed();
      const list = `${chainRoot}/transactions?pageSize=3`;
      const { json } = await sendRequest(deployment.apis[0].client, { path: list });
      furtherPage = `${list}&pageToken=${json.nextPageToken}`;
      const { json: all } = await sendRequest(deployment.apis[0].client, { path: `${chainRoot}/transactions?pageSize=100` });
      spentTxs = all.transactions
        .filter(({ emittedUtxos }: Json) => emittedUtxos.every(({ consumingTxHash }: Json) => consumingTxHash !== undefined))
        .map(({ txHash }: Json) => txHash);
      expect(spentTxs.length).toBeGreaterThan(0);
    });
    afterAll(async () => {
      await parts?.node.stop();
      await deployment?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const health = (client: Client) => sendRequest(client, { path: '/v1/health-check' });

    /** Waits until all servers serve the node's last block; returns its height. */
    async function waitUntilServed(): Promise<number> {
      const height = await heightOf(parts.node.client);
      for (const { client } of deployment.apis)
        await eventually(
          async () => (await sendRequest(client, { path: `${chainRoot}/blocks/${height}` })).status,
          (status) => status === 200,
          patience,
        );
      return height;
    }

    async function serveWithoutReplica(): Promise<void> {
      for (let i = 0; i < 3; i++) await issuer.issue(2);
      await waitUntilServed();
      const heightIn = async (server: 'primary' | 'replica') =>
        ((await deployment.run(deployment[server], 'SELECT max(height) AS height FROM serac.c1_block')) as [{ height: number }])[0].height;
      expect(await heightIn('replica')).toBeLessThan(await heightIn('primary'));
    }

    /** Requests of a kind, one after the other: nearly all of them find no cached answer. */
    function requestsOf(kind: Kind): () => string {
      const owners = issuer.wallet.keys.map(plainAddress);
      const txs = issuer.model.accepted.map(({ id }) => idText(id));
      const paths: readonly ((n: number) => string)[] =
        kind === 'settled'
          ? [
              (n) => `${chainRoot}/transactions/${spentTxs[n % spentTxs.length]}`,
              (n) => `${chainRoot}/blocks/${n % firstBlocks}`,
              (n) => `${furtherPage.replace('pageSize=3', `pageSize=${1 + (n % 100)}`)}`,
            ]
          : [
              (n) => `${chainRoot}/blocks?pageSize=${1 + (n % 100)}`,
              (n) => `${chainRoot}/transactions?pageSize=${1 + (n % 100)}`,
              (n) => `${chainRoot}/balances?addresses=${owners.filter((_, i) => (n >> i) % 2 === 0 || i === n % owners.length).join(',')}`,
              (n) => `${chainRoot}/utxos?pageSize=${1 + (n % 100)}&addresses=${owners.join(',')}`,
              (n) => `${chainRoot}/transactions/${txs[n % txs.length]}`,
              (n) => `/v2/chains/X/metrics/txCount?timeInterval=day&pageSize=${1 + (n % 100)}`,
            ];
      let turn = 0;
      return () => {
        const n = turn++;
        return (paths[n % paths.length] as (n: number) => string)(Math.floor(n / paths.length));
      };
    }

    /** Asks the servers for both kinds without end, and checks that no height goes back. */
    function watchAnswers(programs: readonly Program[]) {
      const asked: Asked[] = [];
      const wrong: string[] = [];
      let isStopped = false;
      const ask = async ({ client }: Program, kind: Kind): Promise<void> => {
        const next = requestsOf(kind);
        let seen = 0;
        while (!isStopped) {
          const path = next();
          const began = performance.now();
          const response = await sendRequest(client, { path }).catch((error: unknown) => `${error}`);
          if (typeof response === 'string') {
            wrong.push(`${path}: ${response}`);
            continue;
          }
          asked.push({ kind, path, status: response.status, began, took: performance.now() - began });
          seen = checkHeight(path, response, seen, wrong);
          await Bun.sleep(pause);
        }
      };
      const running = programs.flatMap((program) => [ask(program, 'newest'), ask(program, 'settled')]);
      return {
        asked,
        wrong,
        stop: async () => {
          isStopped = true;
          await Promise.all(running);
        },
      };
    }

    /** Waits until the servers report what the row says; a server that does not notice it has nothing to report. */
    async function expectReported({ health: expected, ready, noticedBy }: Failure, programs: readonly Program[]): Promise<void> {
      for (const program of programs) {
        const isNoticed = noticedBy === 'all' || (noticedBy === 'pooled' && program === deployment.apis[0]);
        await eventually(
          () => health(program.client),
          ({ status, json }) =>
            isNoticed
              ? status === expected.status && expected.says?.test(json.details[expected.component ?? '']?.message ?? '') === true
              : isWell(status, json),
          patience,
        );
        expect((await sendRequest(program.client, { path: '/ready' })).status).toBe(ready);
      }
    }

    for (const row of failures)
      test(`${row.away}: ${row.newest}`, async () => {
        const [first, second] = deployment.apis;
        const programs = row.isServer ? [second] : [first, second];
        const watch = watchAnswers(programs);
        const broken = performance.now();
        await row.break(parts);
        const late = row.isServer ? sendRequest(first.client, { path: `${chainRoot}/blocks?pageSize=1` }) : undefined;
        await expectReported(row, programs);
        recordTime(`${row.away}: until health says so`, broken, 15_000);
        await Bun.sleep(500);
        const mended = performance.now();
        await row.mend(parts);
        expect((await late)?.status ?? 200).toBe(200);
        await issuer.issue(2);
        await waitUntilServed();
        for (const { client } of deployment.apis)
          await eventually(
            () => health(client),
            ({ status, json }) => (row === failures.at(-1) ? status === 200 : isWell(status, json)),
            patience,
          );
        recordTime(`${row.away}: until all is well`, mended, backLimit);
        await watch.stop();
        expect(watch.wrong).toEqual([]);
        for (const kind of ['newest', 'settled'] as const)
          expectOutcome(
            row[kind],
            watch.asked.filter((one) => one.kind === kind),
          );
        const longest = Math.max(...watch.asked.map(({ took }) => took));
        recordFigure({ name: `${row.away}: longest answer`, unit: 'ms', value: longest, limit: row.longest * 1000 });
        if (process.env.SERAC_TEST_FIGURES !== undefined) console.log(describeAsked(row, watch.asked, { broken, mended }));
      });
  },
);

/** Whether a health check has nothing to report. */
const isWell = (status: number, { details }: Json): boolean =>
  status === 200 && Object.values(details as Record<string, { readonly message?: string }>).every(({ message }) => message === undefined);

/** Returns the height that a caller has seen after an answer. */
function checkHeight(path: string, { status, headers }: DataResponse, seen: number, wrong: string[]): number {
  if (status !== 200) return seen;
  const height = Number(headers['x-serac-height']);
  if (!(height >= seen)) wrong.push(`${path}: height ${height} after ${seen}`);
  return Math.max(seen, height);
}

function expectOutcome(outcome: Outcome, asked: readonly Asked[]): void {
  const others = asked.filter(({ status }) => status !== 200);
  expect(asked.length).toBeGreaterThan(others.length);
  if (outcome === 'answered') {
    // On a busy machine a statement may now and then take longer than its timeout, whatever is away.
    const late = others.filter(({ status, took }) => status === 503 && took > statementTimeout);
    expect(others.filter((one) => !late.includes(one))).toEqual([]);
    expect(late.length).toBeLessThanOrEqual(1 + asked.length / 100);
  } else expect(new Set(others.map(({ status }) => status))).toEqual(new Set([503]));
}

/** How many answers, how many were refused, and the longest ones. */
function describeAsked({ away }: Failure, asked: readonly Asked[], { broken, mended }: { broken: number; mended: number }): string {
  const parts = (['newest', 'settled'] as const).map((kind) => {
    const all = asked.filter((one) => one.kind === kind);
    const refused = all.filter(({ status }) => status !== 200);
    const longest = all.toSorted((a, b) => b.took - a.took).slice(0, 3);
    return `${kind}: ${refused.length} of ${all.length} refused${refused.length > 0 ? ` (${refused[0]?.path} ${Math.round((refused[0]?.began ?? 0) - broken)} to ${Math.round((refused.at(-1)?.began ?? 0) - broken)} ms)` : ''}, longest ${longest.map(({ took, path }) => `${took.toFixed(0)} ms ${path.slice(-40)}`).join(', ')}`;
  });
  return `${away}: mended after ${Math.round(mended - broken)} ms\n  ${parts.join('\n  ')}`;
}
