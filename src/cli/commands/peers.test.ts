import { expect, test } from 'bun:test';
import type { ClientContext } from './client-command.ts';
import { peers } from './peers.ts';

async function linesOf(list: readonly object[] | null, json = false): Promise<string[]> {
  const lines: string[] = [];
  const client = {
    call: async (path: string, method: string, params: object) => {
      expect([path, method, params]).toEqual(['/ext/info', 'info.peers', { nodeIDs: [] }]);
      return { peers: list, numPeers: '0' };
    },
  };
  const code = await peers({ client, options: { json }, print: (line: string) => lines.push(line) } as unknown as ClientContext);
  expect(code).toBeUndefined();
  return lines;
}
const peer = { nodeID: 'NodeID-A', ip: '127.0.0.1:9651', version: 'avalanchego/1.14.2' };

test('peers are a table; chains on which one is benched are a column if there are any', async () => {
  expect(await linesOf([peer, { ...peer, benched: null }, { ...peer, benched: [] }])).toEqual([
    'NODE ID   ADDRESS         VERSION',
    ...Array.from({ length: 3 }, () => 'NodeID-A  127.0.0.1:9651  avalanchego/1.14.2'),
  ]);
  expect(await linesOf([peer, { ...peer, benched: ['X'] }, { ...peer, benched: ['X', 'P'] }])).toEqual([
    'NODE ID   ADDRESS         VERSION             BENCHED',
    'NodeID-A  127.0.0.1:9651  avalanchego/1.14.2',
    'NodeID-A  127.0.0.1:9651  avalanchego/1.14.2  X',
    'NodeID-A  127.0.0.1:9651  avalanchego/1.14.2  X, P',
  ]);
});

test('one benched chain is enough for its column', async () => {
  expect((await linesOf([{ ...peer, benched: ['X'] }])).map((line) => line.slice(46))).toEqual(['BENCHED', 'X']);
});

test('without peers the command says which nodes have some; as JSON it prints what the node sent', async () => {
  const none = ['no peers; serac join and serac testnet run nodes with peers'];
  expect([await linesOf([]), await linesOf(null)]).toEqual([none, none]);
  expect(await linesOf([peer], true)).toEqual([JSON.stringify({ peers: [peer], numPeers: '0' })]);
  expect(await linesOf(null, true)).toEqual(['{"peers":null,"numPeers":"0"}']);
});
