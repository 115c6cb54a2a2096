import { expect, test } from 'bun:test';
import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import type { Details } from '../../base/health/result.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { openChain } from '../../ledger/state/open-chain.fixture.ts';
import type { JoinConfig } from '../config/join-config.ts';
import { openDatabase } from '../platform/bun/database.ts';
import type { Env } from '../platform/env.ts';
import { createTrustedCheck, openValidators } from './joined-validators.ts';

const self = 'a'.repeat(40) as NodeId;

/** A joined node on a virtual clock whose trusted node answers, refuses or hangs as the test says; the only validator is this node. */
function openNode(state: { trusted: 'answers' | 'refuses' | 'hangs' }) {
  const { timing, pass } = createVirtualTiming();
  const { store, close } = openChain(openDatabase);
  const answers: Record<string, object> = {
    'info.getNetworkID': { networkID: '5' },
    'platform.getHeight': { height: '7' },
    'platform.getProposedHeight': { height: '7' },
    'platform.getTimestamp': { timestamp: '2026-01-31T12:00:00Z' },
    'platform.getValidatorsAt': { [nodeIdText(self)]: { weight: '1' } },
  };
  const env = {
    fetch: async (_: string, { body, signal }: { body: string; signal: AbortSignal }) => {
      if (state.trusted === 'hangs') return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      const { id, method } = JSON.parse(body);
      return new Response(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }), {
        status: state.trusted === 'answers' ? 200 : 503,
      });
    },
    timers: { after: timing.after, soon: timing.soon },
    clock: { monotonic: timing.now },
    random: (size: number) => new Uint8Array(size),
    log: () => {},
  } as unknown as Env;
  const fatal: string[] = [];
  const join = {
    validators: { from: ['http://trusted:9650'] },
    echoOtherChains: false,
    force: false,
    beacons: [],
  } as unknown as JoinConfig;
  const open = (own: NodeId) =>
    openValidators(join, own, { networkID: 5, env, store, genesis: () => [], onFatal: ({ message }) => void fatal.push(message) });
  return { open, pass, fatal, now: timing.now, close };
}

test('a node that learns after its start that it is a validator must stop', async () => {
  const state = { trusted: 'refuses' as const as 'refuses' | 'answers' };
  const { open, pass, fatal, close } = openNode(state);
  const { beacons, missingReason, describeMissingPeers, close: stop } = await open(self);
  expect(describeMissingPeers(() => false)).toBeUndefined();
  expect([beacons(), missingReason(), fatal]).toEqual([undefined, expect.stringContaining('HTTP status 503'), []]);
  state.trusted = 'answers';
  await pass(2000);
  expect([beacons()?.size, missingReason()]).toEqual([1, undefined]);
  expect(describeMissingPeers(() => false)).toBe('connected validators have 0 % of the stake, 75 % are needed');
  expect(describeMissingPeers((node) => node === self)).toBeUndefined();
  expect(fatal).toEqual([expect.stringContaining('is a validator with 100.00 % of the stake')]);
  stop();
  close();
});

test('trusted nodes that hang fail the check 10 s after their last answer', async () => {
  const state = { trusted: 'answers' as 'answers' | 'hangs' };
  const { open, pass, now, close } = openNode(state);
  const { createCheck, close: stop } = await open('b'.repeat(40) as NodeId);
  const check = createCheck?.(() => 7n);
  await pass(5000);
  const lastAnswer = 4000;
  state.trusted = 'hangs';
  while ((await check?.())?.error === undefined) await pass(100);
  expect(now() - lastAnswer).toBeWithin(10_000, 10_300);
  stop();
  close();
});

