import { removeOrphans } from './init-process.ts';

/** What SIGTERM and SIGINT (Ctrl-C) do. The last handler that was given counts. */
type Signals = {
  /** In the first process of a container (PID 1): makes signals end it before the program handles them, since the kernel ignores others, and removes orphans. */
  readonly handleAsInit: () => void;
  readonly handle: (run: () => void) => void;
  /** Stops cleanly on the first signal, and immediately on a later one. */
  readonly stopOn: (running: { readonly close: () => Promise<void> }) => void;
  /** Does to this process what a signal would. */
  readonly sendStop: () => void;
};

/**
 * How long after the first signal further ones are the same, in milliseconds. Ctrl-C reaches every process of the terminal, and npm,
 * bin/launcher.js and the supervisor pass it on, so it arrives up to four times.
 */
const sameSignalMs = 500;

const signals = ['SIGTERM', 'SIGINT'] as const;

/** The exit code of a process that was ended before it could stop. */
const failureCode = 1;

/**
 * Runs what SIGTERM runs in this process, or ends it if nothing handles the signal. Not by a signal to itself: on Windows that would end the process
 * without its handlers.
 */
export function raiseStop(): void {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(failureCode);
}

export function createSignals(log: (text: string, level: 'warn' | 'error') => void): Signals {
  let release = (): void => {};
  const handle = (run: () => void): void => {
    release();
    for (const signal of signals) process.on(signal, run);
    release = () => {
      for (const signal of signals) process.off(signal, run);
    };
  };
  const stopOn: Signals['stopOn'] = (running) => {
    let firstSignal: number | undefined;
    handle(async () => {
      const now = performance.now();
      if (firstSignal !== undefined) {
        if (now - firstSignal > sameSignalMs) process.exit(failureCode);
        return;
      }
      firstSignal = now;
      try {
        await running.close();
      } catch (error) {
        log(`error while stopping: ${error}`, 'error');
        process.exit(failureCode);
      }
      process.exit(0);
    });
  };
  return {
    handleAsInit: () => {
      if (process.pid !== 1) return;
      handle(() => process.exit(failureCode));
      removeOrphans((text) => log(text, 'warn'));
    },
    handle,
    stopOn,
    sendStop: raiseStop,
  };
}
