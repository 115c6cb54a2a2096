import type { NodeId } from '../../base/bytes/node-id.ts';
import { createFrameReader, frameSize } from '../messages/frame.ts';
import { maxMessageSize } from '../messages/message.ts';
import type { HoldBytes } from '../protocol/transport.ts';
import type { ByteGrant } from './byte-budget.ts';
import { sliceMilliseconds } from './cpu-share.ts';
import type { NetworkCounters } from './network-counters.ts';
import type { PeerLimits } from './peer-limits.ts';
import { createReadGate } from './read-gate.ts';
import type { BandwidthAccount } from './shared-bandwidth.ts';
import type { PeerSocket } from './socket.ts';
import type { PeerTiming, TokenBucket } from './timing.ts';

/** The most messages of a peer that are handled before other events run. */
const maxMessagesPerSlice = 64;

/** A slice that begins sooner than this, in milliseconds, is not worth a timer. */
const shortestDelay = 1;

/** A socket that delivers more than this while it is paused is broken. */
const maxUnread = maxMessageSize + 1024 * 1024;

type InboundDeps = {
  readonly node: NodeId;
  readonly socket: Pick<PeerSocket, 'pause' | 'resume' | 'buffered'>;
  readonly timing: PeerTiming;
  readonly bandwidth: TokenBucket;
  readonly shared: Pick<BandwidthAccount, 'take' | 'wait'>;
  readonly limits: Pick<PeerLimits, 'cpu' | 'slices' | 'inbound' | 'unread'>;
  readonly waits: NetworkCounters['waits'];
  /** Handles a message. Returns whether its time counts for the peer, or a promise after which reading goes on. */
  readonly handle: (frame: Uint8Array, hold: HoldBytes) => boolean | Promise<void>;
  /** What the peer has sent keeps others from being read. */
  readonly evicted: () => void;
  /** A frame is too large, or the socket does not stop reading. */
  readonly broken: (reason: string) => void;
};

export type Throttle = 'bandwidth' | 'cpu' | 'bytes';

/** What holds a message back at a stage. */
const throttles: { readonly [S in Stage]?: Throttle } = { bandwidth: 'bandwidth', shared: 'bandwidth', cpu: 'cpu', bytes: 'bytes' };

type Stage = 'length' | 'shared' | Throttle | 'body' | 'handling';

/**
 * Reads messages of a peer: for each frame it waits, in AvalancheGo's order, for bandwidth (its own, then that of all peers without stake), for the
 * peer's share of the CPU and for memory, and only then reads on. AvalancheGo: network/peer/peer.go, readMessages; network/throttling/inbound_msg_throttler.go.
 */
export function createInboundStream(deps: InboundDeps) {
  const { node, socket, timing, limits } = deps;
  const { cpu, slices } = limits;
  const reader = createFrameReader();
  const changed = (): void => void (gate.isSuspended() || gate.awaitMore(message.isUnannounced()));
  const unread = limits.unread.open(node, { changed, evicted: deps.evicted });
  const gate = createReadGate(socket, timing, unread, () => run());
  const message = createNextMessage(deps, reader, gate);
  let isClosed = false;
  /** Whether a slice was taken that has not begun. */
  let isSliceDue = false;
  /** Milliseconds of the current slice that do not count for the peer. */
  let uncounted = 0;

  /** Bytes that have arrived and are not part of a message that is being read. */
  const countUnread = (): void => unread.set(Math.max(0, reader.pending() + socket.buffered() - message.readBytes()));
  const fail = (error: unknown): void => deps.broken(String((error as { message?: string }).message ?? error));

  /** Handles a message. Returns false if it has to wait. */
  const step = (): boolean => {
    const frame = message.take();
    if (frame === undefined) return false;
    const began = timing.now();
    const result = deps.handle(frame, message.hold);
    if (typeof result === 'boolean') {
      const ended = timing.now();
      if (result) cpu.add(node, ended - began, ended);
      else uncounted += ended - began;
      message.finish();
      return true;
    }
    gate.suspend();
    void result.catch(fail).finally(() => {
      message.finish();
      gate.proceed();
    });
    return false;
  };

  /** Handles messages until one has to wait, or until it is the turn of others. */
  const run = (): void => {
    const delay = slices.begin(node, timing.now());
    if (delay < shortestDelay) return void runSlice();
    isSliceDue = true;
    gate.waitFor(delay, () => {
      isSliceDue = false;
      runSlice();
    });
  };
  const runSlice = (): void => {
    const began = timing.now();
    uncounted = 0;
    try {
      for (let count = 0; !isClosed; ) {
        if (!step()) return;
        if (++count < maxMessagesPerSlice && timing.now() - began < sliceMilliseconds) continue;
        gate.suspend();
        return void gate.proceedSoon();
      }
    } catch (error) {
      fail(error);
    } finally {
      if (!isClosed) countUnread();
      const now = timing.now();
      slices.end(node, now - began - uncounted, now);
    }
  };

  return {
    append: (chunk: Uint8Array): void => {
      if (isClosed) return;
      reader.append(chunk);
      countUnread();
      if (!gate.isSuspended()) run();
      else if (reader.pending() > maxUnread) deps.broken('the socket delivers data while it is paused');
    },
    /** Since when the peer has been expected to send something; undefined while it is this node that waits. */
    waitingSince: (): number | undefined => (gate.isSuspended() || gate.isHeldBack() ? undefined : message.since()),
    /** Which limit holds the next message back. */
    throttledBy: (): Throttle | undefined =>
      isSliceDue ? 'cpu' : gate.isHeldBack() ? 'bytes' : gate.isSuspended() ? message.throttle() : undefined,
    close: (): void => {
      isClosed = true;
      unread.close();
      gate.close();
      if (isSliceDue) slices.end(node, 0, timing.now());
      message.close();
    },
  };
}

