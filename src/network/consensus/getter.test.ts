import { describe, expect, test } from 'bun:test';
import type { EngineBlock } from '../../avm/vm.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { engineTypes } from '../messages/message-table.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { chainId, createTestTimers, createTestTransport, createTestVm, makeBlock, nodeId } from './engine.fixture.ts';
import { createGetter, defaultServedLimits, maxAncestorBytes } from './getter.ts';

const chainOf = (length: number, padding = ''): EngineBlock[] => {
  const blocks = [makeBlock(undefined, 'b0')];
  for (let index = 1; index < length; index++) blocks.push(makeBlock(blocks.at(-1), `b${index}${padding}`));
  return blocks;
};
const unknown = idOf(Uint8Array.of(9, 9));
const peer = nodeId(2);
const request = { chainId, requestId: 7, deadline: 2_000_000_000n };

function openGetter(blocks: readonly EngineBlock[], served = defaultServedLimits) {
  const vm = createTestVm(blocks);
  const transport = createTestTransport(nodeId(1));
  const timers = createTestTimers();
  const getter = createGetter({ chainId, transport, timers }, vm, { served });
  return {
    vm,
    timers,
    getter,
    transport,
    /** The answers to a request after enough time. */
    ask: (message: ChainMessage) => {
      transport.sent.length = 0;
      expect(getter.receive(peer, message)).toBe(true);
      timers.advance(1000);
      return transport.sent.map((sent) => sent.message);
    },
  };
}
const ancestorsOf = ([answer]: readonly ChainMessage[]): Uint8Array[] => {
  if (answer?.kind !== 'ancestors') throw new Error('no ancestors');
  return answer.containers;
};

describe('answers about accepted blocks', () => {
  const blocks = chainOf(5);
  const last = blocks.at(-1) as EngineBlock;
  test('the frontier is the last accepted block', () => {
    const { ask } = openGetter(blocks);
    expect(ask({ kind: 'getAcceptedFrontier', ...request })).toEqual([
      { kind: 'acceptedFrontier', chainId, requestId: 7, containerId: last.id },
    ]);
  });
  test('of the asked blocks those that are accepted, each once; processing and unknown ones are not', () => {
    const { ask, vm } = openGetter(blocks);
    const processing = makeBlock(last, 'p');
    vm.verify(processing);
    const containerIds = [blocks[2]!.id, unknown, processing.id, blocks[2]!.id, last.id];
    expect(ask({ kind: 'getAccepted', ...request, containerIds })).toEqual([
      { kind: 'accepted', chainId, requestId: 7, containerIds: [blocks[2]!.id, last.id] },
    ]);
  });
  test('a block, also one that is processing; silence for an unknown one', () => {
    const { ask, vm } = openGetter(blocks);
    const processing = makeBlock(last, 'p');
    vm.verify(processing);
    const get = (containerId: Id) => ask({ kind: 'get', ...request, containerId });
    expect(get(processing.id)).toEqual([{ kind: 'put', chainId, requestId: 7, container: processing.bytes }]);
    expect(get(blocks[1]!.id)).toHaveLength(1);
    expect(get(unknown)).toEqual([]);
  });
  test('silence for a damaged block, without an error, which would close the connection', () => {
    const vm = createTestVm(blocks);
    const damaged = {
      ...vm,
      blockBytes: () => {
        throw new Fault('damaged block', { code: 'TEST_DAMAGED' });
      },
    };
    const transport = createTestTransport(nodeId(1));
    const getter = createGetter({ chainId, transport, timers: createTestTimers() }, damaged);
    expect(getter.receive(peer, { kind: 'get', ...request, containerId: last.id })).toBe(true);
    expect(transport.sent).toEqual([]);
  });
  test('state sync is not offered: only a question without heights is answered', () => {
    const { ask } = openGetter(blocks);
    expect(ask({ kind: 'getStateSummaryFrontier', ...request })).toEqual([]);
    expect(ask({ kind: 'getAcceptedStateSummary', ...request, heights: [3n] })).toEqual([]);
    expect(ask({ kind: 'getAcceptedStateSummary', ...request, heights: [] })).toEqual([
      { kind: 'acceptedStateSummary', chainId, requestId: 7, summaryIds: [] },
    ]);
  });
  test('other messages are left to others', () => {
    const { getter } = openGetter(blocks);
    expect(getter.receive(peer, { kind: 'pullQuery', ...request, containerId: last.id, requestedHeight: 1n })).toBe(false);
  });
});

