import type { Check, Result } from '../../base/health/result.ts';
import { createWorker, oncePassed, type Report, type Worker } from './worker.ts';

/** Milliseconds until failing checks run again: a node that works again should say so long before the next round. */
const retryInterval = 1000;

/** Readiness: has started. Health: works. Liveness: needs no restart. */
export type CheckKind = 'readiness' | 'health' | 'liveness';

/** The registered checks, their periodic runs and their results. AvalancheGo: api/health/health.go. */
export type Health = ReturnType<typeof createHealth>;

export function createHealth({
  now,
  after,
  interval,
  timeout = 10_000,
  onChange,
}: {
  /** Unix time in nanoseconds. */
  readonly now: () => bigint;
  /** Calls `run` after a number of milliseconds. Returns a function that cancels the timer. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Milliseconds from the end of one round to the next. */
  readonly interval: number;
  /** Milliseconds a single check may take. */
  readonly timeout?: number | undefined;
  /** Called when a check passes for the first time, begins to fail, or passes again. */
  readonly onChange?: ((kind: CheckKind, name: string, result: Result) => void) | undefined;
}) {
  const worker = (kind: CheckKind): Worker =>
    createWorker({ now, after, timeout, onChange: onChange && ((name, result) => onChange(kind, name, result)) });
  const workers: { readonly [K in CheckKind]: Worker } = {
    readiness: worker('readiness'),
    health: worker('health'),
    liveness: worker('liveness'),
  };
  let started: Promise<void> | undefined;
  let beforeReport = () => {};
  let cancelTimer = () => {};
  let cancelRetry: (() => void) | undefined;
  let stopped = false;

  const runRound = async (): Promise<void> => {
    await Promise.all([workers.readiness.runAll(), workers.health.runAll(), workers.liveness.runAll()]);
    scheduleRetry();
    if (!stopped) cancelTimer = after(interval, () => void runRound());
  };

  const scheduleRetry = (): void => {
    const isNeeded = Object.values(workers).some((one) => one.hasFailing());
    if (isNeeded && !stopped && cancelRetry === undefined) cancelRetry = after(retryInterval, () => void retryFailing());
  };
  const retryFailing = async (): Promise<void> => {
    await Promise.all(Object.values(workers).map((one) => one.retryFailing()));
    cancelRetry = undefined;
    scheduleRetry();
  };

  return {
    register: (kind: CheckKind, name: string, check: Check, tags?: readonly string[]): void =>
      workers[kind].register(name, kind === 'readiness' ? oncePassed(check) : check, tags),
    report: (kind: CheckKind, tags: readonly string[]): Report => {
      beforeReport();
      return workers[kind].report(tags);
    },
    /** Calls `run` before each report: it may run checks again. */
    onReport: (run: () => void): void => {
      beforeReport = run;
    },
    /** Since when each `health` check passes or fails, in Unix nanoseconds. */
    since: () => workers.health.since(),
    /** Runs one check now, because its subject has changed and the next round may be 30 s away. */
    recheck: async (kind: CheckKind, name: string): Promise<void> => {
      await workers[kind].run(name);
      if (started !== undefined) scheduleRetry();
    },
    /** Runs all checks periodically. Resolves after the first round, so that no result is "not yet run". */
    start: (): Promise<void> => {
      started ??= runRound();
      return started;
    },
    /** Runs all `health` checks now, in addition to the periodic rounds. */
    refresh: (): void => {
      if (started !== undefined && !stopped) void workers.health.runAll().then(scheduleRetry);
    },
    stop: (): void => {
      stopped = true;
      cancelTimer();
      cancelRetry?.();
    },
  };
}
