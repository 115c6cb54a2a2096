import { describe, expect, test } from 'bun:test';
import { fromHex } from '../../base/bytes/hex.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createConnectedValidators } from '../consensus/connected-validators.ts';
import { chainId, createTestTimers, createTestTransport, flush, nodeId, seededBytes } from '../consensus/engine.fixture.ts';
import { GossipItems, joinAppBytes, PullGossip, splitAppBytes } from '../messages/gossip.ts';
import { bloomHash, createBloomFilter, parseBloomFilter } from '../protocol/bloom-filter.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { defaultGossipParameters, gossipLimits } from './gossip-parameters.ts';
import { pullRequestLimit } from './pull-server.ts';
import { createReceivedQueue } from './received-queue.ts';
import { type GossipItem, startTxGossip } from './tx-gossip.ts';

const [self, peer] = [nodeId(1), nodeId(2)];
const txOf = (text: string): GossipItem => {
  const bytes = new TextEncoder().encode(text);
  return { id: idOf(bytes), bytes };
};

/** A node whose pool refuses transactions that begin with "bad". */
function openGossip(stakers: readonly NodeId[], peers: readonly NodeId[] = [peer]) {
  const pool = new Map<Id, GossipItem>();
  const verified: string[] = [];
  const transport = createTestTransport(self);
  const timers = createTestTimers();
  const set = new Map(stakers.map((node) => [node, 100n] as const));
  const network = new Map([self, ...peers].map((node) => [node, 100n] as const));
  const connected = createConnectedValidators(self, { current: () => network }, seededBytes());
  for (const node of peers) connected.connected(node);
  const gossip = startTxGossip(
    { chainId, transport, timers, randomBytes: seededBytes() },
    {
      connected,
      stakers: () => set,
      parameters: defaultGossipParameters,
      onError: (error) => {
        throw error;
      },
      pool: {
        has: (id) => pool.has(id),
        items: () => pool.values(),
        count: () => pool.size,
        add: (bytes) => {
          const text = new TextDecoder().decode(bytes);
          verified.push(text);
          if (!text.startsWith('bad')) pool.set(idOf(bytes), { id: idOf(bytes), bytes });
          return !text.startsWith('bad');
        },
      },
    },
  );
  const issue = (text: string): void => {
    const tx = txOf(text);
    pool.set(tx.id, tx);
    gossip.issued(tx);
  };
  const push = (texts: readonly string[], from = peer): void => {
    const content = GossipItems.encode({ items: texts.map((text) => txOf(text).bytes) });
    gossip.receive(from, { kind: 'appGossip', chainId, appBytes: joinAppBytes({ handler: 0, content }) });
  };
  const pull = (appBytes: Uint8Array, from = peer): ChainMessage | undefined => {
    transport.sent.length = 0;
    gossip.receive(from, { kind: 'appRequest', chainId, requestId: 5, deadline: 1n, appBytes });
    timers.advance(1);
    return transport.sent.find(({ message }) => message.kind !== 'appGossip')?.message;
  };
  const pushed = () =>
    transport.sent.flatMap(({ message, to }) =>
      message.kind === 'appGossip' ? [{ to, texts: textsOf(splitAppBytes(message.appBytes).content) }] : [],
    );
  return { gossip, pool, verified, transport, timers, issue, push, pull, pushed };
}
const textsOf = (content: Uint8Array): string[] => GossipItems.decode(content).items.map((item) => new TextDecoder().decode(item));
const emptyPull = (salt = new Uint8Array(32), filter = createBloomFilter(new Uint8Array(8), 64).bytes()) =>
  joinAppBytes({ handler: 0, content: PullGossip.encode({ salt, filter }) });

describe('push', () => {
  test('a transaction of this node goes to peers at once, again after 30 s while it waits, then no more', () => {
    const { issue, pushed, timers, pool } = openGossip([]);
    timers.advance(10_000);
    issue('a');
    timers.advance(1);
    expect(pushed()).toEqual([{ to: [peer], texts: ['a'] }]);
    timers.advance(29_000);
    expect(pushed()).toHaveLength(1);
    timers.advance(2000);
    expect(pushed()).toHaveLength(2);
    pool.clear();
    timers.advance(120_000);
    expect(pushed()).toHaveLength(2);
  });
  test('two rounds are never within half a second', () => {
    const { issue, pushed, timers } = openGossip([]);
    issue('a');
    timers.advance(1);
    issue('b');
    timers.advance(400);
    issue('c');
    timers.advance(98);
    expect(pushed()).toHaveLength(1);
    timers.advance(2);
    expect(pushed().map(({ texts }) => texts)).toEqual([['a'], ['b', 'c']]);
  });
  test('a round holds about 20 KiB', () => {
    const { issue, pushed, timers } = openGossip([]);
    for (let index = 0; index < 50; index++) issue(`${index} ${'x'.repeat(1000)}`);
    timers.advance(500);
    expect(pushed()[0]?.texts).toHaveLength(21);
    timers.advance(1000);
    expect(pushed().flatMap(({ texts }) => texts)).toHaveLength(50);
  });
  test('a pushed transaction is added once and not pushed further; an invalid one is not verified again for a while', () => {
    const { push, pushed, pool, verified, timers } = openGossip([]);
    push(['a', 'bad', 'a']);
    push(['a', 'bad']);
    expect([verified, pool.size]).toEqual([['a', 'bad'], 1]);
    timers.advance(60_000);
    expect(pushed()).toEqual([]);
    push(['bad']);
    expect(verified).toEqual(['a', 'bad', 'bad']);
  });
  test('other handlers and malformed messages are ignored', () => {
    const { gossip, verified } = openGossip([]);
    for (const appBytes of [Uint8Array.of(), Uint8Array.of(7, 1), Uint8Array.of(0, 255, 255), Uint8Array.of(0, 10, 50, 1)])
      gossip.receive(peer, { kind: 'appGossip', chainId, appBytes });
    expect(verified).toEqual([]);
  });
});

