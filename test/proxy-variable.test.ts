import { expect, test } from 'bun:test';
import { createRpcClient } from '../src/api/client/rpc-client.ts';
import { serve } from '../src/app/platform/bun/serve.ts';
import { createCommonEnv } from '../src/app/platform/common-env.ts';
import { createLog } from '../src/base/log/log.ts';
import { fetchTransport } from '../src/chain/follow/transport.ts';
import { findUnhealthyReason } from '../src/cli/commands/detach.ts';
import { withProxy } from './listening-proxy.ts';

test('a node on this machine is called without the proxy of the environment, a node elsewhere through it', async () => {
  const answer = { status: 200, headers: {}, body: '{"jsonrpc":"2.0","id":1,"result":{}}' };
  const server = await serve({ host: '127.0.0.1', port: 0, handler: async () => answer, maxBodyMemory: 1000, idleTimeout: 10 });
  const [local, elsewhere] = [`http://127.0.0.1:${server.port}`, 'http://node.example'];
  const env = createCommonEnv({
    version: '0',
    log: createLog(
      () => {},
      () => 'off',
    ),
  });
  const post = async (url: string) =>
    (await fetchTransport(env.fetch)({ url, body: '{}', maxBytes: 1000, signal: AbortSignal.timeout(5000) })).status;
  const seen = await withProxy(async () => {
    const token = 'secret';
    expect(await createRpcClient({ url: local, token }).call('/ext/dev', 'dev.mine')).toEqual({});
    expect((await createRpcClient({ url: local, token, fetch: env.fetch as typeof fetch }).request('/ext/dev/state')).status).toBe(200);
    expect(await findUnhealthyReason(local)).toBeUndefined();
    expect([await post(local), await post(elsewhere)]).toEqual([200, 502]);
    expect((await createRpcClient({ url: elsewhere }).request('/')).status).toBe(502);
  });
  expect(seen).toEqual([`POST ${elsewhere}/`, `GET ${elsewhere}/`]);
  await server.close();
});
