import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { type CachePolicy, type RouteRow, route } from '../contract/route.ts';
import { pageSize, pageToken } from '../contract/route-params.ts';
import { anything } from '../contract/schema.ts';
import { notFound } from './api-error.ts';
import { createApi } from './dispatch.ts';
import type { ReadConsistency } from './read-consistency.ts';
import { createSender, testApiOptions } from './requests.fixture.ts';
import { type ApiRoute, bindRoutes, implementRoutes } from './route.ts';

/** What is answered while no host of the database has all that was served. */

const behind = () => new Fault('behind', { code: 'DATABASE_BEHIND' });

/** A host with blocks up to a height; one that has less than was served refuses reads, except of the settled part. */
type Host = { height: number; refuses: boolean; spent: readonly (string | undefined)[] };

const rowOf = (name: string, cachePolicy: CachePolicy, more: Partial<RouteRow> = {}) =>
  route({
    method: 'GET',
    path: `/v1/${name}`,
    tag: 'Test',
    summary: 'Test',
    params: { pageSize: pageSize(2, 5), pageToken },
    response: anything(),
    cachePolicy,
    ...more,
  });

const rows = {
  final: rowOf('final', 'final'),
  list: rowOf('list', 'pinned-page'),
  latest: rowOf('latest', 'block'),
  tx: rowOf('tx', 'block', { settledWhenSpent: 'emittedUtxos' }),
};

const read = (host: Host): number => {
  if (host.refuses) throw behind();
  return host.height;
};

const routes: readonly ApiRoute<Host>[] = implementRoutes<Host>()(rows, {
  final: async (host) => {
    if (read(host) < 5) throw notFound('No such block');
    return { block: 5 };
  },
  list: async (host, _, { paging: { cursor, nextPageToken } }) => {
    const height = cursor?.height ?? read(host);
    read(host);
    return { height, nextPageToken: nextPageToken({ height, after: 1 }) };
  },
  latest: async (host) => ({ height: read(host) }),
  tx: async (host) => {
    read(host);
    return { emittedUtxos: host.spent.map((consumingTxHash) => ({ consumingTxHash })) };
  },
});

function start() {
  const served: Host = { height: 9, refuses: false, spent: ['a'] };
  const settled: Host = { ...served, refuses: false };
  const consistency: ReadConsistency = {
    atLeast: async (height) => {
      if (served.refuses || served.height < height) throw behind();
    },
    settledAt: async (height) => {
      if (settled.height < height) throw behind();
    },
    changes: () => 0,
    height: () => 9,
  };
  const send = createSender(createApi({ ...testApiOptions, routes: bindRoutes('data', routes, served, settled), consistency }));
  /** Commits after this height are lost. */
  const lose = (height: number): void => {
    served.refuses = true;
    settled.height = height;
  };
  return { send, lose, settled, status: async (path: string, headers = {}) => (await send(path, { headers })).status };
}

test('what no later block changes is answered as before, whatever height the caller has seen; everything else is refused', async () => {
  const { send, lose, status } = start();
  const first = await send('/v1/list');
  const next = `/v1/list?pageToken=${first.json.nextPageToken}`;
  const paths = ['/v1/final', next];
  const before = await Promise.all(paths.map(async (path) => (await send(path)).json));
  lose(9);
  const after = await Promise.all(paths.map(async (path) => (await send(path, { headers: { 'x-serac-min-height': '9' } })).json));
  expect(after).toEqual(before);
  expect(await Promise.all(['/v1/list', '/v1/latest'].map((path) => status(path)))).toEqual([503, 503]);
});

test('what may be in a lost block is refused, not missing: a block, and a page as of a lost height', async () => {
  const { send, lose, status } = start();
  const { json } = await send('/v1/list');
  lose(4);
  expect((await send('/v1/final')).json.message).toContain('does not have yet what was served before');
  expect(await status(`/v1/list?pageToken=${json.nextPageToken}`)).toBe(503);
  lose(5);
  expect(await status('/v1/final')).toBe(200);
});

test('a transaction is answered once all its outputs are spent: before that a lost block may have spent one', async () => {
  const { lose, settled, status } = start();
  lose(5);
  expect(await status('/v1/tx')).toBe(200);
  settled.spent = ['a', undefined];
  expect(await status('/v1/tx')).toBe(503);
});
