import type { MemoryStreamLimit } from '../../api/access/stream-limit.ts';
import type { Handler } from '../../api/http/message.ts';
import type { Check } from '../../base/health/result.ts';
import type { MetricFamily } from '../../base/metrics/family.ts';
import { createBackoff } from '../../base/timing/backoff.ts';
import { hungTimeout, watchHeartbeat } from './heartbeat.ts';
import type { MessageFromReader, MessageToReader, ReaderState } from './messages.ts';
import { type Channel, type RelayTimers, serveRelay } from './relay.ts';
import { serveStreamLimit } from './relayed-streams.ts';

/** A reader process, seen from the writer process. */
export type ReaderProcess = Channel & { readonly exited: Promise<number>; readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => void };

type SupervisorEnv = {
  readonly spawnReader: () => ReaderProcess;
  readonly timers: RelayTimers;
  /** Monotonic milliseconds. */
  readonly clock: { readonly monotonic: () => number };
  readonly random: (length: number) => Uint8Array;
  readonly log: (line: string, level?: 'info' | 'warn') => void;
};

/** The reader processes of the node, supervised by the writer process. */
export type ReaderPool = {
  readonly count: number;
  /** Starts the reader processes. */
  readonly start: (options: ReaderPoolOptions) => void;
  readonly collectFamilies: () => Promise<MetricFamily[][]>;
  /** Health check: fails while a reader that served before is not serving. */
  readonly check: Check;
  /** Sends the state to all readers, later ones too. Resolves when they have it, or do not answer in time. */
  readonly setState: (state: ReaderState) => Promise<void>;
  /** Whether a reader has clients of the event stream. */
  readonly hasListeners: () => boolean;
  /** Sends a message to the readers that have clients of the event stream. */
  readonly sendToListeners: (message: Extract<MessageToReader, { reader: 'eventsAdvanced' | 'liveEvent' }>) => void;
  /** Makes the readers report that the node is stopping, while it still serves requests. */
  readonly announceStopping: () => void;
  readonly stop: () => Promise<void>;
};

export type ReaderPoolOptions = {
  readonly handler: Handler;
  readonly start: Omit<Extract<MessageToReader, { reader: 'start' }>, 'reader'>;
  /** Called when the result of the check has changed. */
  readonly onChange: () => void;
  /** Called for calls that a reader answered with an error. */
  readonly onRefused?: (message: Extract<MessageFromReader, { reader: 'refused' | 'refusedCounts' }>) => void;
  /** Counts the event streams of all processes. */
  readonly streamLimit?: MemoryStreamLimit | undefined;
};

/** Milliseconds for a reader to send its metrics or to stop. */
const replyTimeout = 400;

/** Milliseconds for a reader to start serving. */
const startTimeout = 30_000;

/** Backoff in milliseconds between restarts of a failing reader; there is no limit on restarts. It starts over after `stableAfter` ms of service. */
const backoffLimits = { first: 100, max: 30_000 } as const;
const stableAfter = 60_000;

/**
 * Creates a pool of readers, which are started later: until then it has none. The writer serves requests meanwhile; readers only take over part of the load. The start of the node does not wait for
 * them: on two cores they serve about 280 ms after the banner. Started before the database is opened, they serve 120 ms earlier, but the
 * banner comes 160 ms later (510 ms in place of 350), since both processes load the program at once.
 */
export function createReaderPool(count: number, env: SupervisorEnv): ReaderPool {
  let slots: readonly ReaderSlot[] = [];
  return {
    count,
    start: (options) => {
      slots = Array.from({ length: count }, () => superviseReader(env, options));
    },
    collectFamilies: () => Promise.all(slots.map((slot) => slot.collectFamilies())),
    check: () => {
      const failed = slots.map((slot) => slot.failure()).filter((failure) => failure !== undefined);
      const details = { wanted: count, serving: slots.filter((slot) => slot.isServing()).length, replaced: countReplaced(slots) };
      return { details, error: failed.length > 0 ? failed.join('; ') : undefined };
    },
    setState: async (state) => void (await Promise.all(slots.map((slot) => slot.setState(state)))),
    hasListeners: () => slots.some((slot) => slot.isListening()),
    sendToListeners: (message) => {
      for (const slot of slots) if (slot.isListening()) slot.send(message);
    },
    announceStopping: () => {
      for (const slot of slots) slot.send({ reader: 'stopping' });
    },
    stop: async () => void (await Promise.all(slots.map((slot) => slot.stop()))),
  };
}

type ReaderSlot = {
  readonly collectFamilies: () => Promise<MetricFamily[]>;
  readonly isServing: () => boolean;
  readonly isListening: () => boolean;
  /** Why the reader was replaced, until its replacement serves. */
  readonly failure: () => string | undefined;
  readonly replaced: () => number;
  readonly setState: (state: ReaderState) => Promise<void>;
  readonly send: (message: MessageToReader) => void;
  readonly stop: () => Promise<void>;
};

const countReplaced = (slots: readonly ReaderSlot[]): number => slots.reduce((sum, slot) => sum + slot.replaced(), 0);

