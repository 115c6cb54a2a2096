import { createBackoff } from '../../base/timing/backoff.ts';
import type { ReaderProcess, WriterStart } from '../platform/node-processes.ts';
import { hungTimeout, killTimeout, pingInterval, stillTimeout, watchHeartbeat } from './heartbeat.ts';
import type { MessageToReader } from './messages.ts';
import { getStopTimeout, replyTimeout, stableAfter } from './reader-pool.ts';
import { createReaderSwitch } from './reader-switch.ts';
import type { RelayTimers } from './relay.ts';
import type { MessageFromWriter, MessageToWriter } from './writer-messages.ts';

type WriterProcess = ReaderProcess;

/**
 * Backoff in milliseconds between restarts, and the most restarts in a row: a writer that fails again and again needs a person. Both start over
 * after `stableAfter` ms of service. They count restarts and not time, because a hang takes long to notice.
 */
const backoffLimits = { first: 100, max: 5000 } as const;
const maxRestarts = 5;

/**
 * Milliseconds of silence after which a writer that is restarted counts as hung; a first start may take any time. Long work that shows progress is
 * not silent, but a single statement of SQLite is: so the time doubles with each restart in a row.
 */
const restartTimeout = 120_000;

/**
 * Runs the node as a child process, the writer, and restarts it when it crashes or hangs. Reader processes keep serving meanwhile: reads from
 * the last commit, and status 503 for calls that need the writer. Returns a function that stops the node. `shutdownTimeout`:
 * milliseconds for open requests of readers. `onEnd` gets the exit code: of a writer that stopped, did not start, or failed too often.
 */
export function superviseWriter(
  env: {
    readonly spawnWriter: (start: WriterStart) => WriterProcess;
    readonly spawnReader: () => ReaderProcess;
    readonly timers: RelayTimers;
    readonly clock: { readonly monotonic: () => number };
    readonly random: (length: number) => Uint8Array;
    readonly log: (line: string, level?: 'info' | 'warn' | 'error' | 'fatal') => void;
  },
  shutdownTimeout: number,
  onEnd: (code: number) => void,
): { readonly stop: () => void } {
  const readers = createReaderSwitch({ spawnReader: env.spawnReader, timers: env.timers });
  const absence = createAbsenceNotice(env.timers, readers.sendToAll);
  const restarts = createRestartLimit(env.random);
  let restartCount = 0;
  let port: number | undefined;
  let writer: WriterProcess | undefined;
  let cancelRestart = (): void => {};
  let [isStopping, isEnding] = [false, false];

  const end = async (code: number, timeout = getStopTimeout(shutdownTimeout)): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    absence.begin();
    await readers.stop(timeout);
    absence.end();
    onEnd(code);
  };

  /** Restarts the writer after a pause, or ends the node if the writer failed too often. `servedFor`: milliseconds. */
  const restartOrEnd = (reason: string, code: number, servedFor: number): void => {
    const wait = restarts.next(servedFor);
    if (wait === undefined) {
      const why = `it served for less than ${stableAfter / 1000} s after each of ${maxRestarts} restarts`;
      env.log(`${reason}; giving up: ${why}; the log has the reason of each; remove the cause and start the node again`, 'fatal');
      return void end(code);
    }
    env.log(`${reason}; restarting it in ${Math.round(wait)} ms`, 'error');
    absence.begin();
    cancelRestart = env.timers.after(wait, () => {
      restartCount++;
      try {
        watch(env.spawnWriter({ port, restarts: restartCount, reason }));
      } catch (error) {
        restartOrEnd(`cannot start a writer process: ${error}`, 1, 0);
      }
    });
  };

  const watch = (spawned: WriterProcess): void => {
    writer = spawned;
    const [isFirst, began] = [restartCount === 0, env.clock.monotonic()];
    let readyAt: number | undefined;
    let heardAt = began;
    const hang = killWhenHung(spawned, {
      timers: env.timers,
      isReady: () => readyAt !== undefined,
      startTimeout: isFirst ? Number.POSITIVE_INFINITY : restartTimeout * 2 ** (restarts.inRow() - 1),
      onSilent: () => readers.sendToAll({ reader: 'writerGone' }),
    });
    const passOn = readers.connect(spawned);
    spawned.onMessage((received) => {
      const message = received as MessageFromWriter;
      hang.reset();
      heardAt = env.clock.monotonic();
      passOn(message);
      if (message.writer !== 'ready') return;
      readyAt = heardAt;
      port = message.port;
      absence.end();
      if (!isFirst) env.log(`the writer process serves again after ${Math.round(readyAt - began)} ms`, 'warn');
    });
    void spawned.exited.then((code) => {
      hang.stop();
      readers.disconnect();
      writer = undefined;
      // The writer was told to stop a second time, or could not stop: the readers end now too.
      if (isStopping && code !== 0) return void end(code, replyTimeout);
      // Exit code 0: the writer was told to stop. A first start that fails would fail again.
      if (code === 0 || (isFirst && readyAt === undefined)) return void end(code);
      restartOrEnd(hang.reason() ?? `the writer process exited with code ${code}`, code, readyAt === undefined ? 0 : heardAt - readyAt);
    });
  };

  watch(env.spawnWriter({ restarts: 0 }));
  return {
    stop: () => {
      isStopping = true;
      if (writer !== undefined) return writer.kill('SIGTERM');
      cancelRestart();
      void end(0);
    },
  };
}

