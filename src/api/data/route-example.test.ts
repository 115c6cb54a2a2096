import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findMismatches } from '../contract/schema-mismatches.fixture.ts';
import { paramContextFor } from '../rest/chain-name.ts';
import { createApi } from '../rest/dispatch.ts';
import { buildOpenApi } from '../rest/openapi.ts';
import { createSender, testApiOptions } from '../rest/requests.fixture.ts';
import { type ApiRoute, bindRoutes } from '../rest/route.ts';
import { xChainPath } from './data-requests.fixture.ts';
import { createDataDeps, type DataDeps } from './deps.ts';
import { dataRoutes } from './routes.ts';
import { sampleServed } from './sample-chain.fixture.ts';

/** Takes the file of "Add a Data route in four steps" from CONTRIBUTING.md, with its imports resolved as if it were here, and serves it. */
const folder = mkdtempSync(join(tmpdir(), 'serac-route-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function loadExample(): Promise<ApiRoute<DataDeps>[]> {
  const guide = readFileSync(new URL('../../../CONTRIBUTING.md', import.meta.url), 'utf8');
  const [, code = ''] = /## Add a Data route in four steps[\s\S]*?```ts\n([\s\S]*?)```/.exec(guide) ?? [];
  const file = join(folder, 'example-routes.ts');
  writeFileSync(
    file,
    code.replaceAll(/from '(\.[^']*)'/g, (_all, path: string) => `from '${resolve(import.meta.dir, path)}'`),
  );
  return Object.values(await import(file)).flat() as ApiRoute<DataDeps>[];
}

test('the route of the guide for contributors is answered and documented like every other', async () => {
  const [example, another] = await loadExample();
  if (example === undefined) throw new RangeError('CONTRIBUTING.md has no example of a route');
  expect(another).toBeUndefined();
  const served = sampleServed();
  const epoch = () => 0;
  const routes = bindRoutes('data', [...dataRoutes(), example], createDataDeps(served, { recover: undefined, epoch }));
  const ask = createSender(createApi({ ...testApiOptions, routes, context: paramContextFor(served), now: served.now }));
  const { status, json } = await ask(`${xChainPath}/tip`);
  const newest = await ask(`${xChainPath}/blocks?pageSize=1`);
  expect([status, findMismatches(example.response, json, { strict: true })]).toEqual([200, []]);
  expect(json.blockNumber).toBe(newest.json.blocks[0].blockNumber);
  const document = buildOpenApi(routes, {
    title: 'Data',
    version: '1',
    description: '',
    requireKey: false,
    origin: 'http://here',
    examples: {},
  });
  expect(document.paths[example.path]?.get?.operationId).toBe(example.id);
});
