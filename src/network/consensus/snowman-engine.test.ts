import { describe, expect, test } from 'bun:test';
import type { EngineBlock } from '../../avm/vm.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { MessageOfKind } from '../messages/message.ts';
import { createConnectedValidators } from './connected-validators.ts';
import { createEngineCounters } from './counters.ts';
import { chainId, createTestTimers, createTestTransport, createTestVm, flush, makeBlock, nodeId, seededBytes } from './engine.fixture.ts';
import { defaultEngineParameters, engineLimits } from './engine-parameters.ts';
import { startSnowmanEngine } from './snowman-engine.ts';

const genesis = makeBlock(undefined, 'g');
const [self, peer, other] = [nodeId(1), nodeId(2), nodeId(3)];
/** One validator beside this node: every poll asks it, and its answers decide. */
const parameters = { ...defaultEngineParameters, k: 2, alphaPreference: 2, alphaConfidence: 2, beta: 3, concurrentRepolls: 1 };

function openEngine(validators: readonly NodeId[] = [peer], blocks: readonly EngineBlock[] = [genesis]) {
  const vm = createTestVm(blocks);
  const transport = createTestTransport(self);
  const timers = createTestTimers();
  const set = new Map(validators.map((node) => [node, 100n] as const));
  const connected = createConnectedValidators(self, { current: () => set }, seededBytes());
  for (const node of validators) connected.connected(node);
  let requestId = 0;
  const invalid: string[] = [];
  const fatal: unknown[] = [];
  const counters = createEngineCounters();
  const engine = startSnowmanEngine({
    chainId,
    vm,
    transport,
    validators: { current: () => set },
    connected,
    timers,
    randomBytes: seededBytes(),
    nextRequestId: () => ++requestId,
    parameters,
    counters,
    onInvalid: (block) => void invalid.push(block?.id ?? 'none'),
    onFatal: (error) => void fatal.push(error),
  });
  const chits = (id: Id, message: { requestId: number }, from = peer, accepted = genesis): void =>
    engine.receive(from, {
      kind: 'chits',
      chainId,
      requestId: message.requestId,
      preferredId: id,
      preferredIdAtHeight: id,
      acceptedId: accepted.id,
      acceptedHeight: accepted.height,
    });
  const push = (block: EngineBlock, from = peer, requestedHeight = 1n): void =>
    engine.receive(from, { kind: 'pushQuery', chainId, requestId: 1, deadline: 1n, container: block.bytes, requestedHeight });
  const pull = (id: Id, from = peer, requestedHeight = 1n): void =>
    engine.receive(from, { kind: 'pullQuery', chainId, requestId: 1, deadline: 1n, containerId: id, requestedHeight });
  const put = (block: EngineBlock, requestId: number, from = peer): void =>
    engine.receive(from, { kind: 'put', chainId, requestId, container: block.bytes });
  /** Requests of a kind since the last call. */
  const taken = new Set<unknown>();
  const take = <K extends 'get' | 'pullQuery' | 'pushQuery'>(kind: K): MessageOfKind<K>[] => {
    const found = transport.requests.filter(({ message }) => message.kind === kind && !taken.has(message)).map(({ message }) => message);
    for (const message of found) taken.add(message);
    return found as unknown as MessageOfKind<K>[];
  };
  const sentChits = () => transport.sent.map(({ message }) => message as MessageOfKind<'chits'>).filter(({ kind }) => kind === 'chits');
  return { engine, vm, transport, timers, counters, invalid, fatal, chits, push, pull, put, take, sentChits };
}

test('the chain builds on the last accepted block from the start, and on the preferred one after a block is verified', async () => {
  const [a, b] = [makeBlock(genesis, 'a'), makeBlock(genesis, 'b')];
  const { vm, push } = openEngine([peer], [genesis, a]);
  expect(vm.preferences).toEqual([a.id]);
  const next = makeBlock(a, 'next');
  push(next);
  push(b);
  await flush();
  expect(vm.preferences).toEqual([a.id, next.id]);
});