/** Tells the readers every half second that there is no writer, so that they do not take the supervisor for hung. */
function createAbsenceNotice({ after }: Pick<RelayTimers, 'after'>, sendToReaders: (message: MessageToReader) => void) {
  let cancel = (): void => {};
  const begin = (): void => {
    cancel();
    sendToReaders({ reader: 'writerGone' });
    cancel = after(pingInterval, begin);
  };
  return { begin, end: (): void => cancel() };
}

/** Counts the restarts in a row, and says how long to wait before the next one. */
function createRestartLimit(random: (length: number) => Uint8Array) {
  const backoff = createBackoff(backoffLimits, () => Buffer.from(random(4)).readUInt32BE() / 2 ** 32);
  let inRow = 0;
  return {
    inRow: (): number => inRow,
    /** Milliseconds until the next restart, after a writer that served for `servedFor` ms; undefined: it failed too often. */
    next: (servedFor: number): number | undefined => {
      if (servedFor >= stableAfter) {
        inRow = 0;
        backoff.reset();
      }
      if (inRow >= maxRestarts) return undefined;
      inRow++;
      return backoff.next();
    },
  };
}

/** Pings a writer process, and kills it when it has not answered for too long. */
function killWhenHung(
  writer: WriterProcess,
  {
    timers,
    isReady,
    startTimeout,
    onSilent,
  }: {
    readonly timers: RelayTimers;
    /** Whether the writer has started to serve. */
    readonly isReady: () => boolean;
    /** Milliseconds of silence after which a writer that is not ready counts as hung. */
    readonly startTimeout: number;
    /** Called with each ping while a ready writer is silent for `hungTimeout` ms or more. */
    readonly onSilent: () => void;
  },
) {
  let reason: string | undefined;
  const { reset, stop } = watchHeartbeat(timers, writer, ({ silentFor, stillFor }) => {
    writer.send({ writer: 'ping' } satisfies MessageToWriter);
    if (isReady() && silentFor >= hungTimeout) onSilent();
    if (reason !== undefined) return;
    const hungFor = isReady() ? (findHang(stillFor, stillTimeout) ?? findHang(silentFor, killTimeout)) : findHang(silentFor, startTimeout);
    if (hungFor === undefined) return;
    reason = `the writer process has not answered for ${hungFor / 1000} s and was killed`;
    writer.kill('SIGKILL');
  });
  return {
    /** Call it for every message of the writer. */
    reset,
    stop,
    /** Why the writer was killed; undefined if it was not. */
    reason: (): string | undefined => reason,
  };
}

/** How many milliseconds a process was silent, if that is too long. */
const findHang = (milliseconds: number, limit: number): number | undefined => (milliseconds >= limit ? milliseconds : undefined);