/** One reader and its replacements. */
function superviseReader(env: SupervisorEnv, { handler, start, onChange, onRefused, streamLimit }: ReaderPoolOptions): ReaderSlot {
  const restartBackoff = createBackoff(backoffLimits, () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32);
  let child: ReaderProcess | undefined;
  let collectFamilies = async (): Promise<MetricFamily[]> => [];
  let servingSince: number | undefined;
  let failure: string | undefined;
  let replaced = 0;
  let cancelRestart = () => {};
  let isStopping = false;
  let currentState: ReaderState | undefined;
  let lastRequest = 0;
  const pendingRequests = new Map<number, () => void>();
  let isListening = false;

  const markFailed = (why: string): void => {
    if (servingSince !== undefined && env.clock.monotonic() - servingSince > stableAfter) restartBackoff.reset();
    failure = why;
    servingSince = undefined;
    onChange();
  };

  const restart = (): void => {
    if (isStopping) return;
    const wait = restartBackoff.next();
    env.log(`${failure}; restarting it in ${Math.round(wait)} ms`, 'warn');
    cancelRestart = env.timers.after(wait, () => {
      replaced++;
      spawn();
    });
  };

  const spawn = (): void => {
    try {
      watch(env.spawnReader());
    } catch (error) {
      markFailed(`cannot start a reader process: ${error}`);
      restart();
    }
  };

  const watch = (spawned: ReaderProcess): void => {
    child = spawned;
    collectFamilies = createFamiliesRequest(spawned, env);
    let isHung = false;
    const heartbeat = watchHeartbeat(env.timers, (sinceReset) => {
      if (isHung) return;
      spawned.send({ reader: 'ping' } satisfies MessageToReader);
      if (sinceReset < (servingSince === undefined ? startTimeout : hungTimeout)) return;
      isHung = true;
      markFailed(`a reader process has not answered for ${sinceReset / 1000} s and was killed`);
      spawned.kill('SIGKILL');
    });
    spawned.onMessage((message) => {
      const received = message as MessageFromReader;
      if (received.reader === 'done') pendingRequests.get(received.id)?.();
      if (received.reader === 'refused' || received.reader === 'refusedCounts') onRefused?.(received);
      if (received.reader === 'eventsListening') {
        isListening = received.isListening;
        // Blocks may have been committed before this message came.
        if (isListening) spawned.send({ reader: 'eventsAdvanced' } satisfies MessageToReader);
      }
      // While a reader starts, its pongs do not reset the heartbeat, so that a start that hangs times out too.
      if (received.reader !== 'pong' || !received.isServing || isHung) return;
      heartbeat.reset();
      if (servingSince !== undefined) return;
      servingSince = env.clock.monotonic();
      failure = undefined;
      onChange();
    });
    serveRelay(spawned, handler, env.timers.soon);
    const endStreams = streamLimit && serveStreamLimit(spawned, streamLimit);
    void spawned.exited.then((code) => {
      heartbeat.stop();
      endStreams?.();
      child = undefined;
      isListening = false;
      collectFamilies = async () => [];
      if (isStopping) return;
      if (!isHung) markFailed(`a reader process exited with code ${code}`);
      restart();
    });
    spawned.send({ reader: 'start', ...start } satisfies MessageToReader);
    if (currentState !== undefined) spawned.send({ reader: 'setState', id: 0, state: currentState } satisfies MessageToReader);
  };

  const setState = async (state: ReaderState): Promise<void> => {
    currentState = state;
    if (child === undefined) return;
    // A reader that still loads the program may not answer in time. It has the state before it serves: it reads its messages in order.
    const id = ++lastRequest;
    await new Promise<void>((resolve) => {
      const cancel = env.timers.after(replyTimeout, resolve);
      pendingRequests.set(id, () => {
        cancel();
        resolve();
      });
      child?.send({ reader: 'setState', id, state } satisfies MessageToReader);
    });
    pendingRequests.delete(id);
  };

  spawn();
  return {
    setState,
    collectFamilies: () => collectFamilies(),
    isServing: () => servingSince !== undefined,
    isListening: () => isListening,
    failure: () => failure,
    replaced: () => replaced,
    send: (message) => child?.send(message),
    stop: async () => {
      isStopping = true;
      cancelRestart();
      const last = child;
      if (last === undefined) return;
      last.send({ reader: 'stop' } satisfies MessageToReader);
      const cancelKill = env.timers.after(replyTimeout, () => last.kill('SIGKILL'));
      await last.exited;
      cancelKill();
    },
  };
}

/** Requests the metrics of a reader. Returns none if it does not answer in time; its counters are not lost, only missing from this response. */
function createFamiliesRequest(child: ReaderProcess, env: SupervisorEnv): () => Promise<MetricFamily[]> {
  const pending = new Map<number, (families: MetricFamily[]) => void>();
  let lastId = 0;
  child.onMessage((message) => {
    const received = message as MessageFromReader;
    if (received.reader === 'metrics') pending.get(received.id)?.(received.families);
  });
  return async () => {
    const id = ++lastId;
    const families = await new Promise<MetricFamily[]>((resolve) => {
      pending.set(id, resolve);
      env.timers.after(replyTimeout, () => resolve([]));
      child.send({ reader: 'getMetrics', id } satisfies MessageToReader);
    });
    pending.delete(id);
    return families;
  };
}
