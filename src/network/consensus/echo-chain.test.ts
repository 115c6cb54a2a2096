import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { makeUnsignedBlock } from '../proposervm/outer-block.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { createEchoChain } from './echo-chain.ts';

const id = (byte: string) => byte.repeat(32) as Id;
const chainId = id('c0');
const peer = 'aa'.repeat(20) as NodeId;
const base = { chainId, requestId: 7, deadline: 1n };

function answersOf(message: ChainMessage, firstBlock: Id | undefined = id('00')): ChainMessage[] {
  const sent: ChainMessage[] = [];
  const handler = createEchoChain({
    chainId,
    firstBlock,
    transport: {
      send: (answer, to) => {
        expect(to).toEqual([peer]);
        sent.push(answer);
        return to;
      },
    },
  });
  handler.receive(peer, message);
  return sent;
}

test('a query is answered with the block that it names, a pushed block by the ID of its wrapper', () => {
  const chits = (asked: Id): ChainMessage => ({
    kind: 'chits',
    chainId,
    requestId: 7,
    preferredId: asked,
    preferredIdAtHeight: asked,
    acceptedId: id('00'),
    acceptedHeight: 0n,
  });
  expect(answersOf({ kind: 'pullQuery', ...base, containerId: id('11'), requestedHeight: 3n })).toEqual([chits(id('11'))]);
  const block = makeUnsignedBlock({ parentID: id('22'), timestamp: 1n, pChainHeight: 0n, epoch: undefined, inner: Uint8Array.of(1) });
  expect(answersOf({ kind: 'pushQuery', ...base, container: block.bytes, requestedHeight: 3n })).toEqual([chits(block.id)]);
  expect(answersOf({ kind: 'pushQuery', ...base, container: Uint8Array.of(1, 2, 3), requestedHeight: 3n })).toEqual([]);
});

test('a node that bootstraps gets answers: the first block is accepted, everything it names too, and there is no state to sync', () => {
  expect(answersOf({ kind: 'getAcceptedFrontier', ...base })).toEqual([
    { kind: 'acceptedFrontier', chainId, requestId: 7, containerId: id('00') },
  ]);
  expect(answersOf({ kind: 'getAccepted', ...base, containerIds: [id('11')] })).toEqual([
    { kind: 'accepted', chainId, requestId: 7, containerIds: [id('11')] },
  ]);
  expect(answersOf({ kind: 'getStateSummaryFrontier', ...base })).toEqual([
    { kind: 'stateSummaryFrontier', chainId, requestId: 7, summary: new Uint8Array() },
  ]);
  expect(answersOf({ kind: 'getAcceptedStateSummary', ...base, heights: [] })).toEqual([
    { kind: 'acceptedStateSummary', chainId, requestId: 7, summaryIds: [] },
  ]);
  expect(answersOf({ kind: 'getAncestors', ...base, containerId: id('11'), engineType: 2 })).toEqual([
    { kind: 'ancestors', chainId, requestId: 7, containers: [] },
  ]);
  expect(answersOf({ kind: 'get', ...base, containerId: id('11') })).toEqual([]);
});
