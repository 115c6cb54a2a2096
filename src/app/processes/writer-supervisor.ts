import { createBackoff } from '../../base/timing/backoff.ts';
import type { ReaderProcess, WriterStart } from '../platform/node-processes.ts';
import { hungTimeout, killTimeout, pingInterval, stillTimeout, watchHeartbeat } from './heartbeat.ts';
import type { MessageToReader } from './messages.ts';
import { getStopTimeout, replyTimeout, stableAfter } from './reader-pool.ts';
import { createReaderSwitch } from './reader-switch.ts';
import type { RelayTimers } from './relay.ts';
import type { MessageFromWriter, MessageToWriter } from './writer-messages.ts';

type WriterProcess = ReaderProcess;

type WriterSupervisorEnv = {
  readonly spawnWriter: (start: WriterStart) => WriterProcess;
  readonly spawnReader: () => ReaderProcess;
  readonly timers: RelayTimers;
  readonly clock: { readonly monotonic: () => number };
  readonly random: (length: number) => Uint8Array;
  readonly log: (line: string, level?: 'info' | 'warn' | 'error' | 'fatal') => void;
};

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
  env: WriterSupervisorEnv,
  shutdownTimeout: number,
  onEnd: (code: number) => void,
): { readonly stop: () => void } {
  const backoff = createBackoff(backoffLimits, () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32);
  const readers = createReaderSwitch(env);
  let [restartsInRow, restartCount] = [0, 0];
  let port: number | undefined;
  let writer: WriterProcess | undefined;
  let [cancelRestart, endTelling] = [() => {}, () => {}];
  let [isStopping, isEnding] = [false, false];

  /** Tells the readers every half second that there is no writer, so that they do not take the supervisor for hung. */
  const tellWriterGone = (): void => {
    endTelling();
    readers.sendToAll({ reader: 'writerGone' });
    endTelling = env.timers.after(pingInterval, tellWriterGone);
  };

  const end = async (code: number, timeout = getStopTimeout(shutdownTimeout)): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    tellWriterGone();
    await readers.stop(timeout);
    endTelling();
    onEnd(code);
  };

  const fail = (reason: string, code: number, servedFor: number): void => {
    if (servedFor >= stableAfter) {
      restartsInRow = 0;
      backoff.reset();
    }
    if (restartsInRow >= maxRestarts) {
      const why = `it served for less than ${stableAfter / 1000} s after each of ${maxRestarts} restarts`;
      env.log(`${reason}; giving up: ${why}; the log has the reason of each; remove the cause and start the node again`, 'fatal');
      return void end(code);
    }
    restartsInRow++;
    const wait = backoff.next();
    env.log(`${reason}; restarting it in ${Math.round(wait)} ms`, 'error');
    tellWriterGone();
    cancelRestart = env.timers.after(wait, () => {
      restartCount++;
      try {
        watch(env.spawnWriter({ port, restarts: restartCount, reason }));
      } catch (error) {
        fail(`cannot start a writer process: ${error}`, 1, 0);
      }
    });
  };

  const watch = (spawned: WriterProcess): void => {
    writer = spawned;
    const [isFirst, began] = [restartCount === 0, env.clock.monotonic()];
    let readyAt: number | undefined;
    let heardAt = began;
    let hungReason: string | undefined;
    const heartbeat = watchHeartbeat(env.timers, spawned, ({ silentFor, stillFor }) => {
      spawned.send({ writer: 'ping' } satisfies MessageToWriter);
      if (readyAt !== undefined && silentFor >= hungTimeout) readers.sendToAll({ reader: 'writerGone' } satisfies MessageToReader);
      if (hungReason !== undefined) return;
      const startLimit = isFirst ? Number.POSITIVE_INFINITY : restartTimeout * 2 ** (restartsInRow - 1);
      const hungFor =
        readyAt === undefined ? findHang(silentFor, startLimit) : (findHang(stillFor, stillTimeout) ?? findHang(silentFor, killTimeout));
      if (hungFor === undefined) return;
      hungReason = `the writer process has not answered for ${hungFor / 1000} s and was killed`;
      spawned.kill('SIGKILL');
    });
    const passOn = readers.connect(spawned);
    spawned.onMessage((received) => {
      const message = received as MessageFromWriter;
      heartbeat.reset();
      heardAt = env.clock.monotonic();
      passOn(message);
      if (message.writer !== 'ready') return;
      readyAt = heardAt;
      port = message.port;
      endTelling();
      if (!isFirst) env.log(`the writer process serves again after ${Math.round(readyAt - began)} ms`, 'warn');
    });
    void spawned.exited.then((code) => {
      heartbeat.stop();
      readers.disconnect();
      writer = undefined;
      // It was told to stop a second time, or could not stop: the readers end now too.
      if (isStopping && code !== 0) return void end(code, replyTimeout);
      // Exit code 0: it was told to stop. A first start that fails would fail again.
      if (code === 0 || (isFirst && readyAt === undefined)) return void end(code);
      fail(hungReason ?? `the writer process exited with code ${code}`, code, readyAt === undefined ? 0 : heardAt - readyAt);
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

/** How many milliseconds a process was silent, if that is too long. */
const findHang = (milliseconds: number, limit: number): number | undefined => (milliseconds >= limit ? milliseconds : undefined);
