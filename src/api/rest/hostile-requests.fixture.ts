import fc from 'fast-check';
import { compileRouteParams } from './params.ts';
import type { RequestOptions } from './requests.fixture.ts';
import type { ApiRoute } from './route.ts';

/** Random malformed requests: to existing routes with wrong parameters, and to paths without a route. */
export function hostileRequests(
  routes: readonly Pick<ApiRoute<never>, 'method' | 'path' | 'params'>[],
): fc.Arbitrary<{ target: string; options: RequestOptions }> {
  const toRoutes = fc.constantFrom(...routes).chain(({ method, path, params }) => {
    const compiled = compileRouteParams({ path, params });
    const names = (place: 'query' | 'body') => Object.keys(params).filter((name) => compiled[name]?.in === place);
    const known = [...names('query'), 'pageToken', 'unknown'];
    return fc.record({
      path: fc.array(fc.oneof(example, text), { minLength: 4, maxLength: 4 }).map((texts) => {
        let at = 0;
        return path.replace(/\{\w+\}/g, () => texts[at++ % texts.length] as string);
      }),
      query: fc.array(fc.tuple(fc.constantFrom(...known), fc.oneof(example, text)), { maxLength: 6 }),
      body: fc.oneof(
        fc.string(),
        fc.json(),
        fc
          .dictionary(fc.constantFrom(...names('body'), 'x'), fc.oneof(text, example, fc.jsonValue()))
          .map((value) => JSON.stringify(value)),
      ),
      method: fc.oneof({ weight: 9, arbitrary: fc.constant<string>(method) }, fc.constantFrom('HEAD', 'PUT', 'OPTIONS', 'get', '')),
    });
  });
  const toUnknownPaths = fc.record({
    path: fc.array(text, { maxLength: 6 }).map((texts) => `/v1/${texts.join('/')}`),
    query: fc.array(fc.tuple(text, text), { maxLength: 3 }),
    body: fc.string(),
    method: fc.constantFrom('GET', 'POST'),
  });
  return fc.oneof({ weight: 9, arbitrary: toRoutes }, toUnknownPaths).map(({ path, query, body, method }) => ({
    target: `${path}?${query.map((pair) => pair.join('=')).join('&')}`,
    options: { method, body },
  }));
}

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    '',
    '%',
    '%2',
    '%00',
    '%ff',
    '&',
    '=',
    ';',
    '+',
    '?',
    '#',
    '..',
    ',',
    '__proto__',
    'constructor',
    '\ud800',
    '9'.repeat(400),
    'x'.repeat(5000),
  ),
);

/** Texts that are valid for some parameter. */
const example = fc.constantFrom(
  'local',
  'x-chain',
  'X',
  '0',
  '1',
  '-1',
  '100',
  '9007199254740993',
  '1e3',
  'asc',
  'true',
  'BaseTx',
  'txCount',
  'day',
  '0f5c8917-292d-437c-a112-532cc11b1940',
  'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
  'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
);
