import { describe, expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import type { EncodedMessage } from '../messages/encoded-message.ts';
import { stakesOf } from '../protocol/validators.ts';
import { defaultNetworkOptions } from './network-flags.ts';
import { opOf } from './peer-metrics.ts';
import { createRouter } from './router.ts';
import { createRecorder, testChain } from './test-peers.fixture.ts';

const self = '00'.repeat(20) as NodeId;
const nodes = Array.from({ length: 20 }, (_, i) => (i + 1).toString(16).padStart(40, '0') as NodeId);
const [first, second, third] = nodes as [NodeId, NodeId, NodeId];

function open({ full = [] as readonly NodeId[] } = {}) {
  const { timing, pass } = createVirtualTiming();
  const sent: { message: EncodedMessage; to: readonly NodeId[] }[] = [];
  const parts = {
    options: defaultNetworkOptions,
    timing: { ...timing, cpuTime: () => 0, unixSeconds: timing.unix, randomBytes: (length: number) => new Uint8Array(length) },
    stakes: stakesOf(() => new Map([[self, 5n], ...nodes.map((node) => [node, 5n] as const)])),
  };
  const router = createRouter(self, parts, (message, to) => {
    const taken = to.filter((node) => !full.includes(node));
    sent.push({ message, to: taken });
    return taken;
  });
  const chain = createRecorder();
  router.addChain(testChain, chain.handler);
  const request = (requestId: number, to: readonly NodeId[]) =>
    router.transport.request({ kind: 'get', chainId: testChain, requestId, deadline: 0n, containerId: testChain }, to);
  const query = (requestId: number, to: readonly NodeId[]) =>
    router.transport.request(
      { kind: 'pullQuery', chainId: testChain, requestId, deadline: 0n, containerId: testChain, requestedHeight: 0n },
      to,
    );
  const put = (requestId: number) => ({ kind: 'put', chainId: testChain, requestId, container: new Uint8Array(1) }) as const;
  return { router, chain, sent, pass, request, query, put };
}

describe('requests', () => {
  test('exactly one call follows for each peer: a response, a timeout, or a failure to send', async () => {
    const { router, chain, request, put, pass } = open({ full: [third] });
    request(1, nodes.slice(0, 3));
    expect([chain.received.length, chain.failures.length]).toEqual([0, 0]);
    expect(router.receive(first, put(1))).toBe(false);
    expect(router.receive(first, put(1))).toBe(true);
    expect(router.receive(second, put(2))).toBe(true);
    await pass(6000);
    expect(chain.received.map(({ from }) => from)).toEqual([first]);
    expect(chain.failures.map(({ from, cause }) => [from, cause])).toEqual([
      [third, 'disconnected'],
      [second, 'timeout'],
    ]);
    expect(router.receive(second, put(1))).toBe(true);
    expect([router.requestState().outstanding, router.counts().timeouts, chain.received.length]).toEqual([0, 2, 1]);
  });
  test('a disconnected peer fails at once', async () => {
    const { router, chain, request, pass } = open();
    router.connected(first);
    request(1, [first]);
    router.disconnected(first);
    await pass(10);
    expect(chain.failures).toEqual([{ from: first, requestId: 1, cause: 'disconnected' }]);
    await pass(20_000);
    expect(chain.failures.length).toBe(1);
  });
  test('to this node itself: its own handler answers', async () => {
    const { router, chain, request, put, pass } = open();
    request(4, [self]);
    await pass(1);
    expect(chain.received.map(({ message }) => message.kind)).toEqual(['get']);
    router.transport.send(put(4), [self]);
    await pass(1);
    expect(chain.received.map(({ from, message }) => [from, message.kind])).toEqual([
      [self, 'get'],
      [self, 'put'],
    ]);
  });
  test('an error is a refusal', async () => {
    const { router, chain } = open();
    router.transport.request({ kind: 'appRequest', chainId: testChain, requestId: 3, deadline: 0n, appBytes: new Uint8Array(1) }, [first]);
    expect(router.receive(first, { kind: 'appError', chainId: testChain, requestId: 3, errorCode: -3, errorMessage: '' })).toBe(false);
    expect(chain.failures).toEqual([{ from: first, requestId: 3, cause: 'refused' }]);
  });
});

test('a validator that does not answer is benched: requests fail at once, and it counts as disconnected until it answers', async () => {
  const { router, chain, sent, query, pass } = open();
  router.connected(first);
  expect(chain.connected.has(first)).toBe(true);
  query(1, [first]);
  await pass(6000);
  query(2, [first]);
  await pass(11_000);
  expect([router.benchedOn(first), chain.connected.has(first)]).toEqual([[testChain], false]);
  expect(router.benchState()).toEqual([{ chainId: testChain, count: 1, weight: 5n }]);
  const before = sent.length;
  query(3, [first]);
  await pass(1);
  expect([chain.failures.at(-1)?.cause, sent.length]).toEqual(['benched', before + 1]);
  await pass(301_000);
  expect([router.benchedOn(first), chain.connected.has(first)]).toEqual([[], true]);
});

test('names of messages in metrics are those of AvalancheGo', () => {
  expect((['ping', 'getPeerList', 'peerList', 'getAcceptedStateSummary', 'pullQuery', 'appGossip'] as const).map(opOf)).toEqual([
    'ping',
    'get_peerlist',
    'peerlist',
    'get_accepted_state_summary',
    'pull_query',
    'app_gossip',
  ]);
});
