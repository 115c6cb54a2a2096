import { describe, expect, test } from 'bun:test';
import { createCors, isPreflight } from './cors.ts';
import { createHttpRequest } from './http-cases.fixture.ts';

const request = (method: string, headers: Record<string, string>) => createHttpRequest('/', method, headers, new Uint8Array());

describe('a list of origins', () => {
  const cors = createCors(['https://One.example', 'https://*.two.example']);
  const allowed = (origin: string, method = 'POST') => cors.allowedOrigin(request(method, { origin }));

  test('allows an exact name or a pattern', () => {
    expect(allowed('https://one.example')).toBe('https://one.example');
    expect(allowed('HTTPS://ONE.EXAMPLE')).toBe('HTTPS://ONE.EXAMPLE');
    expect(allowed('https://a.two.example')).toBe('https://a.two.example');
    expect(allowed('https://.two.example')).toBe('https://.two.example');
    for (const origin of ['https://two.example', 'https://one.example.evil', 'https://three.example', 'null', ''])
      expect([origin, allowed(origin)]).toEqual([origin, null]);
  });

  test('allows only the methods GET, POST, HEAD and OPTIONS', () => {
    expect(['GET', 'POST', 'HEAD', 'OPTIONS', 'post'].map((method) => allowed('https://one.example', method) !== null)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(['PUT', 'DELETE', 'PATCH', ''].map((method) => allowed('https://one.example', method))).toEqual([null, null, null, null]);
  });

  test('a preflight of another origin gets no CORS headers', () => {
    const preflight = (origin: string) =>
      Object.keys(cors.preflightHeaders(request('OPTIONS', { origin, 'access-control-request-method': 'POST' })));
    expect(preflight('https://evil.example')).toEqual(['vary']);
    expect(preflight('https://one.example')).toEqual([
      'vary',
      'access-control-allow-origin',
      'access-control-allow-credentials',
      'access-control-allow-methods',
    ]);
  });
});

test('`*` or an empty list allows every origin', () => {
  for (const list of [['*'], [], ['https://a', '*']]) {
    expect(createCors(list).allowedOrigin(request('POST', { origin: 'https://evil.example' }))).toBe('*');
    expect(createCors(list).allowedOrigin(request('POST', {}))).toBeNull();
  }
});

test('requested headers are returned in canonical form, and all must be allowed', () => {
  const preflight = (headers: string) =>
    createCors(['*']).preflightHeaders(
      request('OPTIONS', { origin: 'https://a', 'access-control-request-method': 'post', 'access-control-request-headers': headers }),
    );
  expect(preflight('content-type, ACCEPT,x-requested-with origin')).toEqual({
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    'access-control-allow-origin': '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Content-Type, Accept, X-Requested-With, Origin',
  });
  expect(Object.keys(preflight('content-type, authorization'))).toEqual(['vary']);
});

test('a preflight is an OPTIONS request with Access-Control-Request-Method', () => {
  expect(isPreflight(request('OPTIONS', { 'access-control-request-method': 'POST' }))).toBe(true);
  expect(isPreflight(request('OPTIONS', { 'access-control-request-method': '' }))).toBe(false);
  expect(isPreflight(request('OPTIONS', {}))).toBe(false);
  expect(isPreflight(request('GET', { 'access-control-request-method': 'POST' }))).toBe(false);
});
