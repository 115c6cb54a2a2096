import { describe, expect, test } from 'bun:test';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { flag, list, object, oneOf, optional, text } from '../contract/schema.ts';
import { createParamContext, readAddresses } from './addresses.ts';
import { readBodyValue } from './body-value.ts';
import { findAnsweringChain, findChain, findOtherChain, paramContextFor, unknownChain } from './chain-name.ts';
import { readParams } from './read-params.ts';
import { bodyTexts, maxBody, queryTexts } from './request-texts.ts';
import { createRouteTree, pathNames } from './route-tree.ts';
import { parseUtxoId } from './utxo-id.ts';

const failure = (work: () => unknown): string | undefined => {
  try {
    work();
  } catch (error) {
    const { message, fault } = error as AnyFault & { readonly fault: { readonly status?: number; readonly code: string } };
    return `${fault.status ?? fault.code}: ${message}`;
  }
  return undefined;
};

describe('a value of a body', () => {
  const schema = object('Thing', { name: text(), isOn: optional(flag()), tags: optional(list(text())) });
  const read = (value: unknown) => readBodyValue(schema as never, value, 'body');

  test('has the properties of its schema and no others', () => {
    expect(read({ name: 'a', isOn: false, tags: ['x'], other: 1 })).toEqual({ name: 'a', isOn: false, tags: ['x'] });
    expect(read({ name: 'a', isOn: null })).toEqual({ name: 'a' });
    expect(failure(() => read(Object.create({ name: 'inherited' })))).toBe('400: body.name must be given');
  });

  test('that is wrong is named with its place', () => {
    expect([read, (value: unknown) => read({ name: value })].map((one) => failure(() => one([])))).toEqual([
      '400: body must be an object',
      '400: body.name must be a string',
    ]);
    for (const value of [null, 'text', undefined]) expect(failure(() => read(value))).toBe('400: body must be an object');
    expect(failure(() => read({ isOn: true }))).toBe('400: body.name must be given');
    expect(failure(() => read({ name: 'a', isOn: 'yes' }))).toBe('400: body.isOn must be a boolean value');
    expect(failure(() => read({ name: 'a', tags: 'x' }))).toBe('400: body.tags must be a list');
    expect(failure(() => read({ name: 'a', tags: ['x', 5] }))).toBe('400: body.tags[1] must be a string');
  });

  test('is limited: 512 characters, 100 items, or what the schema says', () => {
    expect(failure(() => read({ name: 'x'.repeat(512) }))).toBeUndefined();
    expect(failure(() => read({ name: 'x'.repeat(513) }))).toBe('400: body.name must not be longer than 512 characters');
    expect(failure(() => read({ name: 'a', tags: Array(100).fill('x') }))).toBeUndefined();
    expect(failure(() => read({ name: 'a', tags: Array(101).fill('x') }))).toBe('400: body.tags must have at most 100 items');
    const short = { ...text(), max: 2 };
    expect([failure(() => readBodyValue(short as never, 'ab', 'n')), failure(() => readBodyValue(short as never, 'abc', 'n'))]).toEqual([
      undefined,
      '400: n must not be longer than 2 characters',
    ]);
    const few = { ...list(text()), max: 1 };
    expect(failure(() => readBodyValue(few as never, ['a', 'b'], 'l'))).toBe('400: l must have at most 1 items');
  });

  test('is one of the named values; one that is not available has a reason', () => {
    const one = { ...oneOf(['a', 'b']), unavailable: { c: 'it is old' } };
    const readOne = (value: unknown) => readBodyValue(one as never, value, 'kind');
    expect(readOne('b')).toBe('b');
    expect(failure(() => readOne('d'))).toBe('400: kind must be one of the following values: a, b');
    expect(failure(() => readOne('toString'))).toBe('400: kind must be one of the following values: a, b');
    expect(failure(() => readOne(5))).toBe('400: kind must be one of the following values: a, b');
    expect(failure(() => readOne('c'))).toBe('400: kind "c" is not available: it is old; kind must be one of the following values: a, b');
  });
});

const own = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';

describe('addresses', () => {
  const context = createParamContext('local', 'custom');

  test('are read with or without a chain, each once, in their order; the first tells the HRP', () => {
    const { owners, hrp } = readAddresses(`X-${own}, ${own},P-${own}`, 'addresses', 3, context);
    expect([owners.length, hrp, readAddresses(own, 'a', 1, context).owners[0]]).toEqual([1, 'local', owners[0] as never]);
  });

  test('of another network, of a wrong length or too many are refused', () => {
    const refused = '400: a must be addresses of this network (local1... or custom1..., X-, P- or C- before them or not), not ';
    const other = 'fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t';
    for (const bad of ['nonsense', `D-${own}`, other, ''])
      expect(failure(() => readAddresses(bad, 'a', 9, context))).toBe(refused + JSON.stringify(bad));
    expect(failure(() => readAddresses(`${own},${own},${own}`, 'a', 2, context))).toBe('400: a must have at most 2 addresses');
    expect(failure(() => readAddresses(`${own},${own}`, 'a', 2, context))).toBeUndefined();
    expect([context.hrps, createParamContext('local').hrps]).toEqual([['local', 'custom'], ['local']]);
  });
});

