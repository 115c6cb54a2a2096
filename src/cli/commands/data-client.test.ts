import { expect, test } from 'bun:test';
import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { createDataClient, orWithoutDataApi, parseAnswer } from './data-client.ts';

/** What the Data API of a node that answers like this says of a block. */
async function answerOf(status: number, body: string) {
  const asked: string[] = [];
  const client = {
    url: 'http://node',
    call: async () => ({ networkName: 'my net' }),
    request: async (path: string) => {
      asked.push(path);
      return new Response(body, { status });
    },
    readText: (response: Response) => response.text(),
  } as unknown as RpcClient;
  const get = await createDataClient(client);
  const answer = await get('/blocks/5').catch((error: SeracError) => [
    error.fault.code,
    error.message,
    ...('status' in error.fault ? [error.fault.status] : []),
  ]);
  expect(asked).toEqual(['/v1/networks/my%20net/blockchains/x-chain/blocks/5']);
  return answer;
}

test('the Data API is asked about the network of the node', async () => {
  expect(await answerOf(200, '{"blockNumber":"5"}')).toEqual({ blockNumber: '5' });
});

test('a 404 of the Data API is nothing; one of another server says that the node has none', async () => {
  expect(await answerOf(404, '{"message":"no such block","error":"Not Found","statusCode":404}')).toBeUndefined();
  expect(await answerOf(404, '404 page not found')).toEqual([
    'NODE_NO_DATA_API',
    'http://node has no Data API: it is AvalancheGo, or runs with --data-api-enabled=false',
  ]);
});

test('another failure is told with the words of the node, or its status', async () => {
  expect(await answerOf(503, '{"message":"starting","error":"x","statusCode":503}')).toEqual(['NODE_HTTP', 'http://node: starting', 503]);
  expect(await answerOf(502, '<html>')).toEqual(['NODE_HTTP', 'http://node: status 502', 502]);
  expect(await answerOf(200, 'hello')).toEqual(['NODE_HTTP', 'http://node does not answer with JSON: hello', 200]);
  expect(parseAnswer('[1]', 'x')).toEqual([1]);
});

test('only a node without a Data API is asked in another way', async () => {
  const error = (code: 'NODE_NO_DATA_API' | 'NODE_UNREACHABLE') => Promise.reject(new SeracError('x', { code, url: 'u' } as never));
  expect([await orWithoutDataApi(Promise.resolve(1), () => 2), await orWithoutDataApi(error('NODE_NO_DATA_API'), () => 2)]).toEqual([1, 2]);
  await expect(orWithoutDataApi(error('NODE_UNREACHABLE'), () => 2)).rejects.toThrow('x');
  await expect(orWithoutDataApi(Promise.reject(new TypeError('y')), () => 2)).rejects.toThrow('y');
});
