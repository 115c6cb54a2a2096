/** Clients in a story cannot reach other machines, by any of the ways that they use. */
import { expect, test } from 'bun:test';
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import axios from 'axios';
import { refusedHosts } from './loopback-only.ts';

// An address for documentation, which no machine has: RFC 5737.
const elsewhere = '192.0.2.1';
const calls: { readonly [name: string]: () => unknown } = {
  fetch: () => fetch(`http://${elsewhere}/`),
  'fetch with a Request': () => fetch(new Request(`https://${elsewhere}/`)),
  'http.request with a URL': () => http.request(`http://${elsewhere}/`),
  'http.get with options': () => http.get({ hostname: elsewhere, port: 80 }),
  'https.request': () => https.request({ host: `${elsewhere}:443` }),
  'net.connect': () => net.connect({ host: elsewhere, port: 80 }),
  'net.connect by position': () => net.connect(80, elsewhere),
  'dns.lookup': () => dns.lookup(elsewhere, () => undefined),
  'dns.promises.lookup': () => dns.promises.lookup(elsewhere),
  WebSocket: () => new WebSocket(`ws://${elsewhere}/`),
  axios: () => axios.get(`http://${elsewhere}/`),
};

test.each(Object.entries(calls))('%s refuses another machine', async (_, call) => {
  const error = await (async () => call())().then(
    () => undefined,
    (reason: Error) => reason,
  );
  expect(error?.message).toContain(`a client called ${elsewhere}`);
  expect(refusedHosts).toEqual([elsewhere]);
  refusedHosts.length = 0;
  process.exitCode = 0;
});

test('a program that ignores the error exits with a code', async () => {
  const program = `try { await fetch('http://${elsewhere}/') } catch {}`;
  const child = Bun.spawn([process.execPath, '-e', program], { cwd: new URL('..', import.meta.url).pathname });
  expect(await child.exited).toBe(97);
});
