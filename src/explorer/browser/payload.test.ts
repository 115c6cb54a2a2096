import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { minHeightHeader } from '../../api/http/own-headers.ts';
import { apiKey, devHeaders, devPath, devToken, fetchPayload, getText, keepApiKey, keepDevToken, rpcHeaders } from './payload.ts';

const kept = new Map<string, string>();
const { fetch, sessionStorage, location } = globalThis;
afterAll(() => Object.assign(globalThis, { fetch, sessionStorage, location }));

/** What the browser sends, and a server that answers with this. */
let answer: () => Response | Promise<Response>;
let sent: { readonly url: string; readonly headers: Readonly<Record<string, string>> }[];
beforeEach(() => {
  kept.clear();
  sent = [];
  Object.assign(globalThis, {
    sessionStorage: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => void kept.set(name, text),
      removeItem: (name: string) => void kept.delete(name),
    },
    location: { pathname: '/blocks', search: '?from=5' },
    fetch: async (url: string, { headers }: { headers: Record<string, string> }) => {
      sent.push({ url, headers });
      return answer();
    },
  });
});

describe('a key and a token of this tab', () => {
  test.each([
    ['API key', apiKey, keepApiKey, 'serac-api-key'],
    ['token', devToken, keepDevToken, 'serac-dev-token'],
  ])('the %s is kept without spaces around it, until it is emptied', (_, read, keep, name) => {
    expect(read()).toBe('');
    keep(' secret ');
    expect([read(), kept.get(name), kept.size]).toEqual(['secret', 'secret', 1]);
    keep('  ');
    expect([read(), kept.size]).toEqual(['', 0]);
  });

  test('the token is sent to /ext/dev only', () => {
    expect([devHeaders(), rpcHeaders(devPath)]).toEqual([{}, { 'content-type': 'application/json' }]);
    keepDevToken('t');
    expect([rpcHeaders(devPath), rpcHeaders('/ext/info')]).toEqual([
      { 'content-type': 'application/json', authorization: 'Bearer t' },
      { 'content-type': 'application/json' },
    ]);
  });
});

describe('what the server answers', () => {
  test('a text, with the key; nothing unless the status is 200', async () => {
    answer = () => new Response('text');
    expect([await getText('/v1/x'), sent]).toEqual(['text', [{ url: '/v1/x', headers: {} }]]);
    keepApiKey('k');
    keepDevToken('t');
    await getText('/v1/x');
    expect(sent[1]?.headers).toEqual({ 'x-service-api-key': 'k' });
    answer = () => new Response('text', { status: 404 });
    expect(await getText('/v1/x')).toBeUndefined();
    answer = () => Promise.reject(new TypeError('away'));
    expect(await getText('/v1/x')).toBeUndefined();
  });

  test('this page again, from a server that has the blocks of this one', async () => {
    const page = (payload: string): string => `<html><script id="payload">${payload}</script><script>more</script>`;
    answer = () => new Response(page('{"view":"a<b"}').replace('<script>more</script>', ''), { status: 404 });
    keepApiKey('k');
    keepDevToken('t');
    expect(await fetchPayload(7)).toEqual({ payload: { view: 'a<b' } as never, status: 404 });
    expect(sent).toEqual([
      {
        url: '/blocks?from=5',
        headers: { accept: 'text/html', [minHeightHeader]: '7', 'x-service-api-key': 'k', authorization: 'Bearer t' },
      },
    ]);
    for (const text of ['no page', page('{')]) {
      answer = () => new Response(text);
      expect(await fetchPayload(7)).toBeUndefined();
    }
    answer = () => Promise.reject(new TypeError('away'));
    expect(await fetchPayload(7)).toBeUndefined();
  });
});
