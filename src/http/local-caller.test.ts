import { expect, test } from 'bun:test';
import { forwardingHeaders, isLocalCall } from './local-caller.ts';
import type { HttpRequest } from './message.ts';

const call = (headers: Record<string, string>, caller: string | undefined = '127.0.0.1'): boolean =>
  isLocalCall({
    method: 'POST',
    path: '/ext/dev',
    query: '',
    header: (name) => headers[name] ?? null,
    caller: () => caller,
    body: () => new Uint8Array(),
  });
const host = '127.0.0.1:9650';

test('a program on this machine is local, by any name of the machine', () => {
  for (const caller of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    expect([caller, call({ host }, caller)]).toEqual([caller, true]);
  for (const name of ['localhost', 'LOCALHOST:9650', '127.0.0.1', '127.1.2.3:80', '[::1]:9650'])
    expect([name, call({ host: name })]).toEqual([name, true]);
});

test('callers from elsewhere are not, nor those whose address is not known', () => {
  for (const caller of ['192.0.2.1', '10.0.0.1', '::2', 'fe80::1', '::ffff:10.0.0.1', '', undefined])
    expect([caller, isLocalCall({ ...request, header: (name) => (name === 'host' ? host : null), caller: () => caller })]).toEqual([
      caller,
      false,
    ]);
});

test('a Host that is missing or not loopback is refused', () => {
  expect(call({})).toBe(false);
  for (const name of ['', 'example.org', '127.example.org', 'localhost.example.org', '192.0.2.1:9650', '0.0.0.0', '[::2]:9650'])
    expect([name, call({ host: name })]).toEqual([name, false]);
});

test('any forwarding header, even an empty one, is refused', () => {
  for (const name of forwardingHeaders) expect([name, call({ host, [name]: '' })]).toEqual([name, false]);
});

test("pages of the server's own origin may call, others not", () => {
  expect(call({ host, origin: `http://${host}` })).toBe(true);
  for (const origin of ['https://evil.example', 'http://127.0.0.1:3000', `https://${host}`, 'http://localhost:9650', 'null', ''])
    expect([origin, call({ host, origin })]).toEqual([origin, false]);
});

const request: HttpRequest = { method: 'POST', path: '/ext/dev', query: '', header: () => null, body: () => new Uint8Array() };

test('a request without a socket is the program itself', () => {
  expect(isLocalCall(request)).toBe(true);
});
