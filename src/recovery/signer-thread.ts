import { messageOf } from '../fault.ts';

/** The thread that recovers signers, started when it is first asked. Batches as in crypto/recovery-batch.ts. */
export type SignerThread = {
  /** Resolves to undefined if the thread failed or was ended: whoever asked recovers the signers in this thread. Never rejects. */
  readonly ask: (batch: Uint8Array) => Promise<Uint8Array | undefined>;
  /** Ends the thread and settles what is pending; the next question starts another one. */
  readonly end: () => void;
};

export type RecoveryThread = { readonly ask: (batch: Uint8Array) => Promise<Uint8Array>; readonly close: () => void };

export type ThreadEnv = {
  readonly openRecoveryThread: () => RecoveryThread;
  /** Milliseconds that only go forward. */
  readonly clock: { readonly monotonic: () => number };
  readonly log: (line: string) => void;
};

/** Milliseconds after a failure in which no other thread is started. */
const rest = 10_000;

export function createSignerThread(env: ThreadEnv): SignerThread {
  let thread: RecoveryThread | undefined;
  let restsUntil = Number.NEGATIVE_INFINITY;

  /** Everything pending fails together with the thread: it is reported once. */
  const failed = (asked: typeof thread, error: unknown): void => {
    if (asked !== thread) return;
    thread = undefined;
    asked?.close();
    restsUntil = env.clock.monotonic() + rest;
    env.log(`serac: the thread that recovers signers failed: ${messageOf(error)}; for ${rest / 1000} s the main thread does its work`);
  };

  return {
    ask: async (batch) => {
      if (env.clock.monotonic() < restsUntil) return undefined;
      let asked: typeof thread;
      try {
        asked = thread ??= env.openRecoveryThread();
        return await asked.ask(batch);
      } catch (error) {
        failed(asked, error);
        return undefined;
      }
    },
    end: () => {
      const ending = thread;
      thread = undefined;
      ending?.close();
    },
  };
}
