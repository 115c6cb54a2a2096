import type { NodeId } from '../../base/bytes/node-id.ts';
import { createFrameReader, frameSize } from '../messages/frame.ts';
import { maxMessageSize } from '../messages/message.ts';
import type { HoldBytes } from '../protocol/transport.ts';
import type { ByteBudget, ByteGrant } from './byte-budget.ts';
import type { NetworkCounters } from './counters.ts';
import type { CpuShares } from './cpu-share.ts';
import { type HandlingSlices, sliceMilliseconds } from './handling-slices.ts';
import type { BandwidthAccount } from './shared-bandwidth.ts';
import type { PeerSocket } from './socket.ts';
import type { PeerTiming } from './timing.ts';
import type { TokenBucket } from './token-bucket.ts';
import type { UnreadBytes } from './unread-bytes.ts';

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
  readonly cpu: CpuShares;
  readonly slices: HandlingSlices;
  readonly budget: ByteBudget;
  readonly unread: UnreadBytes;
  readonly waits: NetworkCounters['waits'];
  /** Handles a message. Returns whether its time counts for the peer, or a promise after which reading goes on. */
  readonly handle: (frame: Uint8Array, hold: HoldBytes) => boolean | Promise<void>;
  /** What the peer has sent keeps others from being read. */
  readonly evicted: () => void;
  /** A frame is too large, or the socket does not stop reading. */
  readonly broken: (reason: string) => void;
};

/**
 * Reads messages of a peer: for each frame it waits, in AvalancheGo's order, for bandwidth (its own, then that of all peers without stake), for the
 * peer's share of the CPU and for memory, and only then reads on. AvalancheGo: network/peer/peer.go, readMessages; network/throttling/inbound_msg_throttler.go.
 */
type InboundStream = {
  readonly append: (chunk: Uint8Array) => void;
  /** Since when the peer has been expected to send something; undefined while it is this node that waits. */
  readonly waitingSince: () => number | undefined;
  /** Which limit holds the next message back. */
  readonly throttledBy: () => Throttle | undefined;
  readonly close: () => void;
};

export type Throttle = 'bandwidth' | 'cpu' | 'bytes';

/** What holds a message back at a stage. */
const throttles: { readonly [S in Stage]?: Throttle } = { bandwidth: 'bandwidth', shared: 'bandwidth', cpu: 'cpu', bytes: 'bytes' };

type Stage = 'length' | 'shared' | Throttle | 'body' | 'handling';

