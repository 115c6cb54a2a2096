import { expect, test } from 'bun:test';
import type { HttpResponse } from '../../api/http/message.ts';
import { combineServices, type RpcResponse } from '../../api/rpc/method.ts';
import { forwardWritesToWriter } from './relayed-services.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };
const text = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** The response of a reader process to a call that the writer process answers with `response`. */
const forward = async (response: HttpResponse): Promise<RpcResponse | undefined> =>
  forwardWritesToWriter(
    combineServices(),
    '/ext/bc/X',
    async () => response,
    () => false,
  ).forwardToWriter?.(Buffer.from('{}'));

test('a forwarded call has the body and the status of the writer process', async () => {
  const body = '{"jsonrpc":"2.0"}\n';
  expect(await forward({ status: 200, headers: { ...json, 'x-content-type-options': 'nosniff' }, body })).toEqual({
    body,
    methodRan: true,
  });
  expect(await forward({ status: 200, headers: json, body })).toEqual({ body, methodRan: false });
  const busy = { ...json, 'retry-after': '1' };
  expect(await forward({ status: 503, headers: busy, body })).toEqual({ body, methodRan: false, isUnavailable: true });
  expect(await forward({ status: 503, headers: { 'retry-after': '1' }, body: '' })).toMatchObject({ body: '', isUnavailable: true });
});

test('a text of the writer process is never sent as a JSON-RPC response', async () => {
  const refused: [number, HttpResponse['headers'], string][] = [
    [500, {}, 'internal error\n'],
    [500, text, 'internal error\n'],
    [503, text, 'API call rejected because chain is not done bootstrapping\n'],
    [429, text, 'too many calls\n'],
  ];
  for (const [status, headers, body] of refused)
    await expect(forward({ status, headers, body })).rejects.toMatchObject({ fault: { code: 'RELAY_FAILED', status } });
});