test('without sybil protection three quarters of the first peers are awaited', async () => {
  const nodes = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(40) as NodeId);
  const join = { validators: { weight: 1n }, beacons: nodes.map((node) => ({ node })) } as unknown as JoinConfig;
  const { describeMissingPeers } = await openValidators(join, self, {} as Parameters<typeof openValidators>[2]);
  const connectedTo = (count: number) => describeMissingPeers((node) => nodes.indexOf(node) < count);
  expect([connectedTo(3), connectedTo(4)]).toEqual(['connected to 3 of 5 first peers, 4 are needed', undefined]);
});

const details: Details = {
  url: 'http://node',
  pChainHeight: 7n,
  sources: [
    { url: 'http://a', pChainHeight: 9n, pChainTime: '2026-01-31T12:00:00Z' },
    { url: 'http://b', pChainHeight: 7n, pChainTime: '2026-01-31T11:58:20Z' },
    { url: 'http://c', error: 'the last reading failed' },
  ],
};

/** A check of trusted nodes whose state the test sets. */
function setUp(validators: number) {
  const state = {
    now: 100_000,
    lastRead: { at: 100_000, error: undefined as unknown },
    known: 7n,
    referred: undefined as bigint | undefined,
    timesApart: undefined as { since: number; seconds: number } | undefined,
  };
  const current = new Map(Array.from({ length: validators }, (_, i) => [String(i) as NodeId, 1n]));
  const trusted = {
    lastRead: () => state.lastRead,
    knownHeight: () => state.known,
    current: () => current,
    sources: () => [
      { url: 'http://a', heights: { current: 9n, proposed: 9n, time: 1_769_860_800n } },
      { url: 'http://b', heights: { current: 7n, proposed: 6n, time: 1_769_860_700n } },
      { url: 'http://c', heights: undefined },
    ],
    heightSince: () => 95_000,
    timesApart: () => state.timesApart,
  };
  return {
    state,
    check: createTrustedCheck(
      'http://node',
      trusted,
      () => state.referred,
      () => state.now,
    ),
  };
}

test('fails 10 s after the last answer, also while a request is open or the last one failed a moment ago', async () => {
  const { state, check } = setUp(3);
  for (const error of [undefined, new Error('it is down')]) {
    state.lastRead = { at: 100_000, error };
    state.now = 110_000;
    expect(await check()).toEqual({ details, error: undefined });
    state.now = 110_100;
    expect((await check()).error).toBe(
      `for 10 s: ${error?.message ?? 'http://node has not answered'}; the last known validators hold, but blocks that refer to later ones are refused`,
    );
  }
  state.lastRead = { at: 110_100, error: undefined };
  expect((await check()).error).toBeUndefined();
});

test('fails at once while no validators are known', async () => {
  const { state, check } = setUp(0);
  state.lastRead = { at: 100_000, error: new Error('it is down') };
  state.now = 102_000;
  expect((await check()).error).toBe('for 2 s: it is down; no validators are known yet, and the X-Chain waits for them');
});

test('fails if blocks refer to a higher P-Chain height than the one that has stood for 10 s, with the height of each node', async () => {
  const { state, check } = setUp(3);
  state.referred = 9n;
  state.now = 105_000;
  expect((await check()).error).toBeUndefined();
  state.now = 105_100;
  expect(await check()).toEqual({
    details,
    error:
      'the P-Chain height of the nodes of --validators-from has stood at 7 for 10 s, but blocks refer to height 9: these nodes are stale, and blocks are refused until they have that height',
  });
  // A height that stands still is no fault while blocks refer to it.
  for (const referred of [7n, undefined]) {
    state.referred = referred;
    expect((await check()).error).toBeUndefined();
  }
});

test('fails if the P-Chain times of the nodes have been too far apart for 10 s, with the height of each node', async () => {
  const { state, check } = setUp(3);
  state.timesApart = { since: 98_000, seconds: 100 };
  state.now = 108_000;
  expect((await check()).error).toBeUndefined();
  state.now = 108_100;
  expect(await check()).toEqual({
    details,
    error: 'the P-Chain times of the nodes of --validators-from are 100 s apart: the node with the earlier time is stale',
  });
});
