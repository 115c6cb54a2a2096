import { expect, test } from 'bun:test';
import { SeracError } from '../../api/client/fault.ts';
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

/** What a tool answers whose call the node refuses with this data. */
async function refusedWith(data: unknown): Promise<string> {
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"avm_getHeight","arguments":{}}}\n');
  }
  let answer = '';
  const call = async () => {
    throw new SeracError('refused', { code: 'RPC_ERROR', rpcCode: -32000, method: 'avm.getHeight', data });
  };
  await mcp({
    client: { call },
    options: {},
    env: { version: '0' },
    input: input(),
    write: (text: string) => {
      answer += text;
    },
  } as unknown as ClientContext);
  return JSON.parse(answer).result.content[0].text;
}

test('a refused call is told with the data of the node, if it has some', async () => {
  expect(await refusedWith({ height: 5 })).toContain('\nData: {"height":5}');
  for (const none of [undefined, null]) {
    const text = await refusedWith(none);
    expect(text).toStartWith('refused\nCode: RPC_ERROR');
    expect(text).not.toContain('Data:');
  }
});
