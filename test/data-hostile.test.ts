import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { metricNames } from '../src/api/contract/metrics.ts';
import { findJsonMismatches } from '../src/api/contract/schema-mismatches.fixture.ts';
import type { OpenApiDocument } from '../src/api/rest/openapi.ts';
import { findErrorProblem } from '../src/api/rest/requests.fixture.ts';
import { idText } from '../src/base/bytes/id.ts';
import { createKey, unlimited, writePlans } from './api-keys.ts';
import { chainRoot, fetchPages, itemsOf, plainAddress, sendRequest } from './data-requests.ts';
import { generateHostileRequests, type HostileRequest, type KnownValues, responseSchemas } from './hostile-requests.ts';
import type { Client, ClientResponse } from './http.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { eventually } from './processes.ts';
import { type Program, startIndexer, startProgram } from './program.ts';
import { hostileRounds, hostileTimeout, isLong } from './random.ts';
import { hasServers, openServers, suiteName } from './servers.ts';

/** For any request the Data and Metrics APIs respond as their OpenAPI document says, or with an error of the common shape. */

const seed = Number(process.env.SERAC_SEED ?? 8);
const concurrency = 32;

/** Random bodies are not webhooks, so there is none; test/webhooks.test.ts creates and changes them. */
const ofOneWebhook = [
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'deactivateWebhook',
  'rotateWebhookSecret',
  'listWebhookAttempts',
  'repeatWebhookAttempt',
  'addAddressesToWebhook',
  'removeAddressesFromWebhook',
  'getAddressesFromWebhook',
];

let folder: string;
let plans: ReturnType<typeof writePlans>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-hostile-'));
  plans = writePlans({
    data: { anonymous: unlimited, free: unlimited, tiny: { perMinute: 3, perDay: 3 } },
    metrics: { anonymous: unlimited },
  });
});
afterAll(() => {
  plans.remove();
  rmSync(folder, { recursive: true, force: true });
});

test(
  'hostile requests to a node',
  async () => {
    const place = `--data-dir=${join(folder, 'node')}`;
    const node = await startProgram(place, '--workers=1', '--rate-limits=on', plans.flag);
    try {
      const issuer = await buildChain(node);
      // No transaction of this chain was dropped, so there are no checks to show; it has no vertices.
      await sendHostileRequests(
        node,
        await collectKnownValues(node.client, issuer, place),
        Math.max(isLong ? 15_000 : 5_000, hostileRounds(0.15)),
        ['getVertexByHash', 'getTransactionChecks', ...ofOneWebhook],
      );
    } finally {
      await node.stop();
    }
  },
  hostileTimeout,
);

test.skipIf(!hasServers)(
  suiteName('hostile requests to serac api', hasServers),
  async () => {
    const { database, cache, close } = await openServers('serac_hostile');
    const place = `--database-url=${database}`;
    const node = await startProgram();
    const indexer = startIndexer(node.url, place);
    const api = await startProgram('api', place, `--cache-url=${cache}`, '--rate-limits=on', plans.flag);
    try {
      const issuer = await buildChain(node);
      const last = issuer.model.accepted.at(-1);
      await eventually(
        async () => (await sendRequest(api.client, { path: `${chainRoot}/transactions/${last && idText(last.id)}` })).status,
        (status) => status === 200,
      );
      await sendHostileRequests(api, await collectKnownValues(api.client, issuer, place), Math.max(5000, hostileRounds(0.05)), [
        'listPrimaryNetworkBlocksByNodeId',
        'getVertexByHash',
        ...ofOneWebhook,
      ]);
    } finally {
      await Promise.all([api.stop(), indexer.stop(), node.stop()]);
      await close();
    }
  },
  hostileTimeout,
);

async function buildChain(node: Program): Promise<Issuer> {
  const issuer = createIssuer({ seed, client: node.client });
  await issuer.fund();
  for (let i = 0; i < 4; i++) {
    await issuer.deposit();
    await issuer.issue(8);
  }
  return issuer;
}

