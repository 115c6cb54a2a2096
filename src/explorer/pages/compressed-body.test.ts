import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { HttpRequest } from '../../api/http/message.ts';
import { acceptedEncoding, compressBody } from './compressed-body.ts';

const request = (accepted: string): HttpRequest => ({
  method: 'GET',
  path: '/',
  query: '',
  header: (name) => (name === 'accept-encoding' ? accepted : null),
  body: async () => new Uint8Array(),
});

test.each([
  ['', 'plain'],
  ['identity', 'plain'],
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.000, gzip;q=0', 'plain'],
  ['brotli, xgzip', 'plain'],
] as const)('accept-encoding %p: %s', (accepted, encoding) => expect(acceptedEncoding(accepted)).toBe(encoding));

describe('compressBody', () => {
  const text = '<p>ice</p>'.repeat(1000);
  test('the client gets the same text', async () => {
    const br = await compressBody(request('br'), text, false);
    expect([br.encoding, brotliDecompressSync(br.body).toString()]).toEqual(['br', text]);
    const gzip = await compressBody(request('gzip'), text, false);
    expect([gzip.encoding, gunzipSync(gzip.body).toString()]).toEqual(['gzip', text]);
    expect(gzip.body.length).toBeLessThan(text.length / 10);
  });
  test('small pages and pages with secrets are sent as they are', async () => {
    expect((await compressBody(request('br'), '<p>ice</p>', false)).encoding).toBe('plain');
    const secret = await compressBody(request('br'), text, true);
    expect([secret.encoding, Buffer.from(secret.body).toString()]).toEqual(['plain', text]);
  });
});
