import { expect, test } from 'bun:test';
import type { AnyFault } from '../../base/fault.ts';
import { loadWebhooks } from './load-webhooks.ts';
import type { PageContext } from './page-context.ts';
import type { Source } from './source.ts';
import { createTestSource } from './test-source.fixture.ts';

const contextWith = (devToken: boolean) => ({ has: { devToken } }) as PageContext;

/** Webhooks with these names on pages of one each, of which all but `gone` have attempts. */
function load(names: readonly string[], opened: string | null) {
  const { source } = createTestSource((path) => {
    const [, id] = /^\/v1\/webhooks\/(\w+)\/attempts$/.exec(path) ?? [];
    if (id !== undefined) return id === 'gone' ? undefined : { attempts: [`of ${id}`] };
    const page = Number(/&pageToken=(\d+)$/.exec(path)?.[1] ?? 0);
    expect(path.startsWith('/v1/webhooks?pageSize=100')).toBe(true);
    return {
      webhooks: names.slice(page, page + 1).map((one) => ({ id: one })),
      nextPageToken: page + 1 < names.length ? `${page + 1}` : undefined,
    };
  });
  return loadWebhooks(source, contextWith(false), opened);
}

test('all webhooks are listed, of whatever pages; the one that is named is opened, or the only one', async () => {
  const { webhooks, opened } = await load(['a', 'b', 'c'], 'b');
  expect(webhooks.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(opened).toEqual({ id: 'b', attempts: ['of b'] } as never);
  expect((await load(['a', 'b'], null)).opened).toBeUndefined();
  expect((await load(['a'], null)).opened?.id).toBe('a');
  expect((await load(['a'], 'z')).opened).toBeUndefined();
  expect((await load(['gone'], null)).opened).toBeUndefined();
  expect(await load([], null)).toEqual({ webhooks: [], opened: undefined });
});

test('a server that takes a token asks for it when it refuses; other refusals are of the route', async () => {
  const refuse = (status: number) => ({ get: async () => ({ status, body: { message: 'no' } }) }) as Partial<Source> as Source;
  const refused = (status: number, devToken: boolean) =>
    loadWebhooks(refuse(status), contextWith(devToken), null).catch(({ fault }: AnyFault) => fault);
  expect(await refused(403, true)).toMatchObject({ status: 403, path: '/ext/dev' });
  expect(await refused(403, false)).toMatchObject({ status: 403, path: '/v1/webhooks?pageSize=100' });
  expect(await refused(500, true)).toMatchObject({ status: 500, path: '/v1/webhooks?pageSize=100' });
});
