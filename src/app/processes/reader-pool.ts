import type { MemoryStreamLimit } from '../../api/access/stream-limit.ts';
import type { CallRecord } from '../../api/calls/call-record.ts';
import type { Handler } from '../../api/http/message.ts';
import type { Check } from '../../base/health/result.ts';
import { endedFamilies, type MetricFamily, sumFamilies } from '../../base/metrics/family.ts';
import { createBackoff } from '../../base/timing/backoff.ts';
import type { ReaderProcess } from '../platform/node-processes.ts';
import { hungTimeout, stillTimeout, watchHeartbeat } from './heartbeat.ts';
import type { MessageFromReader, MessageToReader, ReaderState } from './messages.ts';
import { createReadDemand } from './read-demand.ts';
import { type RelayTimers, serveRelay } from './relay.ts';
import { serveStreamLimit } from './relayed-streams.ts';

type ReaderPoolEnv = {
  readonly spawnReader: () => ReaderProcess;
  readonly timers: RelayTimers;
  /** Monotonic milliseconds. */
  readonly clock: { readonly monotonic: () => number };
  readonly random: (length: number) => Uint8Array;
  readonly log: (line: string, level?: 'info' | 'warn') => void;
};

/** The reader processes of the node. The writer process starts, watches and replaces them. */
export type ReaderPool = {
  readonly count: number;
  /** Starts the reader processes, or lets them start when reads keep the writer process busy. */
  readonly start: (options: ReaderPoolOptions) => void;
  /** Counts a read that the writer process answers. Undefined if readers do not wait for that. */
  readonly countRead: ReturnType<typeof createReadDemand> | undefined;
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
  /** Called with the errors of the handler. */
  readonly logError: (error: unknown) => void;
  readonly start: Omit<Extract<MessageToReader, { reader: 'start' }>, 'reader'>;
  /** Called when the result of the check has changed. */
  readonly onChange: () => void;
  /** Called for calls that a reader answered with an error. */
  readonly onRefused?: (message: Extract<MessageFromReader, { reader: 'refused' | 'refusedCounts' }>) => void;
  /** Takes the calls that a reader has recorded, and the number of those that it has not. */
  readonly onCalls?: ((calls: readonly CallRecord[], skipped: number) => void) | undefined;
  /** Counts the event streams of all processes. */
  readonly streamLimit?: MemoryStreamLimit | undefined;
};

/** Milliseconds for a reader to send its metrics, or to stop if it has no open requests. */
export const replyTimeout = 400;

/**
 * Milliseconds for a reader to stop that serves. Its open requests get as long as those of the writer, `--http-shutdown-timeout`; the rest is for
 * closing the database and the exit of the process.
 */
export const getStopTimeout = (shutdownTimeout: number): number => Math.min(shutdownTimeout + 2000, maxTimer);

/** The most milliseconds of a timer; one of more would run at once. */
const maxTimer = 2 ** 31 - 1;

/** Milliseconds for a reader to start serving. */
const startTimeout = 30_000;

/** Backoff in milliseconds between restarts of a failing reader; there is no limit on restarts. It starts over after `stableAfter` ms of service. */
const backoffLimits = { first: 100, max: 30_000 } as const;

/** Milliseconds of service after which a restarted process counts as repaired. */
export const stableAfter = 60_000;

/**
 * Creates a pool of readers, which are started later: until then it has none. The writer serves requests
 * meanwhile; readers only take over part of the load. The start of the node does not wait for them: on two cores they serve about 280 ms after the banner.
 * Started before the database is opened, they serve 120 ms earlier, but the banner comes 160 ms later (510 ms in place of 350), since both
 * processes load the program at once.
 */
