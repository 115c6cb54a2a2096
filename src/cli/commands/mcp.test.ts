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

/** What a tool answers with a client of a node. */
async function answerOf(name: string, client: object): Promise<string> {
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{}}}\n`);
  }
  let answer = '';
  await mcp({
    client,
    options: {},
    env: { version: '0' },
    input: input(),
    write: (text: string) => {
      answer += text;
    },
  } as unknown as ClientContext);
  return JSON.parse(answer).result.content[0].text;
}

/** What a tool answers whose call the node refuses with this data. */
const refusedWith = (data: unknown): Promise<string> =>
  answerOf('avm_getHeight', {
    call: async () => {
      throw new SeracError('refused', { code: 'RPC_ERROR', rpcCode: -32000, method: 'avm.getHeight', data });
    },
  });

test('a refused call is told with the data of the node, if it has some', async () => {
  expect(await refusedWith({ height: 5 })).toContain('\nData: {"height":5}');
  for (const none of [undefined, null]) {
    const text = await refusedWith(none);
    expect(text).toStartWith('refused\nCode: RPC_ERROR');
    expect(text).not.toContain('Data:');
  }
});

test('the Data API is asked by the own name of the network, of a node and of serac api: as fuji it would spell addresses of fuji', async () => {
  const request = async (path: string) => Response.json(path === '/' ? { network: 'network-1337' } : { path });
  const readText = (response: Response) => response.text();
  const asked = (call: () => Promise<unknown>) => answerOf('data_listLatestPrimaryNetworkBlocks', { call, request, readText });
  expect(await asked(async () => ({ networkName: 'local' }))).toBe('{"path":"/v1/networks/local/blockchains/x-chain/blocks"}');
  const noRpc = async () => {
    throw new SeracError('404', { code: 'NODE_HTTP', url: '', status: 404 });
  };
  expect(await asked(noRpc)).toBe('{"path":"/v1/networks/network-1337/blockchains/x-chain/blocks"}');
});
