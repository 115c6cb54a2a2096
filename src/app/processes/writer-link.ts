import { type CallRecorder, createCallRecorder } from '../../api/calls/call-recorder.ts';
import type { RefusedCall } from '../../api/rpc/refused-call.ts';
import type { MetricFamily } from '../../base/metrics/family.ts';
import type { ChainClock } from '../../base/timing/chain-clock.ts';
import { createErrorLog } from '../output/error-log.ts';
import { type LineLimit, limitLines } from '../output/limit-lines.ts';
import type { Env, ProcessEnv, TimeEnv } from '../platform/env.ts';
import { hungTimeout, killTimeout, watchHeartbeat } from './heartbeat.ts';
import type { LiveEvent, MessageFromReader, MessageToReader, ReaderState } from './messages.ts';
import { createRelayClient, type Relay } from './relay.ts';

/** The writer process, seen from a reader process. */
export type WriterLink = {
  readonly relay: Relay;
  readonly isStopping: () => boolean;
  /** Whether every call goes to the writer process. */
  readonly isForwarding: () => boolean;
  /** The port of the writer process for state files, which changes when the writer process is restarted. */
  readonly statePort: () => number | undefined;
  /** Sets a clock to the time of the chain, now and whenever it changes. */
  readonly bindClock: (clock: ChainClock) => void;
  readonly send: (message: MessageFromReader) => void;
  /** Reports refused calls to the writer, limited in number. */
  readonly refused: LineLimit<RefusedCall>;
  /** Records the calls of this process for the log of calls, which the writer has. */
  readonly recorder: CallRecorder;
  readonly logError: (error: unknown) => void;
};

/** A reader process that serves. */
type RunningReader = {
  readonly families: () => MetricFamily[];
  readonly advanceEvents: () => void;
  readonly sendLiveEvent: (event: LiveEvent & { readonly lastEntry: number }) => void;
  readonly close: () => Promise<void>;
};

type StartMessage = Extract<MessageToReader, { reader: 'start' }>;

/**
 * Serves as the writer process asks for: `start` is called once, with its message. The parent is the writer process, which is killed if it
 * hangs, so that somebody restarts the node; or the supervisor process, which restarts the writer process itself.
 */
export function serveWriter(
  env: ProcessEnv & TimeEnv & Pick<Env, 'connections'>,
  parent: NonNullable<Env['parent']>,
  start: (message: StartMessage, link: WriterLink) => Promise<RunningReader>,
): void {
  let listening: MessageFromReader | undefined;
  const send = (message: MessageFromReader): void => {
    if (message.reader === 'eventsListening') listening = message;
    parent.send(message);
  };
  const relay = createRelayClient(parent, env.timers);
  let [isHung, isStopping, isForwarding] = [false, false, false];
  let startMessage: StartMessage | undefined;
  let clock: ChainClock | undefined;
  let clockState: ReaderState['clock'] | undefined;
  let reader: RunningReader | undefined;
  let starting: Promise<RunningReader> | undefined;
  const link: WriterLink = {
    relay,
    isStopping: () => isStopping,
    isForwarding: () => isForwarding,
    statePort: () => startMessage?.statePort,
    bindClock: (bound) => {
      clock = bound;
      if (clockState !== undefined) bound.restore(clockState);
    },
    send,
    refused: limitLines(
      { show: (call) => send({ reader: 'refused', call }), showCounts: (counts) => send({ reader: 'refusedCounts', counts }) },
      env.timers.after,
    ),
    recorder: createCallRecorder({
      now: () => Number(env.clock.unixNanos() / 1_000_000n),
      monotonic: env.clock.monotonic,
      after: env.timers.after,
      keep: (calls, skipped) => send({ reader: 'calls', calls, skipped }),
    }),
    logError: createErrorLog(env, 'reader: '),
  };
  const sendPong = (): void => send({ reader: 'pong', isServing: reader !== undefined, problem: env.connections?.()?.check().error });
  const stop = async (): Promise<void> => {
    await (await starting)?.close();
    env.exit(0);
  };

  /** What each message of the writer process causes. */
  const actions: { readonly [K in MessageToReader['reader']]: (message: Extract<MessageToReader, { reader: K }>) => unknown } = {
    ping: sendPong,
    start: async (message) => {
      const before = startMessage;
      startMessage = message;
      if (before !== undefined) {
        // A new writer process. If it serves something else, it starts another reader in place of this one.
        if (!isSameStart(before, message)) return stop();
        [isStopping, isForwarding] = [false, false];
        link.recorder.setOn(false);
        if (listening !== undefined) send(listening);
        return reader && sendPong();
      }
      starting = start(message, link);
      reader = await starting;
      sendPong();
    },
    writerGone: () => setHung('is being restarted'),
    eventsAdvanced: () => reader?.advanceEvents(),
    liveEvent: (event) => reader?.sendLiveEvent(event),
    stopping: () => {
      isStopping = true;
    },
    setState: ({ id, state }) => {
      isForwarding = state.isForwarding;
      link.recorder.setOn(state.recordsCalls);
      clockState = state.clock;
      clock?.restore(clockState);
      send({ reader: 'done', id });
    },
    // Received by processes/relayed-streams.ts, which listens on the same channel.
    streamTaken: () => {},
    stop,
    getMetrics: async ({ id }) => send({ reader: 'metrics', id, families: (await starting)?.families() ?? [] }),
  };

  const setHung = (reason: string | undefined): void => {
    isHung = reason !== undefined;
    relay.setHung(reason);
  };
  const heartbeat = watchHeartbeat(env.timers, parent, ({ silentFor }) => {
    if (silentFor < hungTimeout) return;
    if (!isHung) env.log(`the writer process has not answered for ${silentFor / 1000} s; calls that need it get status 503`, 'error');
    setHung('does not answer');
    if (silentFor !== killTimeout) return;
    env.log(`the writer process has not answered for ${silentFor / 1000} s; killing it`, 'fatal');
    parent.kill();
  });
  parent.onClose(() => {
    // Calls that wait for an answer of the writer process get none: else they would delay the end of this process.
    setHung('has ended');
    void stop();
  });
  parent.onMessage(async (message) => {
    heartbeat.reset();
    const received = message as MessageToReader;
    if (isHung && received.reader !== 'writerGone') setHung(undefined);
    await (actions[received.reader] as ((message: MessageToReader) => unknown) | undefined)?.(received);
  });
}

/** Whether two writer processes serve the same, so that a reader of one can serve beside the other. */
const isSameStart = ({ statePort: _, ...a }: StartMessage, { statePort: __, ...b }: StartMessage): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