export function createReaderPool(
  count: number,
  env: ReaderPoolEnv,
  { shutdownTimeout, waitsForReads }: { readonly shutdownTimeout: number; readonly waitsForReads: boolean },
): ReaderPool {
  let slots: readonly ReaderSlot[] = [];
  let spawnAll = (): void => {};
  let currentState: ReaderState | undefined;
  let isStopping = false;
  return {
    count,
    countRead: count > 0 && waitsForReads ? createReadDemand(env.clock.monotonic, () => spawnAll()) : undefined,
    start: (options) => {
      spawnAll = () => {
        if (isStopping) return;
        slots = Array.from({ length: count }, () => keepReaderRunning(env, options, getStopTimeout(shutdownTimeout), currentState));
        if (waitsForReads) options.onChange();
      };
      if (!waitsForReads) spawnAll();
    },
    collectFamilies: () => Promise.all(slots.map((slot) => slot.collectFamilies())),
    check: () => {
      const failed = slots.map((slot) => slot.failure()).filter((failure) => failure !== undefined);
      const details = { wanted: slots.length, serving: slots.filter((slot) => slot.isServing()).length, replaced: countReplaced(slots) };
      return { details, error: failed.length > 0 ? failed.join('; ') : undefined };
    },
    setState: async (state) => {
      currentState = state;
      await Promise.all(slots.map((slot) => slot.setState(state)));
    },
    hasListeners: () => slots.some((slot) => slot.isListening()),
    sendToListeners: (message) => {
      for (const slot of slots) if (slot.isListening()) slot.send(message);
    },
    announceStopping: () => {
      isStopping = true;
      for (const slot of slots) slot.send({ reader: 'stopping' });
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(slots.map((slot) => slot.stop()));
    },
  };
}

type ReaderSlot = {
  readonly collectFamilies: () => Promise<MetricFamily[]>;
  readonly isServing: () => boolean;
  readonly isListening: () => boolean;
  /** Why the reader was replaced, until its replacement serves, or what problem it has. */
  readonly failure: () => string | undefined;
  readonly replaced: () => number;
  readonly setState: (state: ReaderState) => Promise<void>;
  readonly send: (message: MessageToReader) => void;
  readonly stop: () => Promise<void>;
};

const countReplaced = (slots: readonly ReaderSlot[]): number => slots.reduce((sum, slot) => sum + slot.replaced(), 0);

/** One reader and its replacements. */
function keepReaderRunning(
  env: ReaderPoolEnv,
  options: ReaderPoolOptions,
  stopTimeout: number,
  firstState: ReaderState | undefined,
): ReaderSlot {
  const restartBackoff = createBackoff(backoffLimits, () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32);
  let reader: RunningReader | undefined;
  let servingSince: number | undefined;
  let failure: string | undefined;
  let problem: string | undefined;
  let replaced = 0;
  let cancelRestart = () => {};
  let isStopping = false;
  let currentState = firstState;
  /** The last metrics of the running reader, and the counters of those before it. */
  let families: MetricFamily[] = [];
  let ended: MetricFamily[] = [];

  const onFailed = (why: string): void => {
    if (servingSince !== undefined && env.clock.monotonic() - servingSince > stableAfter) restartBackoff.reset();
    failure = why;
    servingSince = undefined;
    options.onChange();
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
      reader = watchReader(env.spawnReader(), env, options, {
        onServing: () => {
          servingSince = env.clock.monotonic();
          failure = undefined;
          options.onChange();
        },
        onFailed,
        onProblem: (found) => {
          problem = found;
          options.onChange();
        },
        onExit: (why) => {
          reader = undefined;
          problem = undefined;
          ended = sumFamilies([ended, endedFamilies(families)]);
          families = [];
          if (isStopping) return;
          if (why !== undefined) onFailed(why);
          restart();
        },
      });
      if (currentState !== undefined) reader.send({ reader: 'setState', id: 0, state: currentState });
    } catch (error) {
      onFailed(`cannot start a reader process: ${error}`);
      restart();
    }
  };

  spawn();
  return {
    setState: async (state) => {
      currentState = state;
      // A reader that still loads the program may not answer in time. It has the state before it serves: it reads its messages in order.
      await reader?.ask((id) => ({ reader: 'setState', id, state }));
    },
    // A reader that does not answer in time has its last values: without them its counters would fall, and rise again in the next response.
    collectFamilies: async () => {
      const asked = reader;
      const reply = await asked?.ask((id) => ({ reader: 'getMetrics', id }));
      if (reply?.reader === 'metrics' && asked === reader) families = reply.families;
      return sumFamilies([ended, families]);
    },
    isServing: () => servingSince !== undefined,
    isListening: () => reader?.isListening() ?? false,
    failure: () => failure ?? (problem === undefined ? undefined : `a reader process: ${problem}`),
    replaced: () => replaced,
    send: (message) => reader?.send(message),
    stop: async () => {
      isStopping = true;
      cancelRestart();
      await reader?.stop(stopTimeout);
    },
  };
}

