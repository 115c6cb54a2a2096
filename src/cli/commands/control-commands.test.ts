import { expect, test } from 'bun:test';
import { createRpcClient } from '../../api/client/rpc-client.ts';
import type { ClientContext } from './client-command.ts';
import { controlCommands } from './control-commands.ts';

test('a state that takes longer to load than a call may take is waited for', async () => {
  const server = Bun.serve({
    port: 0,
    fetch: async () => {
      await Bun.sleep(300);
      return Response.json({ height: 5, time: 1_700_000_000 });
    },
  });
  const lines: string[] = [];
  await controlCommands['state load']({
    client: createRpcClient({ url: server.url.origin, timeout: 100 }),
    args: ['chain.serac'],
    options: { json: false },
    print: (line: string) => lines.push(line),
    readFile: async () => new Blob(['state']),
  } as unknown as ClientContext);
  expect(lines).toEqual(['loaded, now at height 5, 2023-11-14T22:13:20Z']);
  await server.stop(true);
});