/** Ids, addresses and page tokens of a chain, and API keys: unlimited, with a tiny plan, for one route only, and unknown. */
async function collectKnownValues(client: Client, { model, wallet }: Issuer, place: string): Promise<KnownValues> {
  const owners = wallet.keys.map(plainAddress);
  const lists = ['blocks?', 'transactions?', `transactions?addresses=${owners[0]}&`, `utxos?addresses=${owners.join()}&`];
  const pages = await Promise.all(lists.map((list) => fetchPages([client], { path: `${chainRoot}/${list}pageSize=10` })));
  const blocks = itemsOf(pages[0] as never);
  const keys = await Promise.all([[], ['--plan=tiny'], ['--routes=getBlockById']].map((flags) => createKey(place, plans.flag, ...flags)));
  const assetId = [...model.assets.keys()].map(idText);
  const txHash = model.accepted.map(({ id }) => idText(id));
  const blockId = blocks.flatMap(({ blockHash, blockNumber }) => [blockHash as string, blockNumber as string]);
  const addresses = [...owners, ...owners.map((address) => `X-${address}`), owners.join()];
  const good = {
    ...{ network: ['local', '12345'], blockchainId: ['x-chain', 'X'], chainId: ['X', 'x-chain'], addresses, assetId, txHash, blockId },
    ...{
      nodeId: ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'],
      utxoId: txHash.map((txID) => `${txID}:0`),
      metric: metricNames,
      vertexHeight: ['0', '7'],
      pageSize: ['1', '10', '100'],
    },
  };
  return {
    valid: good,
    values: [...new Set([...Object.values(good).flat(), 'p-chain', 'fuji', 'AVAX'])],
    tokens: pages.flat().flatMap(({ nextPageToken }) => nextPageToken ?? []),
    keys: [...keys.map(({ text }) => text), `serac_${'a'.repeat(43)}`],
  };
}

/** `never`: operations that never give a 200 on this server. */
async function sendHostileRequests(program: Program, known: KnownValues, rounds: number, never: readonly string[] = []): Promise<void> {
  const document = (await sendRequest(program.client, { path: '/api-json' })).json as OpenApiDocument;
  const schemas = responseSchemas(document);
  const statuses = new Map<number, number>();
  const reached = new Set<string>();

  const flawOf = async (request: HostileRequest): Promise<string | undefined> => {
    const response = await program.client.send(request.method, request.path, request.headers, request.body);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    if (response.status === 200 && request.operation !== undefined) reached.add(request.operation);
    const flaw = findFlaw(response, request, schemas);
    return flaw && `${request.method} ${request.path} ${JSON.stringify(request.headers)} ${request.body?.slice(0, 500) ?? ''}\n${flaw}`;
  };
  const property = fc.asyncProperty(
    fc.array(generateHostileRequests(document, known), { minLength: 1, maxLength: concurrency }),
    async (requests) => {
      const flaws = (await Promise.all(requests.map(flawOf))).filter((flaw) => flaw !== undefined);
      if (flaws.length > 0) throw new Error(flaws.join('\n'));
    },
  );
  await fc.assert(property, { seed, numRuns: Math.ceil((2 * rounds) / concurrency) });

  // The test is effective: every operation that can gave a 200, and every error status occurred.
  for (const status of [200, 400, 401, 403, 404, 429]) expect([status, (statuses.get(status) ?? 0) > 0]).toEqual([status, true]);
  const { paths } = document;
  const answering = Object.values(paths).flatMap((methods) =>
    Object.values(methods).filter(
      ({ operationId, tags, summary }) => schemas.has(operationId) && !/not served|Always 404/i.test(tags.join() + summary),
    ),
  );
  expect(answering.map(({ operationId }) => operationId).filter((id) => !reached.has(id))).toEqual([...never]);
  expect((await sendRequest(program.client, { path: '/v1/health-check' })).json.status).toBe('ok');
  expect(program.stderrText()).not.toMatch(/(Type|Range|Reference|Syntax)Error/);
}

/** Returns what is wrong with a response; undefined if it is correct. */
function findFlaw(
  { status, headers, text }: ClientResponse,
  request: HostileRequest,
  schemas: ReturnType<typeof responseSchemas>,
): string | undefined {
  // Request heads are limited to 16 KB; the platform rejects longer ones itself, with an empty body.
  if (status === 431 && headLength(request) > 15_000) return undefined;
  // Routes of the node, unlike those of the Data API, name the allowed method.
  if (status === 405 && request.path.startsWith('/ext/') && headers.allow === 'GET') return undefined;
  if (![200, 400, 401, 403, 404, 413, 429].includes(status)) return `status ${status}: ${text.slice(0, 300)}`;
  if (/\bat .*:\d+:\d+|\/src\/|node_modules/.test(text)) return `shows a stack trace: ${text.slice(0, 300)}`;
  const json = tryParse(text);
  if (json === undefined) return `not JSON: ${text.slice(0, 300)}`;
  const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  if (status !== 200) {
    const flaw = findErrorProblem({ status, headers: plain, json, text });
    return flaw && `${flaw}: ${text.slice(0, 300)}`;
  }
  const schema = request.operation === undefined ? undefined : schemas.get(request.operation);
  const misfits = schema === undefined ? [] : findJsonMismatches(schema, json, { strict: true });
  return misfits.length === 0 ? undefined : misfits.slice(0, 3).join('; ');
}

const headLength = ({ path, headers }: HostileRequest): number =>
  path.length + Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
