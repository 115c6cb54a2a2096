import { route } from '../contract/route.ts';
import {
  bodyAddresses,
  choices,
  flagOrFalse,
  maxQueryAddresses,
  pageSize,
  pageToken,
  sortOrder,
  startTimestamp,
} from '../contract/route-params.ts';
import { addresses, anything, list, number, object, optional, text } from '../contract/schema.ts';
import { rawJson } from '../rpc/write-json.ts';
import { createApi } from './dispatch.ts';
import { type ApiOptions, createSender, testApiOptions } from './requests.fixture.ts';
import { type ApiRoute, bindRoutes, implementRoutes } from './route.ts';

/** What the test routes need. */
export type Deps = { readonly items: readonly number[]; readonly fail?: () => never };

/** An address of the local network. */
export const bech = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
const common = { tag: 'Test', summary: 'Test', response: anything(), cachePolicy: 'never' } as const;

const rows = {
  listItems: route({
    ...common,
    method: 'GET',
    path: '/v1/things/{kind}/items',
    params: { kind: text(), pageSize: pageSize(3, 10), pageToken, sortOrder: sortOrder(), start: startTimestamp },
    response: object('Items', { items: list(number()), nextPageToken: optional(text()) }),
  }),
  getItem: route({
    ...common,
    method: 'GET',
    path: '/v1/things/{kind}/{item}',
    params: { kind: text(), item: text(), flag: flagOrFalse('f'), only: choices(['a', 'b']) },
  }),
  countThings: route({
    ...common,
    method: 'GET',
    path: '/v1/things:count',
    params: { of: optional(text()) },
  }),
  postItems: route({
    ...common,
    method: 'POST',
    path: '/v1/things/{kind}/items',
    params: { kind: text(), addresses: bodyAddresses, flag: flagOrFalse('f') },
  }),
  owners: route({
    ...common,
    method: 'GET',
    path: '/v1/owners',
    params: { addresses: addresses(maxQueryAddresses) },
  }),
  raw: route({
    ...common,
    method: 'GET',
    path: '/v1/raw/{how}',
    params: { how: text() },
  }),
  fail: route({
    ...common,
    method: 'GET',
    path: '/v1/fail',
    isPublic: true,
    headers: { 'cache-control': 'no-store' },
    params: {},
  }),
};

export const routes: readonly ApiRoute<Deps>[] = implementRoutes<Deps>()(rows, {
  listItems: async ({ items }, { pageSize: size }, { paging }) => {
    const from = paging.cursor === undefined ? 0 : paging.cursor.after + 1;
    const page = items.slice(from, from + size);
    const last = from + page.length - 1;
    return { items: page, nextPageToken: last + 1 < items.length ? paging.nextPageToken({ height: 9, after: last }) : undefined };
  },
  getItem: async (_, values, { origin }) => ({ ...values, origin, big: 18446744073709551615n, none: undefined }),
  countThings: async ({ items }) => ({ count: items.length }),
  postItems: async (_, { addresses: { owners: given } }) => ({ given }),
  owners: async (_, { addresses: { owners: given } }) => ({ given }),
  raw: async (_, { how }) =>
    how === 'inside' ? { it: rawJson('1') } : rawJson(how === 'text' ? '{"ä":1}' : Buffer.from('[1,2]').subarray(0, 5)),
  fail: async ({ fail }) => fail?.(),
});

/** Creates an API of the test routes. */
export function start(deps: Partial<Deps> = {}, options: Partial<ApiOptions> = {}) {
  const reported: unknown[] = [];
  const observed: unknown[] = [];
  const handler = createApi({
    ...testApiOptions,
    routes: bindRoutes('data', routes, { items: [1, 2, 3, 4, 5, 6, 7], ...deps }),
    caller: () => '192.0.2.1',
    onUnexpectedError: (error) => reported.push(error),
    observer: { now: () => 0, onResponse: (route, status) => observed.push([route?.route.id, status]) },
    ...options,
  });
  return { handler, send: createSender(handler), reported, observed };
}
