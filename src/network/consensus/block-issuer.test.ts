import { describe, expect, test } from 'bun:test';
import type { EngineBlock } from '../../avm/vm.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { engineTypes } from '../messages/message-table.ts';
import { flush, makeBlock, nodeId } from './engine.fixture.ts';
import { engineLimits } from './engine-parameters.ts';
import { genesis, openEngine, other, parameters, peer } from './open-engine.fixture.ts';
import { requestPatience } from './unissued-blocks.ts';

describe('an unknown block', () => {
  test('is asked for once; its ancestors follow from the same peer until they link up', async () => {
    const { pull, put, take, vm } = openEngine();
    const [a, b] = [makeBlock(genesis, 'a'), makeBlock(makeBlock(genesis, 'a'), 'b')];
    pull(b.id);
    pull(b.id);
    const [first, ...more] = take('get');
    expect([first?.containerId, more.length]).toEqual([b.id, 0]);
    put(b, first!.requestId);
    const [second] = take('get');
    expect(second?.containerId).toBe(a.id);
    put(a, second!.requestId);
    await flush();
    await flush();
    expect(vm.calls).toEqual(['verify a', 'verify b']);
  });
  test('is not a wrong block in a Put, which ends the request: it is asked for again at the next query', () => {
    const { pull, put, take, engine } = openEngine();
    const wanted = makeBlock(genesis, 'a');
    pull(wanted.id);
    put(makeBlock(genesis, 'x'), take('get')[0]!.requestId);
    expect(engine.state().blockRequests).toBe(0);
    pull(wanted.id);
    expect(take('get')).toHaveLength(1);
  });
});

describe('a block that its peer does not send', () => {
  const [silent, ...others] = [peer, other, nodeId(4)] as const;
  const receivers = (engine: ReturnType<typeof openEngine>) =>
    engine.transport.requests.flatMap(({ message, to }) => (message.kind === 'get' || message.kind === 'getAncestors' ? to : []));

  test('is asked for at other validators after half a second, and issued when one has it', async () => {
    const engine = openEngine([silent, ...others]);
    const { pull, take, timers, sendAncestors, vm } = engine;
    const block = makeBlock(genesis, 'a');
    pull(block.id, silent);
    expect(take('get')).toHaveLength(1);
    timers.advance(requestPatience - 100);
    expect(take('getAncestors')).toEqual([]);
    timers.advance(100);
    const [second] = take('getAncestors');
    expect(second?.containerId).toBe(block.id);
    const [, asked] = receivers(engine);
    expect(others).toContain(asked as NodeId);
    // It lacks the block: the last one is asked.
    sendAncestors([], second!.requestId, asked);
    timers.advance(requestPatience);
    const [third] = take('getAncestors');
    expect(new Set(receivers(engine))).toEqual(new Set([silent, ...others]));
    sendAncestors([block, genesis], third!.requestId, receivers(engine).at(-1));
    await flush();
    expect([vm.calls, engine.engine.state().blockRequests]).toEqual([['verify a'], 0]);
    timers.advance(20_000);
    expect(receivers(engine)).toHaveLength(3);
  });
  test('is given up when the last of those asked has failed', () => {
    const { engine, pull, take, timers } = openEngine([silent, other]);
    const block = makeBlock(genesis, 'a');
    pull(block.id, silent);
    const [first] = take('get');
    timers.advance(requestPatience);
    const [second] = take('getAncestors');
    engine.failed(silent, first!.requestId, 'put');
    expect(engine.state().blockRequests).toBe(1);
    engine.failed(other, second!.requestId, 'ancestors');
    expect(engine.state().blockRequests).toBe(0);
  });
  test('is asked for nowhere else if a peer without stake has named it', () => {
    const { pull, take, timers } = openEngine([peer, other]);
    pull(makeBlock(genesis, 'invented').id, nodeId(9));
    expect(take('get')).toHaveLength(1);
    timers.advance(5000);
    expect(take('getAncestors')).toEqual([]);
  });
});

describe('a node that is several blocks behind', () => {
  const growTo = (height: number): EngineBlock[] => {
    const blocks = [genesis];
    while (blocks.length <= height) blocks.push(makeBlock(blocks.at(-1), `b${blocks.length}`));
    return blocks;
  };

  test('asks for the missing blocks together, in answers of a limited number of blocks', async () => {
    const { push, sendAncestors, take, vm } = openEngine();
    const blocks = growTo(100);
    push(blocks[100] as EngineBlock);
    const [first] = take('getAncestors');
    expect([first?.containerId, first?.engineType]).toEqual([blocks[99]!.id, engineTypes.chain]);
    sendAncestors(blocks.slice(0, 100).reverse(), first!.requestId);
    // Only so many of an answer are used.
    const [second] = take('getAncestors');
    expect(second?.containerId).toBe(blocks[99 - engineLimits.ancestors]!.id);
    sendAncestors(blocks.slice(0, 100 - engineLimits.ancestors).reverse(), second!.requestId);
    for (let block = 0; block < 100; block++) await flush();
    expect(vm.calls.filter((call) => call.startsWith('verify'))).toHaveLength(100);
    expect([take('get'), take('getAncestors')]).toEqual([[], []]);
  });
  test('asks again when the answer is not what it asked for', async () => {
    const { push, sendAncestors, take, engine, vm } = openEngine();
    const blocks = growTo(10);
    for (const answer of [[], [blocks[5]], [{ bytes: Uint8Array.of(1) }, blocks[9]]] as EngineBlock[][]) {
      push(blocks[10] as EngineBlock);
      sendAncestors(answer, take('getAncestors')[0]!.requestId);
      expect([engine.state().blockRequests, engine.state().pendingBlocks]).toEqual([0, 0]);
    }
    push(blocks[10] as EngineBlock);
    engine.failed(peer, take('getAncestors')[0]!.requestId, 'ancestors');
    expect([engine.state().blockRequests, engine.state().pendingBlocks, vm.calls]).toEqual([0, 0, []]);
  });
});

describe('a refused block', () => {
  /** Answers every query for 100 ms with the block, and sends it when it is asked for. Returns how often that was. */
  const name = async (block: EngineBlock, { timers, take, chits, put }: ReturnType<typeof openEngine>): Promise<number> => {
    timers.advance(parameters.frontierPollInterval);
    for (const query of take('pullQuery')) chits(block.id, query);
    const asked = take('get');
    for (const { requestId } of asked) put(block, requestId);
    await flush();
    return asked.length;
  };

  test('is fetched and verified again with a growing pause, however often peers name it, and accepted when it is valid', async () => {
    const opened = openEngine();
    const { vm, invalid, timers } = opened;
    const { verify } = vm;
    Object.assign(vm, {
      verify: () => {
        throw new Error('the validators are not known');
      },
    });
    const block = makeBlock(genesis, 'a');
    let asked = 0;
    for (let tenth = 0; tenth < 600; tenth++) asked += await name(block, opened);
    // After 0, 0.25 and 0.75 s, then every second.
    expect([asked, invalid.length]).toEqual([62, 62]);
    Object.assign(vm, { verify });
    const began = timers.now();
    while (!vm.calls.includes('verify a') && timers.now() - began < 20_000) await name(block, opened);
    expect(timers.now() - began).toBeLessThanOrEqual(5200);
  });
});
