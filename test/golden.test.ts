import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Differences } from '../src/api/differences.ts';
import { errorAdvice } from '../src/app/advice/error-advice.ts';
import { canonicalJson } from './exact-json.ts';
import { type Program, startProgram } from './program.ts';
import { loadExact, type ReplayResult, replayCases, replaySteps } from './replay.ts';

/** Replays all requests captured from AvalancheGo 1.14.2 against a started node and compares the responses. */

const scenario = ((await loadExact('scenario.json')) as { steps: never[] }).steps;
const setup = ((await loadExact('errors-setup.json')) as { steps: never[] }).steps;
const errors = (await loadExact('errors.json')) as never[];
const counterparts = (await loadExact('counterparts.json')) as never[];
const { afterHealthy } = (await loadExact('info-health.json')) as { afterHealthy: never[] };

/** Requests that the platform handles before our code: `Bun.serve` resolves dots in paths. See docs/understand/differences.md. */
const platformEdges = new Set(['POST /ext/../ext/bc/X', 'POST /ext/bc/./X']);

const differenceTexts = ({ differences: found }: ReplayResult) =>
  found.filter(({ name }) => !platformEdges.has(name)).map(({ name, what }) => `${name}: ${what.slice(0, 600)}`);

describe('--strict answers exactly as AvalancheGo', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram('--strict');
  });
  afterAll(() => node.stop());

  test('info and health, headers included', async () => {
    const replayed = await replayCases(node.client, afterHealthy);
    expect(differenceTexts(replayed)).toEqual([]);
    expect(replayed.ran).toBe(afterHealthy.length);
  });

  test("the P-Chain and C-Chain methods that AvalancheGo's wallet calls", async () => {
    const replayed = await replayCases(node.client, counterparts);
    expect(differenceTexts(replayed)).toEqual([]);
    expect(replayed.ran).toBe(20);
  });

  test('a genesis transaction has no list of credentials, as on the first run of AvalancheGo; the port for peers is its default', async () => {
    const params = { txID: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe', encoding: 'json' };
    expect(await node.client.call('/ext/bc/X', 'avm.getTx', params)).toMatchObject({ result: { tx: { credentials: null } } });
    expect(await node.client.call('/ext/info', 'info.getNodeIP')).toMatchObject({ result: { ip: '127.0.0.1:9651' } });
  });

  test('the whole scenario', async () => {
    const replayed = await replaySteps(node.client, scenario);
    expect(differenceTexts(replayed)).toEqual([]);
    expect(replayed.ran).toBe(485);
  });
});

describe('--strict rejects requests exactly as AvalancheGo', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram('--strict');
  });
  afterAll(() => node.stop());

  test('594 requests: status, headers and text', async () => {
    expect(differenceTexts(await replaySteps(node.client, setup))).toEqual([]);
    const replayed = await replayCases(node.client, errors);
    expect(differenceTexts(replayed)).toEqual([]);
    expect(replayed.ran).toBe(593);
  });
});

describe('by default responses differ only as listed in src/api/differences.ts', () => {
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
    expect([...new Set(replayed.map(explainedBy))].sort()).toEqual([
      'errorData',
      'extraChecks',
      'genesisLists',
      'nodeVersion',
      'pageCursors',
      'txStatus',
    ]);
  });
});

describe('by default error responses differ only as listed in src/api/differences.ts', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram();
  });
  afterAll(() => node.stop());

  test('in 594 requests', async () => {
    expect(differenceTexts(await replaySteps(node.client, setup))).toEqual([]);
    const { differences } = await replayCases(node.client, errors);
    const rows = differences.filter(({ name }) => !platformEdges.has(name)).map(explainedBy);
    expect([...new Set(rows)].sort()).toEqual([
      'addressLength',
      'batches',
      'errorData',
      'explorer',
      'indexRoutes',
      'missingContentType',
      'txStatus',
    ]);
  });
});

/** The entry of `differences.ts` that explains a difference. An unexplained difference is returned as text, which fails the test. */
function explainedBy({ name, what }: { name: string; what: string }): keyof Differences | string {
  if (areEqualWithout(what, removeErrorData)) return 'errorData';
  if (areEqualWithout(what, removeExtraChecks)) return 'extraChecks';
  const known: [RegExp, keyof Differences][] = [
    [/^batch of /, 'batches'],
    [/^content-type ""$/, 'missingContentType'],
    [/address 19 bytes$/, 'addressLength'],
    [/^GET \/$/, 'indexRoutes'],
    [/^GET \/nope$/, 'explorer'],
    [/^getNodeVersion/, 'nodeVersion'],
    [/^470 getTxStatus$|^getTxStatus of a rejected tx$/, 'txStatus'],
    [/^\d+ getBlock(ByHeight 0|.*genesis).* json$/, 'genesisLists'],
    [/from P .*page \d limit \d$/, 'pageCursors'],
  ];
  return known.find(([pattern]) => pattern.test(name))?.[1] ?? `${name}: ${what}`;
}

// biome-ignore lint/suspicious/noExplicitAny: responses have the shape of the called method
type Responses = { readonly want: any; readonly got: any };

/** Whether the responses are equal after `remove` has removed from `got` what only Serac has; it returns false if there is no such thing. */
function areEqualWithout(what: string, remove: (responses: Responses) => boolean): boolean {
  const found = /^expected (.*)\n +got (.*)$/s.exec(what);
  if (found === null) return false;
  const [want, got] = [JSON.parse(found[1] as string), JSON.parse(found[2] as string)];
  return remove({ want, got }) && canonicalJson(want) === canonicalJson(got);
}

/** The checks of connections and webhooks, which AvalancheGo does not have. */
const removeExtraChecks = ({ got }: Responses): boolean => {
  const checks = (got?.result ?? got)?.checks;
  return (
    [checks?.webhooks, checks?.connections].every((one) => one?.message !== undefined) &&
    delete checks.webhooks &&
    delete checks.connections
  );
};

/** The error's `data`, which is null in AvalancheGo. Every error code that callers can get is described in docs/reference/errors.md. */
const removeErrorData = ({ want, got }: Responses): boolean => {
  if (want?.error?.data !== null || !errorAdvice.has(got?.error?.data?.code)) return false;
  got.error.data = null;
  return true;
};
