import { describe, expect, test } from 'bun:test';
import { createCors, isPreflight } from './cors.ts';
import { requestOf } from './http-cases.fixture.ts';

const request = (method: string, headers: Record<string, string>) => requestOf('/', method, headers, new Uint8Array());

describe('a list of origins', () => {
  const cors = createCors(['https://One.example', 'https://*.two.example']);
  const allowed = (origin: string, method = 'POST') => cors.allowed(request(method, { origin }));

  test('names them or matches them', () => {
    expect(allowed('https://one.example')).toBe('https://one.example');
    expect(allowed('HTTPS://ONE.EXAMPLE')).toBe('HTTPS://ONE.EXAMPLE');
    expect(allowed('https://a.two.example')).toBe('https://a.two.example');
    expect(allowed('https://.two.example')).toBe('https://.two.example');
    for (const origin of ['https://two.example', 'https://one.example.evil', 'https://three.example', 'null', ''])
      expect([origin, allowed(origin)]).toEqual([origin, null]);
  });

  test('only for the simple methods', () => {
    expect(['GET', 'POST', 'HEAD', 'OPTIONS', 'post'].map((method) => allowed('https://one.example', method) !== null)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(['PUT', 'DELETE', 'PATCH', ''].map((method) => allowed('https://one.example', method))).toEqual([null, null, null, null]);
  });

  test('a preflight from elsewhere learns nothing', () => {
    const ask = (origin: string) => Object.keys(cors.preflight(request('OPTIONS', { origin, 'access-control-request-method': 'POST' })));
    expect(ask('https://evil.example')).toEqual(['vary']);
    expect(ask('https://one.example')).toEqual([
      'vary',
      'access-control-allow-origin',
      'access-control-allow-credentials',
      'access-control-allow-methods',
    ]);
  });
});

test('a star, or no list, is every origin', () => {
  for (const list of [['*'], [], ['https://a', '*']]) {
    expect(createCors(list).allowed(request('POST', { origin: 'https://evil.example' }))).toBe('*');
    expect(createCors(list).allowed(request('POST', {}))).toBeNull();
  }
});

test('headers asked for are spelt canonically and all must be known', () => {
  const ask = (headers: string) =>
    createCors(['*']).preflight(
      request('OPTIONS', { origin: 'https://a', 'access-control-request-method': 'post', 'access-control-request-headers': headers }),
    );
  expect(ask('content-type, ACCEPT,x-requested-with origin')).toEqual({
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    'access-control-allow-origin': '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Content-Type, Accept, X-Requested-With, Origin',
  });
  expect(Object.keys(ask('content-type, authorization'))).toEqual(['vary']);
});

test('a preflight is an OPTIONS that asks for a method', () => {
  expect(isPreflight(request('OPTIONS', { 'access-control-request-method': 'POST' }))).toBe(true);
  expect(isPreflight(request('OPTIONS', { 'access-control-request-method': '' }))).toBe(false);
  expect(isPreflight(request('OPTIONS', {}))).toBe(false);
  expect(isPreflight(request('GET', { 'access-control-request-method': 'POST' }))).toBe(false);
});
