import { expect, test } from 'bun:test';
import { zeroId } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createRequester } from './requester.ts';

const [a, b] = ['a', 'b'] as unknown as [NodeId, NodeId];

function create() {
  const sent: [object, readonly NodeId[]][] = [];
  let requestId = 0;
  const transport = { request: (message: object, nodes: readonly NodeId[]) => void sent.push([message, nodes]) };
  const requester = createRequester({ chainId: zeroId, transport } as never, () => ++requestId);
  const settled: [string, unknown][] = [];
  const ask = (name: string, node: NodeId, kind: string): void =>
    void requester.ask(node, { kind } as never).then((answer) => settled.push([name, answer]));
  const outcome = async (): Promise<unknown[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return settled.splice(0);
  };
  return { ...requester, ask, sent, outcome };
}

test('a request goes to its node with the chain and an ID, and its response ends it once', async () => {
  const { ask, receive, sent, outcome } = create();
  ask('one', a, 'getAccepted');
  expect(sent).toEqual([[{ kind: 'getAccepted', chainId: zeroId, requestId: 1, deadline: 0n }, [a]]]);
  const response = { kind: 'accepted', requestId: 1 } as never;
  receive(a, response);
  receive(a, response);
  expect(await outcome()).toEqual([['one', response]]);
});

test.each([
  ['getAcceptedFrontier', 'acceptedFrontier'],
  ['getAccepted', 'accepted'],
  ['getAncestors', 'ancestors'],
  ['get', 'put'],
  ['pullQuery', 'chits'],
])('%s is answered by %s', async (kind, response) => {
  const { ask, receive, failed, outcome } = create();
  ask('answered', a, kind);
  receive(a, { kind: response, requestId: 1 } as never);
  ask('failed', a, kind);
  failed(a, 2, response as never);
  expect(await outcome()).toEqual([
    ['answered', { kind: response, requestId: 1 }],
    ['failed', undefined],
  ]);
});

test('a message of another node, with another ID, of another kind, or without an ID, is no response', async () => {
  const { ask, receive, failed, stop, outcome } = create();
  ask('one', a, 'get');
  receive(b, { kind: 'put', requestId: 1 } as never);
  receive(a, { kind: 'put', requestId: 2 } as never);
  receive(a, { kind: 'ancestors', requestId: 1 } as never);
  receive(a, { kind: 'appGossip' } as never);
  failed(b, 1, 'put');
  failed(a, 1, 'ancestors');
  expect(await outcome()).toEqual([]);
  ask('two', b, 'get');
  stop();
  expect(await outcome()).toEqual([
    ['one', undefined],
    ['two', undefined],
  ]);
});
