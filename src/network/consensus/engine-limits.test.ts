import { describe, expect, test } from 'bun:test';
import { idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { chainId, flush, makeBlock, nodeId } from './engine.fixture.ts';
import { engineLimits } from './engine-parameters.ts';
import { genesis, openEngine, peer } from './open-engine.fixture.ts';

describe('what peers can make an engine hold', () => {
  test('requests to one peer are limited', () => {
    const { pull, take, engine } = openEngine();
    for (let index = 0; index < 3 * engineLimits.blockRequests.perPeer.count; index++) pull(idOf(Uint8Array.of(index & 255, index >> 8)));
    expect(take('get')).toHaveLength(engineLimits.blockRequests.perPeer.count);
    expect(engine.state().blockRequests).toBe(engineLimits.blockRequests.perPeer.count);
  });
  test('peers without stake leave room for the requests and blocks of peers with stake', () => {
    const { engine, push, take } = openEngine();
    for (let node = 100; node < 120; node++)
      for (let index = 0; index < 200; index++) {
        const containerId = idOf(Uint8Array.of(node, index));
        const query = { chainId, requestId: index, deadline: 1n, requestedHeight: 1n } as const;
        engine.receive(nodeId(node), { kind: 'pullQuery', ...query, containerId });
      }
    expect(engine.state().blockRequests).toBe(engineLimits.blockRequests.withoutStake.count);
    take('get');
    push(makeBlock({ id: idOf(Uint8Array.of(200)), height: 1n }, 'orphan'));
    expect(take('get')).toHaveLength(1);
  });
  test('queries of peers without stake are processed after those of peers with stake', () => {
    const { engine, vm } = openEngine();
    const order: string[] = [];
    const send = (from: NodeId, text: string) => {
      const query = { chainId, requestId: 1, deadline: 1n, requestedHeight: 1n } as const;
      engine.receive(from, { kind: 'pushQuery', ...query, container: new TextEncoder().encode(text) });
    };
    const { parse } = vm;
    Object.assign(vm, {
      parse: (bytes: Uint8Array) => {
        order.push(new TextDecoder().decode(bytes));
        // What comes while this block is decoded has to wait.
        if (order.length === 1) {
          for (let node = 100; node < 110; node++) send(nodeId(node), 'other');
          send(peer, 'staker');
        }
        return parse(bytes);
      },
    });
    send(peer, 'first');
    expect([order.indexOf('staker'), order.length]).toEqual([1, 12]);
  });
  test('an endless chain of invented ancestors ends; then nothing is held', () => {
    const { push, sendAncestors, take, engine } = openEngine();
    const chain = [makeBlock({ id: idOf(Uint8Array.of(77)), height: 10n }, 'root')];
    for (let index = 0; index < 1500; index++) chain.push(makeBlock(chain.at(-1), 'x'));
    push(chain.pop()!);
    let most = 0;
    for (let get = take('getAncestors')[0]; get !== undefined; get = take('getAncestors')[0]) {
      sendAncestors([chain.pop()!], get.requestId);
      most = Math.max(most, engine.state().pendingBlocks);
    }
    expect(most).toBe(engineLimits.pendingBlocks.perPeer.count);
    expect(engine.state().pendingBlocks).toBe(0);
    expect(engine.state().missingBlocks).toBe(0);
  });
  test('a block far above the last accepted one is not held', () => {
    const { push, engine } = openEngine();
    push(makeBlock({ id: idOf(Uint8Array.of(5)), height: 10n ** 15n }, 'high'));
    expect([engine.state().pendingBlocks, engine.state().blockRequests]).toEqual([0, 0]);
  });
  test('a block whose height does not follow that of its parent is neither preverified nor held', () => {
    const { push, engine, vm } = openEngine();
    let preverified = 0;
    Object.assign(vm, {
      preverify: () => {
        preverified++;
        return new Promise<void>(() => {});
      },
    });
    for (const label of ['a', 'b', 'c']) push(makeBlock({ id: genesis.id, height: 1n }, label));
    expect([preverified, engine.state().pendingBlocks]).toEqual([0, 0]);
    push(makeBlock(genesis, 'd'));
    expect([preverified, engine.state().pendingBlocks]).toEqual([1, 1]);
  });
  test('the block of a query is copied only if it waits', () => {
    const { engine, vm } = openEngine();
    const parsed: Uint8Array[] = [];
    const [first, second] = [Uint8Array.of(1), Uint8Array.of(2)];
    const query = { chainId, requestId: 1, deadline: 1n, requestedHeight: 1n } as const;
    const { parse } = vm;
    Object.assign(vm, {
      parse: (bytes: Uint8Array) => {
        parsed.push(bytes);
        if (parsed.length === 1) engine.receive(peer, { kind: 'pushQuery', ...query, container: second });
        return parse(bytes);
      },
    });
    engine.receive(peer, { kind: 'pushQuery', ...query, container: first });
    expect(parsed).toEqual([first, second]);
    expect(parsed.map((bytes, i) => bytes === [first, second][i])).toEqual([true, false]);
  });
  test('malformed blocks are dropped', async () => {
    const { engine, fatal, vm } = openEngine();
    const container = Uint8Array.of(1, 2, 3);
    engine.receive(peer, { kind: 'pushQuery', chainId, requestId: 1, deadline: 1n, container, requestedHeight: 1n });
    engine.receive(peer, { kind: 'put', chainId, requestId: 9, container });
    await flush();
    expect([fatal, vm.calls]).toEqual([[], []]);
  });
});
