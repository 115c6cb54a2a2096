import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { plainFrame } from '../messages/frame.ts';
import { stakesOf } from '../protocol/validators.ts';
import { createInboundStream } from './inbound-stream.ts';
import { createCounters } from './network-counters.ts';
import { defaultNetworkOptions } from './network-flags.ts';
import { createPeerLimits } from './peer-limits.ts';
import { maxUnreadBytes } from './read-gate.ts';
import { createTokenBucket } from './timing.ts';

const staker = '0a'.repeat(20) as NodeId;
const stakes = stakesOf(() => new Map([[staker, 1n]]));
const bls = { isSignature: async () => true, verify: async () => true };

/** Sockets that deliver a chunk of 512 KiB whenever they are read, as Bun's do. */
function openStreams(count: number) {
  const { timing: clock, pass } = createVirtualTiming();
  const timing = { ...clock, cpuTime: () => clock.now(), unixSeconds: clock.unix, randomBytes: (length: number) => new Uint8Array(length) };
  const limits = createPeerLimits(defaultNetworkOptions, stakes, bls, timing);
  const frame = plainFrame(new Uint8Array(32_000));
  const chunk = Buffer.concat(Array.from({ length: 16 }, () => frame));
  /** Sockets that are read, in the order in which an event loop looks at them. */
  const readable = new Set<(bytes: Uint8Array) => void>();
  const handled = new Map<NodeId, number>();
  const open = (node: NodeId) => {
    /** A chunk that was read before the socket was paused, as with Bun. */
    let buffered = 0;
    const append = (bytes: Uint8Array): void => {
      stream.append(Uint8Array.from(bytes));
      if (!readable.has(append)) buffered = chunk.length;
    };
    readable.add(append);
    const stream = createInboundStream({
      node,
      socket: {
        pause: () => void readable.delete(append),
        resume: () => {
          if (buffered === 0) return void readable.add(append);
          timing.soon(() => {
            buffered = 0;
            stream.append(Uint8Array.from(chunk));
          });
        },
        buffered: () => buffered,
      },
      timing,
      bandwidth: createTokenBucket(defaultNetworkOptions.bandwidthRefill, defaultNetworkOptions.bandwidthBurst, timing.now()),
      shared: limits.shared.open(node),
      limits,
      waits: createCounters().waits,
      handle: () => {
        handled.set(node, (handled.get(node) ?? 0) + 1);
        return true;
      },
      evicted: () => expect.unreachable(),
      broken: (reason) => expect.unreachable(reason),
    });
    return { node, stream, append, isPaused: () => !readable.has(append) };
  };
  const flooding = Array.from({ length: count }, (_, i) => open((i + 256).toString(16).padStart(40, '0') as NodeId));
  const deliver = (): void => {
    for (const append of [...readable]) if (readable.has(append)) append(chunk);
  };
  return { limits, open, flooding, deliver, chunk, frame, handled, pass };
}

test('60 peers that send at once are not all read, one with stake is; and all is given back when they leave', async () => {
  const { limits, open, flooding, deliver, chunk, frame, handled, pass } = openStreams(60);
  let highest = 0;
  for (let round = 0; round < 50; round++) {
    deliver();
    highest = Math.max(highest, limits.unread.total());
    await pass(200);
  }
  const other = open(staker);
  for (let round = 0; round < 20; round++) other.append(frame);
  // What sockets have read while they were paused is counted when it is known, one chunk of each.
  expect(highest).toBeGreaterThan(maxUnreadBytes / 2);
  expect(highest).toBeLessThanOrEqual(2 * (maxUnreadBytes + chunk.length));
  expect(handled.get(staker)).toBe(20);
  // Those that were not read at first are read later.
  expect(flooding.every(({ node }) => handled.has(node))).toBe(true);
  const idle = flooding.filter(({ stream }) => stream.throttledBy() === 'bytes');
  expect(idle.every(({ stream, isPaused }) => isPaused() && stream.waitingSince() === undefined)).toBe(true);
  for (const { stream } of flooding) stream.close();
  expect([limits.unread.total(), limits.shared.waiting(), limits.inbound.granted()]).toEqual([0, 0, 0]);
});
