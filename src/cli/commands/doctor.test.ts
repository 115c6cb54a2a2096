import { expect, test } from 'bun:test';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { ClientContext } from './client-command.ts';
import { doctor } from './doctor.ts';
import { examineServer } from './doctor-server.ts';

test('of a URL with a path the server is examined; text that is no URL is refused', async () => {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname);
      return new Response('404 page not found\n', { status: 404 });
    },
  });
  const run = (url: string) => doctor({ args: [url], options: { json: true }, print: () => {} } as unknown as ClientContext);
  expect(await run(`127.0.0.1:${server.port}/ext/bc/X`)).toBe(1);
  expect(asked.slice(0, 2)).toEqual(['/ext/info', '/']);
  await expect(run('http://:x')).rejects.toThrow('"http://:x" is not a URL; it looks like http://127.0.0.1:9650');
  await server.stop(true);
});

/** The findings of a server that lists these endpoints. */
const examine = (endpoints: { readonly [name: string]: string }) => {
  const index = { name: 'serac', version: '1.0.0', network: 'fuji', endpoints };
  const client = {
    request: async (path: string) => Response.json(path === '/' ? index : {}),
    readText: (response: Response) => response.text(),
  };
  return examineServer(client as unknown as RpcClient);
};

test('a server without Node RPC is serac api if it has the Data API or the Metrics API, else serac index', async () => {
  const programOf = async (endpoints: { readonly [name: string]: string }) =>
    (await examine(endpoints))?.[0]?.text.replace(/^serac\/1.0.0, (.+): a server without Node RPC$/, '$1');
  expect(await programOf({ data: '/v1', metricsApi: '/v2' })).toBe('serac api');
  expect(await programOf({ data: '/v1' })).toBe('serac api');
  expect(await programOf({ metricsApi: '/v2' })).toBe('serac api');
  expect(await programOf({})).toBe('serac index');
  expect(await examine({ info: '/ext/info' })).toBeUndefined();
});