describe('the parameters of a request', () => {
  const param = (more: object = {}) => ({
    in: 'query',
    schema: {},
    required: false,
    absent: 'none',
    read: ([one]: readonly string[]) => one,
    ...more,
  });
  const params = {
    a: param(),
    b: param({ repeated: true, read: (texts: readonly string[]) => texts }),
    pageSize: param(),
    pageToken: param({ absent: undefined }),
  };
  const read = (texts: Readonly<Record<string, readonly string[]>>, rows: object = params) =>
    readParams('route', rows as never, (_, name) => texts[name], {} as never);

  test('have their values, those that are missing their default', () => {
    expect(read({ a: ['1'], b: ['x', 'y'], pageSize: ['5'], pageToken: ['t'] })).toMatchObject({
      ...{ values: { a: '1', b: ['x', 'y'] }, pageSize: '5', pageToken: 't' },
    });
    expect(read({})).toMatchObject({ values: { a: 'none', b: 'none' }, pageToken: undefined });
  });

  test('the response depends on their spelling, the list on their meaning, neither on the page', () => {
    const one = read({ a: ['1'], b: ['x', 'y'], pageSize: ['5'] });
    const other = read({ a: ['1'], b: ['y', 'x'], pageToken: ['9'] });
    expect(one.responseKey).toBe('route\na=["1"]\nb=["x","y"]');
    expect([one.responseKey === other.responseKey, one.listKey() === other.listKey()]).toEqual([false, true]);
    expect(read({}).listKey()).toBe(read({ a: ['none'], b: ['none'] }, { ...params, b: param() }).listKey());
    expect([read({}).responseKey, read({ a: ['2'] }).listKey() === one.listKey()]).toEqual(['route', false]);
    const meaning = { a: param({ read: () => 5n, listKey: (value: bigint) => value }) };
    expect(read({ a: ['05'] }, meaning).listKey()).toBe('route\n[["a","5"]]');
  });

  test('that are wrong are all named', () => {
    expect(failure(() => read({ a: ['1', '2'], c: [] }, { ...params, c: param({ required: true }), d: param({ required: true }) }))).toBe(
      '400: a must be given only once; d must be given',
    );
    const bug = new TypeError('bug');
    const rows = {
      a: param({
        read: () => {
          throw bug;
        },
      }),
    };
    expect(() => read({ a: ['1'] }, rows)).toThrow(bug);
  });
});

describe('texts of a request', () => {
  const query = (text_: string) => [...queryTexts(text_)];

  test('of a query: decoded, repeated, without a value', () => {
    expect(query('a=1&b=x%20y+z&a=2&c&=5&&d=e=f')).toEqual([
      ['a', ['1', '2']],
      ['b', ['x y z']],
      ['c', ['']],
      ['', ['5']],
      ['d', ['e=f']],
    ]);
    expect([query(''), failure(() => query('a=%zz'))]).toEqual([[], '400: query must be valid percent-encoding']);
    expect([failure(() => query('a'.repeat(32_768))), failure(() => query('a'.repeat(32_769)))]).toEqual([
      undefined,
      '400: query must not be longer than 32768 characters',
    ]);
  });

  const wanted = new Map([
    ['name', false],
    ['data', true],
  ]);
  const body = (text_: string) => [...bodyTexts(Buffer.from(text_), wanted)];

  test('of a body: strings, or JSON where it is wanted; the last of two counts', () => {
    expect(body('{"name":"é\\n","data":{"a":[1]},"other":5}')).toEqual([
      ['name', ['é\n']],
      ['data', ['{"a":[1]}']],
    ]);
    expect(body(' {"name":"a","name":"b"} \n')).toEqual([['name', ['b']]]);
    expect(body('{"data":"ü"}')).toEqual([['data', ['"ü"']]]);
  });

  test('of a body that is wrong', () => {
    expect(failure(() => body('{"name":5}'))).toBe('400: name must be a string');
    expect(failure(() => body('[1]'))).toBe('400: body must be a JSON object');
    expect(failure(() => body('{} {}'))).toBe('400: body must be one JSON object with nothing after it');
    expect(failure(() => body('{"name":'))).toStartWith('400: body must be JSON: ');
    const padded = (length: number) => `{"name":"a"}${' '.repeat(length - 12)}`;
    expect([failure(() => body(padded(maxBody))), failure(() => body(padded(maxBody + 1)))]).toEqual([
      undefined,
      `413: body must not be larger than ${maxBody} bytes`,
    ]);
  });
});