/** The next message of a peer on its way through the limits. */
function createNextMessage(
  { node, timing, bandwidth, shared, limits, waits }: InboundDeps,
  reader: ReturnType<typeof createFrameReader>,
  gate: ReturnType<typeof createReadGate>,
) {
  const { cpu, inbound: budget } = limits;
  let stage: Stage = 'length';
  let length = 0;
  let grant: ByteGrant | undefined;
  let since = timing.now();

  return {
    /** Returns the message when it has passed all limits; undefined while it has to wait for one, or for its bytes. */
    take: (): Uint8Array | undefined => {
      if (stage === 'length') {
        const announced = reader.announced();
        if (announced === undefined) return gate.awaitMore(true);
        length = announced;
        stage = 'bandwidth';
        const delay = bandwidth.reserve(length, timing.now());
        waits.bandwidth.count++;
        waits.bandwidth.sum += delay;
        if (delay > 0) return gate.waitFor(delay);
      }
      if (stage === 'bandwidth') {
        stage = 'shared';
        if (!shared.take(length)) return gate.waitUntil((then) => shared.wait(length, then));
      }
      if (stage === 'shared' || stage === 'cpu') {
        const isFirst = stage === 'shared';
        stage = 'cpu';
        const delay = cpu.delay(node, timing.now());
        if (isFirst) delay > 0 ? waits.cpu.waits++ : waits.cpu.noWaits++;
        if (delay > 0) return gate.waitFor(delay);
        stage = 'bytes';
        grant = budget.take(node, length);
        waits.bytes.count++;
        if (grant === undefined) {
          const began = timing.now();
          return gate.waitUntil((then) =>
            budget.wait(node, length, (given) => {
              waits.bytes.sum += timing.now() - began;
              grant = given;
              then();
            }),
          );
        }
      }
      if (stage === 'bytes') {
        stage = 'body';
        since = timing.now();
      }
      const frame = reader.take();
      if (frame === undefined) return gate.awaitMore(false);
      stage = 'handling';
      return frame;
    },
    /** The message was handled; the next one follows. */
    finish: (): void => {
      grant?.release();
      grant = undefined;
      stage = 'length';
      since = timing.now();
    },
    /** Keeps the bytes of the message that is being handled until it is answered. AvalancheGo: message.OnFinishedHandling. */
    hold: () => {
      const held = grant;
      grant = undefined;
      return () => held?.release();
    },
    isUnannounced: () => stage === 'length',
    /** Bytes of the message that is being read. */
    readBytes: () => (stage === 'body' ? frameSize(length) : 0),
    since: () => since,
    throttle: () => throttles[stage],
    close: (): void => {
      if (stage !== 'handling') grant?.release();
    },
  };
}
