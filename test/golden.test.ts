import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Differences } from '../src/differences.ts';
import { callerCodes } from '../tools/errors-page.ts';
import { canonical } from './exact-json.ts';
import { type Program, startProgram } from './program.ts';
import { loadExact, type Replayed, replayCases, replaySteps } from './replay.ts';

/** Everything captured from AvalancheGo 1.14.2, replayed against the started program. */

const scenario = ((await loadExact('scenario.json')) as { steps: never[] }).steps;
const setup = ((await loadExact('errors-setup.json')) as { steps: never[] }).steps;
const errors = (await loadExact('errors.json')) as never[];
const counterparts = (await loadExact('counterparts.json')) as never[];
const { afterHealthy } = (await loadExact('info-health.json')) as { afterHealthy: never[] };

/** What the platform decides before any handler of ours: `Bun.serve` resolves dots in paths. See docs/differences.md. */
const platformEdges = new Set(['POST /ext/../ext/bc/X', 'POST /ext/bc/./X']);

const shown = ({ differences: found }: Replayed) =>
  found.filter(({ name }) => !platformEdges.has(name)).map(({ name, what }) => `${name}: ${what.slice(0, 600)}`);

describe('--strict answers exactly as AvalancheGo', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram('--strict');
  });
  afterAll(() => node.stop());

  test('info and health, headers included', async () => {
    const replayed = await replayCases(node.client, afterHealthy);
    expect(shown(replayed)).toEqual([]);
    expect(replayed.ran).toBe(afterHealthy.length);
  });

  test('what its own wallet asks of the P- and C-Chain', async () => {
    const replayed = await replayCases(node.client, counterparts);
    expect(shown(replayed)).toEqual([]);
    expect(replayed.ran).toBe(20);
  });

  test('the whole scenario', async () => {
    const replayed = await replaySteps(node.client, scenario);
    expect(shown(replayed)).toEqual([]);
    expect(replayed.ran).toBe(485);
  }, 60_000);
});

describe('--strict refuses exactly as AvalancheGo', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram('--strict');
  });
  afterAll(() => node.stop());

  test('594 requests, status, headers and text', async () => {
    expect(shown(await replaySteps(node.client, setup))).toEqual([]);
    const replayed = await replayCases(node.client, errors);
    expect(shown(replayed)).toEqual([]);
    expect(replayed.ran).toBe(593);
  }, 60_000);
});

describe('by default only the rows of the table of differences differ', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram();
  });
  afterAll(() => node.stop());

  test('in the scenario, in info and health', async () => {
    const replayed = [
      ...(await replayCases(node.client, afterHealthy)).differences,
      ...(await replaySteps(node.client, scenario)).differences,
    ];
    expect([...new Set(replayed.map(rowOf))].sort()).toEqual(['errorData', 'genesisBlockTxs', 'nodeVersion', 'pageCursors', 'txStatus']);
  }, 60_000);
});

describe('by default only the rows of the table differ among the refusals', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram();
  });
  afterAll(() => node.stop());

  test('in 594 requests', async () => {
    expect(shown(await replaySteps(node.client, setup))).toEqual([]);
    const { differences } = await replayCases(node.client, errors);
    const rows = differences.filter(({ name }) => !platformEdges.has(name)).map(rowOf);
    expect([...new Set(rows)].sort()).toEqual(['addressLength', 'batches', 'errorData', 'missingContentType']);
  }, 60_000);
});

/** Which row of the table explains a difference; what none explains comes back whole and fails the test. */
function rowOf({ name, what }: { name: string; what: string }): keyof Differences | string {
  if (isOnlyErrorData(what)) return 'errorData';
  const known: [RegExp, keyof Differences][] = [
    [/^batch of /, 'batches'],
    [/^content-type ""$/, 'missingContentType'],
    [/address 19 bytes$/, 'addressLength'],
    [/^getNodeVersion/, 'nodeVersion'],
    [/^470 getTxStatus$/, 'txStatus'],
    [/^\d+ getBlock(ByHeight 0|.*genesis).* json$/, 'genesisBlockTxs'],
    [/from P .*page \d limit \d$/, 'pageCursors'],
  ];
  return known.find(([pattern]) => pattern.test(name))?.[1] ?? `${name}: ${what}`;
}

/** The same answer, but for `data` of an error where AvalancheGo has null. */
function isOnlyErrorData(what: string): boolean {
  const found = /^expected (.*)\n +got (.*)$/s.exec(what);
  if (found === null) return false;
  const [want, got] = [JSON.parse(found[1] as string), JSON.parse(found[2] as string)];
  // Every code a caller meets has its meaning and its remedy in docs/errors.md.
  if (want?.error?.data !== null || !callerCodes.has(got?.error?.data?.code)) return false;
  got.error.data = null;
  return canonical(want) === canonical(got);
}