describe('queries', () => {
  test('are answered at once, before the block that they bring is verified, and never name an unverified block', async () => {
    const { push, sentChits, vm } = openEngine();
    const block = makeBlock(genesis, 'a');
    push(block);
    const answer = { kind: 'chits', chainId, requestId: 1, acceptedId: genesis.id, acceptedHeight: 0n } as const;
    expect(sentChits()).toEqual([{ ...answer, preferredId: genesis.id, preferredIdAtHeight: genesis.id }]);
    await flush();
    expect(vm.calls).toEqual(['verify a']);
    push(block);
    expect(sentChits()[1]).toEqual({ ...answer, preferredId: block.id, preferredIdAtHeight: block.id });
  });
  describe('while a block is being prepared', () => {
    /** An engine that prefers `a` and prepares its sibling `b` until `finish` is called. */
    async function openPreparing() {
      const opened = openEngine([peer, other]);
      const [a, b] = [makeBlock(genesis, 'a'), makeBlock(genesis, 'b')];
      opened.push(a);
      await flush();
      let finish = (): void => {};
      const prepared = new Promise<void>((resolve) => {
        finish = resolve;
      });
      Object.assign(opened.vm, { prepare: () => prepared });
      const [poll] = opened.take('pullQuery');
      opened.push(b);
      const preferences = () => opened.sentChits().map(({ preferredId }) => preferredId);
      return { ...opened, a, b, poll: poll!, finish, preferences };
    }
    test('they are answered after it, by the preference after the votes that waited for it', async () => {
      const { a, b, poll, finish, chits, pull, vm, preferences } = await openPreparing();
      expect(preferences()).toEqual([genesis.id, a.id]);
      chits(b.id, poll, peer);
      chits(b.id, poll, other);
      pull(a.id, peer);
      pull(a.id, other);
      await flush();
      expect(preferences()).toEqual([genesis.id, a.id]);
      finish();
      await flush();
      expect(vm.calls).toEqual(['verify a', 'verify b']);
      expect(preferences()).toEqual([genesis.id, a.id, b.id, b.id]);
    });
    test('they are answered once, after a second at the latest', async () => {
      const { a, finish, pull, timers, preferences } = await openPreparing();
      pull(a.id);
      timers.advance(engineLimits.answerWait - 1);
      expect(preferences()).toHaveLength(2);
      timers.advance(1);
      expect(preferences()).toEqual([genesis.id, a.id, a.id]);
      finish();
      await flush();
      timers.advance(engineLimits.answerWait);
      expect(preferences()).toHaveLength(3);
    });
    test('answers that wait are limited for each peer', async () => {
      const { a, finish, pull, preferences } = await openPreparing();
      for (let index = 0; index < engineLimits.waitingAnswers.perPeer.count + 3; index++) pull(a.id);
      pull(a.id, other);
      expect(preferences()).toHaveLength(2 + 3);
      finish();
      await flush();
      expect(preferences()).toHaveLength(2 + engineLimits.waitingAnswers.perPeer.count + 3 + 1);
    });
    test('they are answered if it is refused', async () => {
      const { a, finish, pull, vm, invalid, preferences } = await openPreparing();
      Object.assign(vm, {
        verify: () => {
          throw new Error('invalid');
        },
      });
      pull(a.id);
      finish();
      await flush();
      expect([invalid.length, preferences().at(-1)]).toEqual([1, a.id]);
      expect(preferences()).toHaveLength(3);
    });
  });
  test('the block at the requested height: accepted below, preferred above, else the tip', async () => {
    const chain = [genesis];
    for (let height = 1; height < 4; height++) chain.push(makeBlock(chain.at(-1), `b${height}`));
    const { pull, push, sentChits } = openEngine([peer], chain);
    const next = makeBlock(chain[3], 'next');
    push(next);
    await flush();
    for (const height of [1n, 3n, 4n, 99n]) pull(next.id, peer, height);
    expect(
      sentChits()
        .slice(1)
        .map(({ preferredIdAtHeight }) => preferredIdAtHeight),
    ).toEqual([chain[1]!.id, chain[3]!.id, next.id, next.id]);
  });
  test('an unknown block is asked for once; its ancestors follow from the same peer until they link up', async () => {
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
  test('a wrong block in a Put ends the request; the block is asked for again at the next query', () => {
    const { pull, put, take, engine } = openEngine();
    const wanted = makeBlock(genesis, 'a');
    pull(wanted.id);
    put(makeBlock(genesis, 'x'), take('get')[0]!.requestId);
    expect(engine.state().blockRequests).toBe(0);
    pull(wanted.id);
    expect(take('get')).toHaveLength(1);
  });
});

describe('polls', () => {
  test('three answers in a row accept a block; a lone answer against it delays that', async () => {
    const { push, chits, take, vm, counters } = openEngine();
    const block = makeBlock(genesis, 'a');
    push(block);
    await flush();
    const answer = (id: Id): void => chits(id, take('pullQuery').at(-1)!);
    answer(block.id);
    answer(block.id);
    answer(genesis.id);
    answer(block.id);
    answer(block.id);
    expect(vm.calls).toEqual(['verify a']);
    answer(block.id);
    expect(vm.calls).toEqual(['verify a', 'accept a']);
    expect([counters.accepted, counters.issued.push_gossip]).toEqual([1, 1]);
    const { acceptedPolls, acceptedLatencies, polls } = counters;
    expect([acceptedPolls, acceptedLatencies.counts, polls.exhausted.count, polls.early_alpha.count]).toEqual([6, [1, 0, 0, 0, 0], 6, 0]);
  });
  test('of two siblings one is accepted, then the other rejected', async () => {
    const { push, chits, take, vm } = openEngine();
    const [a, b] = [makeBlock(genesis, 'a'), makeBlock(genesis, 'b')];
    push(a);
    push(b);
    await flush();
    for (let poll = 0; poll < 8 && !vm.calls.includes('accept b'); poll++) for (const query of take('pullQuery')) chits(b.id, query);
    expect(vm.calls).toEqual(['verify a', 'verify b', 'accept b', 'reject a']);
  });
  test('a vote for a block that is invalid here counts for its parent', async () => {
    const { push, chits, take, vm, invalid } = openEngine();
    const parent = makeBlock(genesis, 'a');
    const child = makeBlock(parent, 'bad');
    push(parent);
    await flush();
    push(child);
    await flush();
    for (let poll = 0; poll < 4; poll++) {
      for (const query of take('pullQuery')) chits(child.id, query);
      await flush();
    }
    expect(vm.calls).toEqual(['verify a', 'accept a']);
    // It is not verified again with each vote.
    expect(invalid).toEqual([child.id]);
  });
  test('a voter that does not answer votes for what it said it had accepted', async () => {
    const { push, chits, take, vm, engine } = openEngine();
    const block = makeBlock(genesis, 'a');
    push(block);
    await flush();
    chits(block.id, take('pullQuery').at(-1)!, peer, block);
    for (let poll = 0; poll < 3; poll++) for (const { requestId } of take('pullQuery')) engine.failed(peer, requestId, 'chits');
    expect(vm.calls).toEqual(['verify a', 'accept a']);
  });
  test('without enough connected stake nobody is asked', async () => {
    const { push, take } = openEngine([peer, other, nodeId(4), nodeId(5)]);
    const few = openEngine([]);
    push(makeBlock(genesis, 'a'));
    few.push(makeBlock(genesis, 'a'));
    await flush();
    expect(take('pullQuery').length).toBeGreaterThan(0);
    expect(few.take('pullQuery')).toEqual([]);
  });
  test('an idle engine asks one validator for its frontier and follows what it names', async () => {
    const { timers, take, chits, put, vm } = openEngine();
    timers.advance(parameters.frontierPollInterval);
    const [query] = take('pullQuery');
    expect([query?.containerId, query?.requestedHeight]).toEqual([genesis.id, 1n]);
    const block = makeBlock(genesis, 'a');
    chits(block.id, query!);
    put(block, take('get')[0]!.requestId);
    await flush();
    expect(vm.calls).toEqual(['verify a']);
    expect(take('pullQuery')).toHaveLength(1);
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
    // After 0, 0.25, 0.75, 1.75, 3.75 and 7.75 s, then every 5 s.
    expect([asked, invalid.length]).toEqual([16, 16]);
    Object.assign(vm, { verify });
    const began = timers.now();
    while (!vm.calls.includes('verify a') && timers.now() - began < 20_000) await name(block, opened);
    expect(timers.now() - began).toBeLessThanOrEqual(5200);
  });
});

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
    const { push, put, take, engine } = openEngine();
    const chain = [makeBlock({ id: idOf(Uint8Array.of(77)), height: 10n }, 'root')];
    for (let index = 0; index < 1500; index++) chain.push(makeBlock(chain.at(-1), 'x'));
    push(chain.pop()!);
    let most = 0;
    for (let get = take('get')[0]; get !== undefined; get = take('get')[0]) {
      put(chain.pop()!, get.requestId);
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
  test('a block whose height does not follow that of its parent is neither prepared nor held', () => {
    const { push, engine, vm } = openEngine();
    let prepared = 0;
    Object.assign(vm, {
      prepare: () => {
        prepared++;
        return new Promise<void>(() => {});
      },
    });
    for (const label of ['a', 'b', 'c']) push(makeBlock({ id: genesis.id, height: 1n }, label));
    expect([prepared, engine.state().pendingBlocks]).toEqual([0, 0]);
    push(makeBlock(genesis, 'd'));
    expect([prepared, engine.state().pendingBlocks]).toEqual([1, 1]);
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

test('an error while a decided block is executed stops the engine and is reported once', async () => {
  const { push, chits, take, vm, fatal } = openEngine();
  const failing = vm as { accept: (ids: readonly Id[]) => void };
  failing.accept = () => {
    throw new Error('disk full');
  };
  const block = makeBlock(genesis, 'a');
  push(block);
  await flush();
  for (let poll = 0; poll < 6; poll++) for (const query of take('pullQuery')) chits(block.id, query);
  expect(fatal.map(String)).toEqual(['Error: disk full']);
});
