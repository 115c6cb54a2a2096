import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { createTestTimers, nodeId } from './engine.fixture.ts';
import { createRequestServer, type SlowRequest } from './request-server.ts';

const none: SlowRequest = function* () {};

test('what waits is bounded by bytes, per peer and in total; a part is left to peers with stake, and leaving gives all back', () => {
  const timers = createTestTimers();
  const [staker, ...others] = Array.from({ length: 60 }, (_, i) => nodeId(i + 1));
  const server = createRequestServer(timers, (node) => node === staker);
  const size = 2_500_000;
  for (const node of others) for (let i = 0; i < 16; i++) server.add(node, Number.MAX_SAFE_INTEGER, size, none);
  // Three of each peer fit into 8 MiB, and ten of all into 24 MiB.
  expect(server.waitingBytes()).toBe(10 * size);
  server.add(staker as (typeof others)[0], Number.MAX_SAFE_INTEGER, size, none);
  expect(server.waitingBytes()).toBe(11 * size);
  for (const node of others) server.disconnected(node);
  expect(server.waitingBytes()).toBe(size);
  timers.advance(100);
  expect(server.waitingBytes()).toBe(0);
});

test('a peer with stake is served before all others, however many wait', () => {
  const timers = createTestTimers();
  const served: string[] = [];
  const server = createRequestServer(timers, (node) => node === nodeId(99));
  const note = (name: string): SlowRequest =>
    function* () {
      served.push(name);
      yield;
    };
  for (let i = 1; i <= 20; i++) server.add(nodeId(i), Number.MAX_SAFE_INTEGER, 10, note(`other ${i}`));
  server.add(nodeId(99), Number.MAX_SAFE_INTEGER, 10, note('staker'));
  timers.advance(1000);
  expect([served[0], served.length]).toEqual(['staker', 21]);
});

test('a request whose time is over is dropped with its bytes', () => {
  const timers = createTestTimers();
  const server = createRequestServer(timers);
  server.add(nodeId(1), timers.now() - 1, 10, none);
  timers.advance(100);
  expect(server.waitingBytes()).toBe(0);
});

test('a request for a damaged block ends without an answer, and the next ones are served', () => {
  const timers = createTestTimers();
  const server = createRequestServer(timers);
  const served: string[] = [];
  // biome-ignore lint/correctness/useYield: the first read fails.
  server.add(nodeId(1), Number.MAX_SAFE_INTEGER, 10, function* () {
    throw new Fault('damaged block', { code: 'TEST_DAMAGED' });
  });
  for (const name of ['same peer', 'other peer'])
    server.add(nodeId(name === 'same peer' ? 1 : 2), Number.MAX_SAFE_INTEGER, 10, function* () {
      served.push(name);
      yield;
    });
  timers.advance(100);
  expect([served.sort(), server.waitingBytes()]).toEqual([['other peer', 'same peer'], 0]);
});
