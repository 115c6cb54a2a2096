import { messageOf } from '../../base/fault.ts';

type RecoveryThread = { readonly request: (batch: Uint8Array) => Promise<Uint8Array>; readonly close: () => void };

export type ThreadEnv = {
  readonly openRecoveryThread: () => RecoveryThread;
  /** Monotonic milliseconds. */
  readonly clock: { readonly monotonic: () => number };
  readonly log: (line: string) => void;
};

/** Milliseconds after a failure before another thread is started. */
const restartDelay = 10_000;

/** The worker thread that recovers signers, started on first use and after a failure. Batches are those of crypto/recovery-batch.ts. */
export function createRestartingThread(env: ThreadEnv) {
  let thread: RecoveryThread | undefined;
  let noRestartBefore = Number.NEGATIVE_INFINITY;

  /** All pending batches fail together with the thread; the failure is logged once. */
  const onFailure = (failedThread: typeof thread, error: unknown): void => {
    if (failedThread !== thread) return;
    thread = undefined;
    failedThread?.close();
    noRestartBefore = env.clock.monotonic() + restartDelay;
    env.log(
      `the thread that recovers signers failed (${messageOf(error)}); the main thread does its work, restarting it in ${restartDelay / 1000} s`,
    );
  };

  return {
    /** Resolves to undefined if the thread failed or was stopped: the caller then recovers the signers itself. Never rejects. */
    recover: async (batch: Uint8Array): Promise<Uint8Array | undefined> => {
      if (env.clock.monotonic() < noRestartBefore) return undefined;
      let current: typeof thread;
      try {
        current = thread ??= env.openRecoveryThread();
        return await current.request(batch);
      } catch (error) {
        onFailure(current, error);
        return undefined;
      }
    },
    /** Stops the thread and settles pending batches; the next batch starts another thread. */
    stop: (): void => {
      const ending = thread;
      thread = undefined;
      ending?.close();
    },
  };
}
