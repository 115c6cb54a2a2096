import { list, object, text } from '../contract/schema.ts';
import { addresses, bodyAddresses, createParamContext } from './addresses.ts';
import { type ApiOptions, bindRoutes, createApi } from './dispatch.ts';
import { bool, choices, pageSize, pageToken, pathText, queryText, sortOrder, startTimestamp } from './params.ts';
import { renderedJson } from './rendered-json.ts';
import { allowAllGate, createSender } from './requests.fixture.ts';
import { type ApiRoute, routeDefiner } from './route.ts';

/** What the test routes need. */
export type Deps = { readonly items: readonly number[]; readonly fail?: () => never };

/** An address of the local network. */
export const bech = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
const defineRoute = routeDefiner<Deps>();
const common = { tag: 'Test', summary: 'Test', response: object('Any', {}), cachePolicy: 'never' } as const;

export const routes: readonly ApiRoute<Deps>[] = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/things/{kind}/items',
    id: 'listItems',
    params: { kind: pathText(), pageSize: pageSize(3, 10), pageToken, sortOrder: sortOrder(), start: startTimestamp },
    response: object('Items', { items: list(text()) }),
    run: async ({ items }, { pageSize: size }, { paging }) => {
      const from = paging.cursor === undefined ? 0 : paging.cursor.after + 1;
      const page = items.slice(from, from + size);
      const last = from + page.length - 1;
      return { items: page, nextPageToken: last + 1 < items.length ? paging.nextPageToken({ height: 9, after: last }) : undefined };
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/things/{kind}/{item}',
    id: 'getItem',
    params: { kind: pathText(), item: pathText(), flag: bool('f'), only: choices(['a', 'b']) },
    run: async (_, values, { origin }) => ({ ...values, origin, big: 18446744073709551615n, none: undefined }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/things:count',
    id: 'countThings',
    params: { of: queryText() },
    run: async ({ items }) => ({ count: items.length }),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/v1/things/{kind}/items',
    id: 'postItems',
    params: { kind: pathText(), addresses: bodyAddresses(), flag: bool('f') },
    run: async (_, { addresses: { owners: given } }) => ({ given }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/owners',
    id: 'owners',
    params: { addresses: addresses({ required: true }) },
    run: async (_, { addresses: { owners: given } }) => ({ given }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/raw/{how}',
    id: 'raw',
    params: { how: pathText() },
    run: async (_, { how }) =>
      how === 'inside' ? { it: renderedJson('1') } : renderedJson(how === 'text' ? '{"ä":1}' : Buffer.from('[1,2]').subarray(0, 5)),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/fail',
    id: 'fail',
    isPublic: true,
    headers: { 'cache-control': 'no-store' },
    params: {},
    run: async ({ fail }) => fail?.(),
  }),
];

/** Creates an API of the test routes. */
export function start(deps: Partial<Deps> = {}, options: Partial<ApiOptions> = {}) {
  const reported: unknown[] = [];
  const observed: unknown[] = [];
  const handler = createApi({
    routes: bindRoutes('data', routes, { items: [1, 2, 3, 4, 5, 6, 7], ...deps }),
    gate: allowAllGate,
    context: createParamContext('local'),
    sealKey: Buffer.from('key'),
    epoch: () => 0,
    now: () => 1_700_000_000,
    caller: () => '192.0.2.1',
    origin: () => 'http://localhost:9650',
    onUnexpectedError: (error) => reported.push(error),
    observer: { now: () => 0, onResponse: (route, status) => observed.push([route?.route.id, status]) },
    ...options,
  });
  return { handler, send: createSender(handler), reported, observed };
}
