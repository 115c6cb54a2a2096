import { expect, test } from 'bun:test';
import { forwardingHeaders, isLocalRequest } from './local-caller.ts';
import type { HttpRequest } from './message.ts';

const isLocal = (headers: Record<string, string>, remoteAddress: string | undefined = '127.0.0.1'): boolean =>
  isLocalRequest({
    method: 'POST',
    path: '/ext/dev',
    query: '',
    header: (name) => headers[name] ?? null,
    remoteAddress: () => remoteAddress,
    body: () => new Uint8Array(),
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
      isLocalRequest({ ...request, header: (name) => (name === 'host' ? host : null), remoteAddress: () => caller }),
    ]).toEqual([caller, false]);
});

test('a Host that is missing or not loopback is not local', () => {
  expect(isLocal({})).toBe(false);
  for (const name of ['', 'example.org', '127.example.org', 'localhost.example.org', '192.0.2.1:9650', '0.0.0.0', '[::2]:9650'])
    expect([name, isLocal({ host: name })]).toEqual([name, false]);
});

test('a request with any forwarding header, even an empty one, is not local', () => {
  for (const name of forwardingHeaders) expect([name, isLocal({ host, [name]: '' })]).toEqual([name, false]);
});

test("of web pages, only those of the server's own origin are local", () => {
  expect(isLocal({ host, origin: `http://${host}` })).toBe(true);
  for (const origin of ['https://evil.example', 'http://127.0.0.1:3000', `https://${host}`, 'http://localhost:9650', 'null', ''])
    expect([origin, isLocal({ host, origin })]).toEqual([origin, false]);
});

const request: HttpRequest = { method: 'POST', path: '/ext/dev', query: '', header: () => null, body: () => new Uint8Array() };

test('a request without a socket is local', () => {
  expect(isLocalRequest(request)).toBe(true);
});