describe('routes', () => {
  const routes = ['GET /a', 'POST /a', 'GET /a/{id}', 'GET /a/{id}/b', 'GET /a/list', 'GET /{x}/{y}/c'].map((row) => {
    const [method = '', path = ''] = row.split(' ');
    return { method, path };
  });
  const tree = createRouteTree(routes, (route) => route);
  const find = (method: string, path: string) => {
    const found = tree.find(method, path);
    return typeof found === 'object' ? [found.route.path, ...found.texts] : found;
  };

  test('are found by method and path; a literal segment comes before a parameter', () => {
    expect([find('GET', '/a'), find('POST', '/a'), find('GET', '/a/'), find('GET', '/a/list'), find('GET', '/a/5')]).toEqual([
      ['/a'],
      ['/a'],
      ['/a'],
      ['/a/list'],
      ['/a/{id}', '5'],
    ]);
    expect([find('GET', '/a/x%2Fy/b'), find('GET', '/a/list/b'), find('GET', '/a/5/c'), find('GET', '/q/5/c')]).toEqual([
      ['/a/{id}/b', 'x/y'],
      ['/a/{id}/b', 'list'],
      ['/{x}/{y}/c', 'a', '5'],
      ['/{x}/{y}/c', 'q', '5'],
    ]);
  });

  test('that do not exist, with an empty parameter or a bad encoding', () => {
    expect([find('PUT', '/a'), find('GET', '/b'), find('GET', '/a/5/d'), find('GET', '/a//b'), find('GET', '/a/%zz')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'malformed',
    ]);
    expect(failure(() => createRouteTree([...routes, { method: 'GET', path: '/a/{other}' }], (route) => route))).toBe(
      'API_ROUTE_TWICE: two routes for GET /a/{other}',
    );
    expect([pathNames('/v1/{a}/x/{bC}'), pathNames('/v1')]).toEqual([['a', 'bC'], []]);
  });
});

describe('names of chains and outputs', () => {
  const [x, swap, p] = ['11', '22', '33'].map((two) => two.repeat(32)) as [Id, Id, Id];
  const served = {
    chains: [
      { id: x, aliases: ['X', 'avm'], slug: 'x-chain' },
      { id: swap, aliases: ['swap'], slug: 'swap', unavailable: () => 'it is being copied' },
    ],
    otherChains: [{ id: p, alias: 'P' }],
    network: { hrp: 'local', alias: undefined },
  } as never;

  test('a chain has a slug, aliases and an ID', () => {
    expect(['x-chain', 'avm', idText(x), 'swap', 'P'].map((name) => findChain(served, name)?.slug)).toEqual([
      'x-chain',
      'x-chain',
      'x-chain',
      'swap',
      undefined,
    ]);
    expect(['P', 'p-chain', idText(p), 'X'].map((name) => findOtherChain(served, name)?.alias)).toEqual(['P', 'P', 'P', undefined]);
    expect([findAnsweringChain(served, 'X')?.slug, findAnsweringChain(served, 'none')]).toEqual(['x-chain', undefined]);
    expect(failure(() => findAnsweringChain(served, 'swap'))).toBe('503: it is being copied');
    expect([paramContextFor(served).chain('avm'), paramContextFor(served).chain('other')]).toEqual([x, 'other']);
  });

  test('an unknown one is told what there is', () => {
    const available = 'This server serves chains of the AVM: x-chain, swap';
    expect([unknownChain(served, 'p-chain', 'No such chain').message, unknownChain(served, 'q', 'No such chain').message]).toEqual([
      `This server has no P-Chain data. ${available}`,
      `No such chain. ${available}`,
    ]);
  });

  test('an output is named by its ID, or by transaction and index', () => {
    const id = idText(x);
    expect([parseUtxoId(id), parseUtxoId(`${id}:0`) === x, parseUtxoId(`${id}:4294967295`)?.length]).toEqual([x, false, 64]);
    expect(parseUtxoId(`${id}:1`)).not.toBe(parseUtxoId(`${id}:2`));
    for (const bad of ['', 'nonsense', `${id}:`, `${id}:-1`, `${id}:x`, `${id}:4294967296`, `${id}:1:2`, 'bad:1'])
      expect([bad, parseUtxoId(bad)]).toEqual([bad, undefined]);
  });
});
