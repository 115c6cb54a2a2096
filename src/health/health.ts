import type { Check, Result } from './result.ts';
import { createWorker, monotonic, type Report, type Worker } from './worker.ts';

/** Ready: done starting. Healthy: doing its work. Live: in no need of a restart. */
export type HealthKind = 'readiness' | 'health' | 'liveness';

/** One registry for all checks, the rounds in which they run, and what there is to tell of them. Peer: api/health/health.go. */
export type Health = {
  register(kind: HealthKind, name: string, check: Check, tags?: readonly string[]): void;
  report(kind: HealthKind, tags: readonly string[]): Report;
  /** Runs a check now: what it looks at has changed, and its next round may be half a minute away. */
  recheck(kind: HealthKind, name: string): Promise<void>;
  /** Runs every check once, then again and again; resolves after the first round, so that no answer is "not yet run". */
  start(): Promise<void>;
  /** Runs the checks of `health` once more now, beside the rounds: something happened that they should tell at once. */
  refresh(): void;
  stop(): void;
};

export type HealthEnv = {
  /** Unix time in nanoseconds. */
  readonly now: () => bigint;
  /** Calls once after so many milliseconds; the answer calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Milliseconds from the end of one round to the next. */
  readonly frequency: number;
  /** Milliseconds a single check may take. */
  readonly limit?: number | undefined;
  /** A check went from passing to failing or back. */
  readonly onChange?: ((kind: HealthKind, name: string, result: Result) => void) | undefined;
};

export function createHealth(env: HealthEnv): Health {
  const { now, after, onChange, limit = 10_000 } = env;
  const worker = (kind: HealthKind): Worker =>
    createWorker({ now, after, limit, onChange: onChange && ((name, result) => onChange(kind, name, result)) });
  const workers: { readonly [K in HealthKind]: Worker } = {
    readiness: worker('readiness'),
    health: worker('health'),
    liveness: worker('liveness'),
  };
  let started: Promise<void> | undefined;
  let callOff = () => {};
  let stopped = false;

  const round = async (): Promise<void> => {
    await Promise.all([workers.readiness.runAll(), workers.health.runAll(), workers.liveness.runAll()]);
    if (!stopped) callOff = after(env.frequency, () => void round());
  };

  return {
    register(kind, name, check, tags) {
      workers[kind].register(name, kind === 'readiness' ? monotonic(check) : check, tags);
    },
    report: (kind, tags) => workers[kind].report(tags),
    recheck: (kind, name) => workers[kind].run(name),
    start() {
      started ??= round();
      return started;
    },
    refresh() {
      if (started !== undefined && !stopped) void workers.health.runAll();
    },
    stop() {
      stopped = true;
      callOff();
    },
  };
}