describe('pull', () => {
  test('is asked every 1.5 s, only by a validator, with a filter of what it has', () => {
    const { issue, timers, transport } = openGossip([self, peer]);
    issue('a');
    timers.advance(1500);
    const [request] = transport.requests;
    if (request?.message.kind !== 'appRequest') throw new Error('no pull');
    const { salt, filter } = PullGossip.decode(splitAppBytes(request.message.appBytes).content);
    const contains = (text: string) => parseBloomFilter(filter).contains(bloomHash(fromHex(txOf(text).id), salt));
    expect([salt.length, filter.length, contains('a'), contains('b')]).toEqual([32, 9815 + 1 + 7 * 8, true, false]);
    timers.advance(3000);
    expect(transport.requests.map(({ message }) => message.kind === 'appRequest' && message.requestId)).toEqual([1, 3, 5]);
    const outsider = openGossip([peer]);
    outsider.timers.advance(10_000);
    expect(outsider.transport.requests).toEqual([]);
  });
  test('is sent each fourth time after four answers without transactions, and each time again from the next transaction on', () => {
    const { gossip, issue, timers, transport } = openGossip([self, peer]);
    const sentIn = (milliseconds: number): number => {
      const before = transport.requests.length;
      timers.advance(milliseconds);
      return transport.requests.length - before;
    };
    const answer = (texts: readonly string[]): void => {
      const appBytes = GossipItems.encode({ items: texts.map((text) => txOf(text).bytes) });
      gossip.receive(peer, { kind: 'appResponse', chainId, requestId: 1, appBytes });
    };
    for (let i = 0; i < 3; i++) answer([]);
    expect(sentIn(6000)).toBe(4);
    answer([]);
    expect([sentIn(4500), sentIn(1500), sentIn(6000)]).toEqual([0, 1, 1]);
    answer(['a']);
    expect(sentIn(6000)).toBe(4);
    for (let i = 0; i < 4; i++) answer([]);
    expect(sentIn(6000)).toBe(1);
    issue('b');
    expect(sentIn(1500)).toBe(1);
  });
  test('is answered with what the filter does not contain, until it exceeds 20 KiB', () => {
    const { issue, pull, gossip } = openGossip([self, peer]);
    for (let index = 0; index < 40; index++) issue(`${index} ${'x'.repeat(1000)}`);
    const known = createBloomFilter(
      Uint8Array.from({ length: 8 }, () => 3),
      4096,
    );
    for (let index = 0; index < 30; index++) known.add(bloomHash(fromHex(txOf(`${index} ${'x'.repeat(1000)}`).id), new Uint8Array(32)));
    const [all, rest] = [pull(emptyPull()), pull(emptyPull(new Uint8Array(32), known.bytes()))];
    if (all?.kind !== 'appResponse' || rest?.kind !== 'appResponse') throw new Error('no answer');
    expect(textsOf(all.appBytes)).toHaveLength(21);
    expect(textsOf(rest.appBytes).map((text) => Number(text.split(' ')[0]))).toEqual([30, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
    // Nothing of 21 looked at, and 30 of 40: 75 %.
    expect(gossip.counters().hitRates).toMatchObject({ counts: [1, 0, 0, 1, 0], sum: 75 });
  });
  test('errors as AvalancheGo gives them', () => {
    const { pull } = openGossip([self, peer], [peer, nodeId(3)]);
    const codeOf = (message: ChainMessage | undefined) => message?.kind === 'appError' && [message.errorCode, message.errorMessage];
    expect(codeOf(pull(Uint8Array.of(9, 1)))).toEqual([-2, 'unregistered handler']);
    expect(codeOf(pull(emptyPull(), nodeId(3)))).toEqual([-3, 'not a validator']);
    expect(codeOf(pull(emptyPull(new Uint8Array(31))))).toEqual([-1, 'unexpected error']);
    expect(codeOf(pull(emptyPull(new Uint8Array(32), new Uint8Array(3))))).toEqual([-1, 'unexpected error']);
  });
  test('the limit per hour is the one observed with six validators: the 475th request is refused', () => {
    expect(pullRequestLimit(2400, 6).toFixed(2)).toBe('473.03');
    const stakers = [1, 2, 3, 4, 5, 6].map(nodeId);
    const { pull, timers } = openGossip(stakers, stakers.slice(1));
    const kinds = Array.from({ length: 476 }, () => pull(emptyPull())?.kind);
    expect(kinds.indexOf('appError')).toBe(474);
    timers.advance(2 * defaultGossipParameters.pullPeriod);
    expect(pull(emptyPull())?.kind).toBe('appResponse');
  });
  test('an answer brings its transactions into the pool', () => {
    const { gossip, pool } = openGossip([self, peer]);
    gossip.receive(peer, { kind: 'appResponse', chainId, requestId: 1, appBytes: GossipItems.encode({ items: [txOf('p').bytes] }) });
    expect([pool.size, gossip.counters().receivedPull.count, gossip.counters().received.added]).toEqual([1, 1, 1]);
  });
});

test('received transactions: those of peers with stake first, bounded by bytes, and given back when a peer leaves', async () => {
  const [staker, ...others] = Array.from({ length: 20 }, (_, i) => nodeId(i + 1)) as [NodeId, ...NodeId[]];
  const verified: number[] = [];
  const first = Promise.withResolvers<boolean>();
  const pool = {
    has: () => false,
    add: (bytes: Uint8Array): boolean | Promise<boolean> => {
      verified.push(bytes[0] as number);
      return verified.length === 1 ? first.promise : true;
    },
  };
  const queue = createReceivedQueue(
    pool,
    createTestTimers(),
    (node) => node === staker,
    () => {},
    (error) => expect(error).toBeUndefined(),
  );
  const size = 60_000;
  const item = (kind: number, node: number, index: number): Uint8Array => {
    const bytes = new Uint8Array(size);
    bytes.set([kind, node, index]);
    return bytes;
  };
  // The first one is verified for long; meanwhile 19 peers without stake send 600 kB each.
  queue.add(staker, [item(0, 0, 0)]);
  for (const [i, node] of others.entries())
    queue.add(
      node,
      Array.from({ length: 10 }, (_, index) => item(1, i, index)),
    );
  const { perPeer, withoutStake } = gossipLimits.queued;
  expect(queue.queuedBytes()).toBeGreaterThan(withoutStake.bytes - size);
  expect(queue.queuedBytes()).toBeLessThanOrEqual(withoutStake.bytes);
  queue.add(staker, [item(2, 0, 0)]);
  const before = queue.queuedBytes();
  queue.disconnected(others[0] as NodeId);
  expect(before - queue.queuedBytes()).toBe(Math.floor(perPeer.bytes / size) * size);
  first.resolve(true);
  await flush();
  expect(verified.slice(0, 3)).toEqual([0, 2, 1]);
  expect([queue.queuedBytes(), verified.length]).toEqual([0, 2 + Math.floor((before - size) / size) - Math.floor(perPeer.bytes / size)]);
});

test('received transactions: peers take turns, so that slow ones of one peer do not delay those of another', async () => {
  const verified: number[] = [];
  const queue = createReceivedQueue(
    {
      has: () => false,
      add: (bytes) => {
        verified.push(bytes[0] as number);
        return Promise.resolve(false);
      },
    },
    createTestTimers(),
    () => true,
    () => {},
    (error) => expect(error).toBeUndefined(),
  );
  queue.add(
    peer,
    [10, 11, 12, 13, 14].map((kind) => Uint8Array.of(kind)),
  );
  queue.add(nodeId(50), [Uint8Array.of(20), Uint8Array.of(21)]);
  for (let i = 0; i < 10; i++) await flush();
  expect(verified).toEqual([10, 11, 20, 12, 21, 13, 14]);
});

test('received transactions: an error of one is reported, and the next are verified; after a stop nothing is reported', async () => {
  const verified: number[] = [];
  const errors: unknown[] = [];
  const running = Promise.withResolvers<boolean>();
  const add = (bytes: Uint8Array): boolean | Promise<boolean> => {
    verified.push(bytes[0] as number);
    if (bytes[0] === 1) throw new Error('thrown');
    if (bytes[0] === 2) return Promise.reject(new Error('rejected'));
    return bytes[0] === 4 ? running.promise : true;
  };
  const queue = createReceivedQueue(
    { has: () => false, add },
    createTestTimers(),
    () => true,
    () => {},
    (error) => void errors.push(String(error)),
  );
  queue.add(
    peer,
    [1, 2, 3, 4, 5].map((kind) => Uint8Array.of(kind)),
  );
  await flush();
  expect([verified, errors]).toEqual([
    [1, 2, 3, 4],
    ['Error: thrown', 'Error: rejected'],
  ]);
  expect(queue.counts()).toEqual({ added: 1, refused: 2, dropped: 0 });
  queue.stop();
  running.reject(new Error('late'));
  await flush();
  expect([verified.length, errors.length]).toEqual([4, 2]);
});