describe('ancestors', () => {
  const getAncestors = (containerId: Id, engineType: number = engineTypes.chain) =>
    ({ kind: 'getAncestors', ...request, containerId, engineType }) as ChainMessage;
  test('the block first, then its parents, down to the first block; from a processing block too', () => {
    const blocks = chainOf(5);
    const { ask, vm } = openGetter(blocks);
    const processing = makeBlock(blocks.at(-1), 'p');
    vm.verify(processing);
    const expected = [processing, ...blocks.toReversed()].map(({ bytes }) => bytes);
    expect(ancestorsOf(ask(getAncestors(processing.id)))).toEqual(expected);
    expect(ancestorsOf(ask(getAncestors(blocks[2]!.id)))).toEqual(expected.slice(3));
    expect(ancestorsOf(ask(getAncestors(blocks[2]!.id, engineTypes.unspecified)))).toEqual(expected.slice(3));
  });
  test('an unknown block has an empty answer; a vertex has none', () => {
    const { ask } = openGetter(chainOf(2));
    expect(ancestorsOf(ask(getAncestors(unknown)))).toEqual([]);
    expect(ask(getAncestors(unknown, engineTypes.dag))).toEqual([]);
  });
  test('at most 2000 blocks', () => {
    const blocks = chainOf(2100);
    const { ask } = openGetter(blocks);
    expect(ancestorsOf(ask(getAncestors(blocks.at(-1)!.id)))).toHaveLength(defaultServedLimits.blocks);
  });
  test('at most as many blocks as the flag says', () => {
    const blocks = chainOf(20);
    const { ask } = openGetter(blocks, { ...defaultServedLimits, blocks: 7 });
    expect(ancestorsOf(ask(getAncestors(blocks.at(-1)!.id)))).toHaveLength(7);
  });
  test('at most 1,677,721 bytes with four for each length', () => {
    const blocks = chainOf(30, 'x'.repeat(100_000));
    const { ask } = openGetter(blocks);
    const containers = ancestorsOf(ask(getAncestors(blocks.at(-1)!.id)));
    const size = (list: readonly Uint8Array[]) => list.reduce((sum, { length }) => sum + length + 4, 0);
    expect(size(containers)).toBeLessThanOrEqual(maxAncestorBytes);
    expect(size([...containers, blocks[1]!.bytes])).toBeGreaterThan(maxAncestorBytes);
  });
  test('a flood of one peer is cut and does not delay another peer', () => {
    const blocks = chainOf(50);
    const { getter, timers, transport } = openGetter(blocks);
    for (let index = 0; index < 100; index++) getter.receive(peer, getAncestors(blocks.at(-1)!.id));
    getter.receive(nodeId(3), getAncestors(blocks.at(-1)!.id));
    timers.advance(1000);
    const order = transport.sent.map(({ to }) => to[0]);
    expect(order).toHaveLength(17);
    expect(order.indexOf(nodeId(3))).toBeLessThan(3);
  });
  test('a peer that disconnected gets no answer', () => {
    const blocks = chainOf(3);
    const { getter, timers, transport } = openGetter(blocks);
    getter.receive(peer, getAncestors(blocks.at(-1)!.id));
    getter.disconnected(peer);
    timers.advance(1000);
    expect(transport.sent).toEqual([]);
  });
});