type ReaderEvents = {
  readonly onServing: () => void;
  /** The problem that the reader reports has changed. */
  readonly onProblem: (problem: string | undefined) => void;
  /** The process was killed because it did not answer. */
  readonly onFailed: (why: string) => void;
  /** `why`: undefined if it was killed. */
  readonly onExit: (why: string | undefined) => void;
};

type RunningReader = ReturnType<typeof watchReader>;

/** One reader process from its start to its exit. */
function watchReader(spawned: ReaderProcess, env: ReaderPoolEnv, options: ReaderPoolOptions, events: ReaderEvents) {
  const { handler, logError, start, onRefused, onCalls, streamLimit } = options;
  const { ask, receive } = createRequests(spawned, env);
  const send = (message: MessageToReader): void => spawned.send(message);
  let isServing = false;
  let isListening = false;
  let isHung = false;
  let problem: string | undefined;
  const heartbeat = watchHeartbeat(env.timers, spawned, ({ silentFor, stillFor }) => {
    if (isHung) return;
    send({ reader: 'ping' });
    const isStill = isServing && stillFor >= stillTimeout;
    if (!isStill && silentFor < (isServing ? hungTimeout : startTimeout)) return;
    isHung = true;
    events.onFailed(`a reader process has not answered for ${(isStill ? stillFor : silentFor) / 1000} s and was killed`);
    spawned.kill('SIGKILL');
  });
  spawned.onMessage((message) => {
    const received = message as MessageFromReader;
    receive(received);
    if (received.reader === 'refused' || received.reader === 'refusedCounts') onRefused?.(received);
    if (received.reader === 'calls') onCalls?.(received.calls, received.skipped);
    if (received.reader === 'eventsListening') {
      isListening = received.isListening;
      // Blocks may have been committed before this message came.
      if (isListening) send({ reader: 'eventsAdvanced' });
    }
    // While a reader starts, its pongs do not reset the heartbeat, so that a start that hangs times out too.
    if (received.reader !== 'pong' || !received.isServing || isHung) return;
    heartbeat.reset();
    if (received.problem !== problem) {
      problem = received.problem;
      events.onProblem(problem);
    }
    if (isServing) return;
    isServing = true;
    events.onServing();
  });
  serveRelay(spawned, handler, { soon: env.timers.soon, logError });
  const endStreams = streamLimit && serveStreamLimit(spawned, streamLimit);
  void spawned.exited.then((code) => {
    heartbeat.stop();
    endStreams?.();
    events.onExit(isHung ? undefined : `a reader process exited with code ${code}`);
  });
  send({ reader: 'start', ...start });
  return {
    send,
    ask,
    isListening: () => isListening,
    // A reader that does not serve yet has no requests. One that hangs is killed by the heartbeat before a longer timeout ends.
    stop: (timeout: number): Promise<void> => stopReader(spawned, env.timers, isServing ? timeout : replyTimeout),
  };
}

/** Tells a reader to stop. Resolves when it has exited; kills it after `timeout` milliseconds. */
export async function stopReader(reader: ReaderProcess, { after }: Pick<RelayTimers, 'after'>, timeout: number): Promise<void> {
  reader.send({ reader: 'stop' } satisfies MessageToReader);
  const cancelKill = after(timeout, () => reader.kill('SIGKILL'));
  await reader.exited;
  cancelKill();
}

type Reply = Extract<MessageFromReader, { reader: 'done' | 'metrics' }>;

/** Requests to a reader that wait for the reply with their number. */
function createRequests(child: ReaderProcess, { timers }: Pick<ReaderPoolEnv, 'timers'>) {
  const pending = new Map<number, (reply: Reply) => void>();
  let lastId = 0;
  return {
    /** Resolves to undefined if the reader does not answer in time. */
    ask: async (request: (id: number) => MessageToReader): Promise<Reply | undefined> => {
      const id = ++lastId;
      const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
      pending.set(id, resolve);
      const cancel = timers.after(replyTimeout, () => resolve(undefined));
      child.send(request(id));
      const reply = await promise;
      cancel();
      pending.delete(id);
      return reply;
    },
    receive: (message: MessageFromReader): void => {
      if (message.reader === 'done' || message.reader === 'metrics') pending.get(message.id)?.(message);
    },
  };
}
