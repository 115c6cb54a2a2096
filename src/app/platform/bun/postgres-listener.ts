import type { Listener, PostgresOptions } from '../../../cluster/postgres/postgres.ts';
import { connect } from './postgres-connection.ts';

/**
 * A connection of its own that listens on a channel. It may be cut without notice, and is silent while nothing happens, so it is sent a notification
 * of its own from time to time. Returns a function that ends it.
 */
export function listenOn(options: PostgresOptions, channel: string, { onNotify, onLost }: Listener): () => void {
  const ownChannel = `serac_listener_${crypto.randomUUID()}`;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let listener: Bun.SQL | undefined;
  let isEnded = false;
  const drop = (): void => {
    const dropped = listener;
    // First: the driver may report the end of the connection during the call.
    listener = undefined;
    void dropped?.close({ timeout: 0 }).catch(() => undefined);
  };
  /** A lost connection is replaced by a new one: the driver's own attempts would write lines to the log that are not ours. */
  const startAgain = (): void => {
    drop();
    clearTimeout(timer);
    if (!isEnded) timer = setTimeout(() => void start(), listenRetryMilliseconds);
  };
  const lose = (lost: Bun.SQL): void => {
    if (listener !== lost) return;
    startAgain();
    onLost();
  };
  const checkLater = (run: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(run, options.listenCheckMilliseconds ?? defaultListenCheckMilliseconds);
  };
  const check = (started: Bun.SQL, wasHeard: () => boolean): void => {
    started.unsafe('SELECT pg_notify($1, $2)', [ownChannel, '']).catch(() => undefined);
    checkLater(() => {
      if (!wasHeard()) lose(started);
      else if (listener === started) check(started, wasHeard);
    });
  };
  const start = async (): Promise<void> => {
    const started: Bun.SQL = connect(options, () => lose(started));
    listener = started;
    let isHeard = false;
    const takeHeard = (): boolean => {
      const was = isHeard;
      isHeard = false;
      return was;
    };
    // A server that has accepted the connection may be silent from then on.
    checkLater(() => lose(started));
    try {
      // The driver waits in silence for the first connection only.
      await started.unsafe('SELECT 1');
      if (listener === started) await started.listen(channel, onNotify, () => onNotify(''));
      if (listener === started)
        await started.listen(ownChannel, () => {
          isHeard = true;
        });
      if (listener === started) check(started, takeHeard);
    } catch {
      if (listener === started) startAgain();
    }
  };
  void start();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    drop();
  };
}

const listenRetryMilliseconds = 1000;
const defaultListenCheckMilliseconds = 5000;
