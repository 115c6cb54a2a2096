import { expect, test } from 'bun:test';
import type { ClientContext } from './client-command.ts';
import { mcp } from './mcp.ts';

test('what a client has sent over stdin is not kept in memory', async () => {
  const sent: WeakRef<Uint8Array>[] = [];
  let answers = 0;
  async function* input(): AsyncGenerator<Uint8Array> {
    for (let id = 0; id < 200; id++) {
      const chunk = Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
      sent.push(new WeakRef(chunk));
      yield chunk;
      await Bun.sleep(0);
    }
    Bun.gc(true);
  }
  await mcp({
    client: {},
    options: {},
    env: { version: '0' },
    input: input(),
    write: () => {
      answers++;
    },
  } as unknown as ClientContext);
  expect(answers).toBe(200);
  expect(sent.filter((chunk) => chunk.deref() !== undefined).length).toBeLessThan(20);
});
