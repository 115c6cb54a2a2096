import { expect, test } from 'bun:test';
import { isLocalRequest } from './local-caller.ts';
import type { HttpRequest } from './message.ts';

const isLocal = (headers: Record<string, string>, remoteAddress: string | undefined = '127.0.0.1'): boolean =>
  isLocalRequest({
    method: 'POST',
    path: '/ext/dev',
    query: '',
    header: (name) => headers[name] ?? null,
    headerNames: () => Object.keys(headers),
    remoteAddress: () => remoteAddress,
    body: async () => new Uint8Array(),
  });
const host = '127.0.0.1:9650';

test('a loopback address with a loopback Host is local', () => {
  for (const caller of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    expect([caller, isLocal({ host }, caller)]).toEqual([caller, true]);
  for (const name of ['localhost', 'LOCALHOST:9650', '127.0.0.1', '127.1.2.3:80', '[::1]:9650'])
    expect([name, isLocal({ host: name })]).toEqual([name, true]);
});

test('a remote or unknown address is not local', () => {
  for (const caller of ['192.0.2.1', '10.0.0.1', '::2', 'fe80::1', '::ffff:10.0.0.1', '', undefined])
    expect([
      caller,
      isLocalRequest({
        ...request,
        header: (name) => (name === 'host' ? host : null),
        headerNames: () => ['host'],
        remoteAddress: () => caller,
      }),
    ]).toEqual([caller, false]);
});

test('a Host that is missing or not loopback is not local', () => {
  expect(isLocal({})).toBe(false);
  for (const name of ['', 'example.org', '127.example.org', 'localhost.example.org', '192.0.2.1:9650', '0.0.0.0', '[::2]:9650'])
    expect([name, isLocal({ host: name })]).toEqual([name, false]);
});

test('a request with a header that a proxy may have added, even an empty one, is not local', () => {
  for (const name of proxyHeaders) expect([name, isLocal({ host, [name]: '' })]).toEqual([name, false]);
  expect(isLocalRequest({ ...request, header: (name) => (name === 'host' ? host : null), remoteAddress: () => '127.0.0.1' })).toBe(false);
});

/** Of common proxies, load balancers and CDNs, and one that nobody knows. */
const proxyHeaders = [
  ...['forwarded', 'via', 'x-forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'x-client-ip'],
  ...['x-cluster-client-ip', 'x-envoy-external-address', 'true-client-ip', 'cf-connecting-ip', 'cf-ray', 'fastly-client-ip', 'client-ip'],
  ...['x-proxyuser-ip', 'wl-proxy-client-ip', 'proxy-client-ip', 'proxy-connection', 'x-azure-clientip', 'x-request-id', 'traceparent'],
  ...[
    'cdn-loop',
    'fly-client-ip',
    'do-connecting-ip',
    'incap-client-ip',
    'remote-addr',
    'forwarded-for',
    'max-forwards',
    'some-new-header',
  ],
];

test('headers that programs and browsers send themselves are local', () => {
  for (const name of sentHeaders) expect([name, isLocal({ host, [name]: 'x' })]).toEqual([name, true]);
});

/** Of fetch in Bun, Node and Chromium, curl, axios, Go, Python's requests, Java's HttpClient and Postman. */
const sentHeaders = [
  ...['connection', 'content-type', 'content-length', 'transfer-encoding', 'accept', 'accept-encoding', 'accept-language', 'user-agent'],
  ...['authorization', 'cookie', 'referer', 'cache-control', 'pragma', 'if-none-match', 'dnt', 'priority', 'expect', 'te'],
  ...['sec-ch-ua', 'sec-ch-ua-mobile', 'sec-fetch-site', 'sec-fetch-mode', 'sec-gpc', 'upgrade-insecure-requests', 'last-event-id'],
  ...['upgrade', 'http2-settings', 'postman-token', 'x-service-api-key', 'x-glacier-api-key', 'x-serac-min-height', 'x-app-component'],
];

test("of web pages, only those of the server's own origin are local", () => {
  expect(isLocal({ host, origin: `http://${host}` })).toBe(true);
  for (const origin of ['https://evil.example', 'http://127.0.0.1:3000', `https://${host}`, 'http://localhost:9650', 'null', ''])
    expect([origin, isLocal({ host, origin })]).toEqual([origin, false]);
});

const request: HttpRequest = { method: 'POST', path: '/ext/dev', query: '', header: () => null, body: async () => new Uint8Array() };

test('a request without a socket is local', () => {
  expect(isLocalRequest(request)).toBe(true);
});
