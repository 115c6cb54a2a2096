import { describe, expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { createTestRequest, findErrorProblem } from './requests.fixture.ts';
import { bech, start } from './test-routes.fixture.ts';

describe('parameters', () => {
  test('all bad parameters are reported at once', async () => {
    const got = await start().send('/v1/things/x/items?pageSize=101&sortOrder=up&pageToken=1&start=-1');
    expect(got.json).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: [
        'pageSize must not be greater than 10',
        'pageToken must be a UUID',
        'sortOrder must be one of the following values: asc, desc',
        'start must not be less than 0',
      ],
    });
  });
  test('only a parameter with `repeated` may be given more than once', async () => {
    const { send } = start();
    expect((await send('/v1/things/x/items?pageSize=1&pageSize=1')).json.message).toEqual(['pageSize must be given only once']);
    expect((await send('/v1/things/x/y?only=a&only=b,a&flag=1')).json).toMatchObject({ only: ['a', 'b'], flag: true });
  });
  test('a missing required parameter is reported', async () => {
    expect((await start().send('/v1/owners')).json.message).toEqual(['addresses must be given']);
    expect((await start().send(`/v1/owners?addresses=X-${bech}`)).json).toEqual({ given: ['3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c'] });
  });
  test('a query with bad encoding, or that is too long, gives 400', async () => {
    for (const query of ['pageSize=%', 'x=%zz', '%ff=1', `x=${'y'.repeat(40_000)}`]) {
      const got = await start().send(`/v1/things/x/items?${query}`);
      expect([query.slice(0, 10), got.status, findErrorProblem(got)]).toEqual([query.slice(0, 10), 400, undefined]);
    }
  });
  test('a plus in the query is a space', async () => {
    expect((await start().send('/v1/things/x/y?only=a,+b')).json.only).toEqual(['a', 'b']);
  });
  test('bigints are written as numbers, undefined is omitted, the origin is passed to the route', async () => {
    const got = await start().send('/v1/things/x/y');
    expect(got.text).toContain('"big":18446744073709551615');
    expect(got.text).not.toContain('none');
    expect(got.json.origin).toBe('http://localhost:9650');
  });
});

describe('bodies', () => {
  const post = (body: string | Uint8Array) => start().send('/v1/things/x/items', { method: 'POST', body });
  test('a JSON object with string properties', async () => {
    for (const body of [`{"addresses":"${bech}"}`, ` {"x": [[1]], "addresses" : "${bech},P-${bech}" } `, `{"\\u0061ddresses":"${bech}"}`])
      expect((await post(body)).json).toEqual({ given: ['3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c'] });
  });
  test.each([
    ['', 'body must be JSON: EOF'],
    ['[]', 'body must be a JSON object'],
    ['"x"', 'body must be a JSON object'],
    ['{}', 'addresses must be given'],
    ['{"addresses":["a"]}', 'addresses must be a string'],
    ['{"addresses":null}', 'addresses must be a string'],
    ['{"addresses":"x"} 1', 'body must be one JSON object with nothing after it'],
    ['{"addresses":', 'body must be JSON: unexpected EOF'],
    [`{${'"x":0,'.repeat(200)}"y":0}`, 'body must be JSON: an object of the request has more than 128 members'],
    ['{"addresses":"', 'body must be JSON: unexpected EOF'],
  ])('%#: not a JSON object with string properties', async (body, sentence) => {
    const got = await post(body);
    expect([got.status, got.json.message, findErrorProblem(got)]).toEqual([400, [sentence], undefined]);
  });
  test('deep nesting does not crash', async () => {
    expect((await post(`{"addresses":${'['.repeat(100_000)}`)).status).toBe(400);
    expect((await post(`{"x":${'['.repeat(5000)}${']'.repeat(5000)},"addresses":"${bech}"}`)).status).toBe(200);
  });
  test('the body is not read if the request is refused or the path is unknown', async () => {
    let asked = 0;
    const body = async () => {
      asked++;
      return Buffer.from('{}');
    };
    const post = (handler: ReturnType<typeof start>['handler'], path: string) =>
      handler({ ...createTestRequest(path, { method: 'POST' }), body });
    for (const status of [401, 403, 429] as const) {
      const { handler } = start({}, { gate: { admit: async () => ({ admitted: false, status, message: 'no', headers: {} }) } });
      expect(await post(handler, '/v1/things/x/items')).toMatchObject({ status });
    }
    expect(await post(start().handler, '/v1/nothing')).toMatchObject({ status: 404 });
    expect(asked).toBe(0);
    await post(start().handler, '/v1/things/x/items');
    expect(asked).toBe(1);
  });
  test('a body that cannot be read, is too large or too slow', async () => {
    const { handler } = start();
    const respondToBodyError = async (error: unknown) =>
      await handler({ ...createTestRequest('/v1/things/x/items', { method: 'POST' }), body: () => Promise.reject(error) });
    expect(await respondToBodyError(new Error('broken off'))).toMatchObject({ status: 400 });
    const large = await respondToBodyError(new Fault('large', { code: 'BODY_TOO_LARGE' }));
    expect(large).toMatchObject({ status: 413 });
    expect(String(large.body)).toContain('131072');
    expect(await respondToBodyError(new Fault('busy', { code: 'BODY_OVER_BUDGET' }))).toMatchObject({ status: 503 });
    expect(await respondToBodyError(new Fault('slow', { code: 'BODY_TIMEOUT' }))).toMatchObject({ status: 408 });
    expect((await post(`{"addresses":"${' '.repeat(131_072)}"}`)).status).toBe(413);
  });
});

describe('pages', () => {
  test('the tokens lead from the first page to the last', async () => {
    const { send } = start();
    const observed: number[] = [];
    let target = '/v1/things/x/items?pageSize=3';
    for (let page = 0; page < 5; page++) {
      const { json } = await send(target);
      observed.push(...json.items);
      if (json.nextPageToken === undefined) break;
      target = `/v1/things/x/items?pageSize=2&pageToken=${json.nextPageToken}`;
    }
    expect(observed).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
  test('a token of another query gives 400, an unknown or expired one starts again', async () => {
    const { send } = start();
    const { nextPageToken } = (await send('/v1/things/x/items')).json;
    for (const other of ['/v1/things/y/items?', '/v1/things/x/items?sortOrder=asc&']) {
      const got = await send(`${other}pageToken=${nextPageToken}`);
      expect([got.status, got.json.message]).toEqual([400, ['pageToken belongs to another query']]);
    }
    const unknown = await send('/v1/things/x/items?pageToken=0f5c8917-292d-437c-a112-532cc11b1940');
    expect(unknown.json.items).toEqual([1, 2, 3]);
    const later = start({}, { now: () => 1_700_090_000 });
    expect((await later.send(`/v1/things/x/items?pageToken=${nextPageToken}`)).json.items).toEqual([1, 2, 3]);
    const restarted = start({}, { now: () => 1_700_086_399 });
    expect((await restarted.send(`/v1/things/x/items?pageToken=${nextPageToken}`)).json.items).toEqual([4, 5, 6]);
  });
});