export function createInboundStream(deps: InboundDeps): InboundStream {
  const { node, socket, timing, bandwidth, shared, cpu, slices, budget, waits } = deps;
  const reader = createFrameReader();
  const unread = deps.unread.open(node, { changed: () => void (isSuspended || awaitMore()), evicted: deps.evicted });
  let stage: Stage = 'length';
  let length = 0;
  let grant: ByteGrant | undefined;
  let cancelWait: (() => void) | undefined;
  let isSuspended = false;
  let isPaused = false;
  let isClosed = false;
  /** Whether the peer is not read although nothing of it waits. */
  let isHeldBack = false;
  /** Whether a slice was taken that has not begun. */
  let isSliceDue = false;
  /** Milliseconds of the current slice that do not count for the peer. */
  let uncounted = 0;
  let since = timing.now();

  const setPaused = (value: boolean): void => {
    if (isPaused === value) return;
    isPaused = value;
    if (value) socket.pause();
    else socket.resume();
  };
  /** Stops reading until `continueRun`. */
  const suspend = (): void => {
    isSuspended = true;
    setPaused(true);
  };
  /** Bytes that have arrived and are not part of a message that is being read. */
  const countUnread = (): void =>
    unread.set(Math.max(0, reader.pending() + socket.buffered() - (stage === 'body' ? frameSize(length) : 0)));
  const continueRun = (): void => {
    cancelWait = undefined;
    isSuspended = false;
    run();
  };
  /** Goes on in the next turn of the event loop. */
  const continueSoon = (): void => {
    cancelWait = undefined;
    timing.soon(() => void (isClosed || continueRun()));
  };
  /** Waits for bytes: for the rest of a message, or for the next one, if it may be read. */
  const awaitMore = (): false => {
    // What the socket has read counts already: it is less if it is handled.
    isHeldBack = stage === 'length' && socket.buffered() === 0 && unread.isHeldBack();
    setPaused(isHeldBack);
    return false;
  };
  const waitFor = (milliseconds: number): false => {
    suspend();
    cancelWait = timing.after(milliseconds, continueRun);
    return false;
  };
  const finishMessage = (): void => {
    grant?.release();
    grant = undefined;
    stage = 'length';
    since = timing.now();
  };

  /** Keeps the bytes of the message that is being handled until it is answered. AvalancheGo: message.OnFinishedHandling. */
  const hold: HoldBytes = () => {
    const held = grant;
    grant = undefined;
    return () => held?.release();
  };
  const fail = (error: unknown): void => deps.broken(String((error as { message?: string }).message ?? error));

  /** Goes through the stages of one message. Returns false if it has to wait. */
  const step = (): boolean => {
    if (stage === 'length') {
      const announced = reader.announced();
      if (announced === undefined) return awaitMore();
      length = announced;
      stage = 'bandwidth';
      const delay = bandwidth.reserve(length, timing.now());
      waits.bandwidth.count++;
      waits.bandwidth.sum += delay;
      if (delay > 0) return waitFor(delay);
    }
    if (stage === 'bandwidth') {
      stage = 'shared';
      if (!shared.take(length)) {
        suspend();
        cancelWait = shared.wait(length, continueSoon);
        return false;
      }
    }
    if (stage === 'shared' || stage === 'cpu') {
      const isFirst = stage === 'shared';
      stage = 'cpu';
      const delay = cpu.delay(node, timing.now());
      if (isFirst) delay > 0 ? waits.cpu.waits++ : waits.cpu.noWaits++;
      if (delay > 0) return waitFor(delay);
      stage = 'bytes';
      grant = budget.take(node, length);
      waits.bytes.count++;
      if (grant === undefined) {
        const began = timing.now();
        suspend();
        cancelWait = budget.wait(node, length, (given) => {
          waits.bytes.sum += timing.now() - began;
          grant = given;
          continueSoon();
        });
        return false;
      }
    }
    if (stage === 'bytes') {
      stage = 'body';
      since = timing.now();
    }
    const frame = reader.take();
    if (frame === undefined) return awaitMore();
    stage = 'handling';
    const began = timing.now();
    const result = deps.handle(frame, hold);
    if (typeof result === 'boolean') {
      const ended = timing.now();
      if (result) cpu.add(node, ended - began, ended);
      else uncounted += ended - began;
      finishMessage();
      return true;
    }
    suspend();
    void result.catch(fail).finally(() => {
      finishMessage();
      if (!isClosed) continueRun();
    });
    return false;
  };

  /** Handles messages until one has to wait, or until it is the turn of others. */
  const run = (): void => {
    const delay = slices.begin(node, timing.now());
    if (delay < shortestDelay) {
      runSlice();
      return;
    }
    isSliceDue = true;
    suspend();
    cancelWait = timing.after(delay, () => {
      cancelWait = undefined;
      isSuspended = false;
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
        suspend();
        return void timing.soon(() => void (isClosed || continueRun()));
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
    append: (chunk) => {
      if (isClosed) return;
      reader.append(chunk);
      countUnread();
      if (!isSuspended) run();
      else if (reader.pending() > maxUnread) deps.broken('the socket delivers data while it is paused');
    },
    waitingSince: () => (isSuspended || isHeldBack ? undefined : since),
    throttledBy: () => (isSliceDue ? 'cpu' : isHeldBack ? 'bytes' : isSuspended ? throttles[stage] : undefined),
    close: () => {
      isClosed = true;
      unread.close();
      cancelWait?.();
      if (isSliceDue) slices.end(node, 0, timing.now());
      if (stage !== 'handling') grant?.release();
    },
  };
}
