import { Fault } from '../../base/fault.ts';
import { durationText } from '../../base/health/duration.ts';
import { type Check, notYetRun, type Outcome, type Result, resultOf } from '../../base/health/result.ts';

/** Results of the selected checks by name, and whether all of them passed. */
export type Report = { readonly checks: { readonly [name: string]: Result }; readonly healthy: boolean };

/** Every check has this tag implicitly; it cannot be registered. */
const allTag = 'all';

/** A check with this tag is part of every report, whatever tags are requested. */
export const applicationTag = 'application';

/** The checks of one kind, and their last results. AvalancheGo: api/health/worker.go. */
export type Worker = ReturnType<typeof createWorker>;

type WorkerEnv = {
  /** Unix time in nanoseconds. */
  readonly now: () => bigint;
  /** Calls `run` after a number of milliseconds. Returns a function that cancels the timer. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** How long a check may take before it counts as failed, in milliseconds. */
  readonly timeout: number;
  /** Called when a check passes for the first time, begins to fail, or passes again. */
  readonly onChange?: ((name: string, result: Result) => void) | undefined;
};

export function createWorker(env: WorkerEnv) {
  const entries = new Map<string, Entry>();

  const runEntry = async (name: string, entry: Entry, isRetry = false): Promise<void> => {
    const run = entry.running ?? startCheck(entry, env.now());
    const outcome = run.outcome instanceof Promise ? await withTimeout(run.outcome, env) : run.outcome;
    const before = entry.result;
    entry.result = resultOf(outcome, { began: run.began, ended: env.now(), isRetry }, before);
    const isChanged = (before.error === undefined) !== (outcome.error === undefined);
    if (isChanged || before === notYetRun) entry.since = env.now();
    if (isChanged) env.onChange?.(name, entry.result);
  };

  return {
    register: (name: string, check: Check, tags: readonly string[] = []): void => {
      if (tags.includes(allTag)) throw new HealthError(`restricted tag: "${allTag}"`, { code: 'HEALTH_RESTRICTED_TAG', name });
      if (entries.has(name)) throw new HealthError(`duplicate check: "${name}"`, { code: 'HEALTH_DUPLICATE_CHECK', name });
      entries.set(name, { check, tags: new Set(tags), result: notYetRun, since: undefined, running: undefined });
    },
    runAll: async (): Promise<void> => {
      await Promise.all([...entries].map(([name, entry]) => runEntry(name, entry)));
    },
    hasFailing: (): boolean => [...entries.values()].some(({ result }) => result.error !== undefined),
    /** Runs the failing checks once more. One that fails again says why it does now; `contiguousFailures` counts rounds, as in AvalancheGo. */
    retryFailing: async (): Promise<void> => {
      const failing = [...entries].filter(([, entry]) => entry.result.error !== undefined && entry.running === undefined);
      await Promise.all(failing.map(([name, entry]) => runEntry(name, entry, true)));
    },
    /** Runs one check now; does nothing if the name is unknown. */
    run: async (name: string): Promise<void> => {
      const entry = entries.get(name);
      if (entry !== undefined) await runEntry(name, entry);
    },
    /** Without tags, all checks are selected. An unknown tag selects only the checks of `applicationTag`. */
    report: (tags: readonly string[]): Report => {
      const isAll = tags.length === 0 || tags.includes(allTag);
      const isSelected = (entry: Entry) => isAll || entry.tags.has(applicationTag) || tags.some((tag) => entry.tags.has(tag));
      const chosen = [...entries].filter(([, entry]) => isSelected(entry)).sort(byName);
      return {
        checks: Object.fromEntries(chosen.map(([name, entry]) => [name, entry.result])),
        healthy: chosen.every(([, entry]) => entry.result.error === undefined),
      };
    },
    /** Since when each check passes or fails, in Unix nanoseconds; checks that have not run are left out. */
    since: (): (readonly [name: string, time: bigint])[] =>
      [...entries].flatMap(([name, { since }]) => (since === undefined ? [] : [[name, since] as const])),
  };
}

/** Runs a check until it passes with details, then returns that outcome: a node that was ready stays ready. */
export function oncePassed(check: Check): Check {
  let passed: Outcome | undefined;
  return async () => {
    if (passed !== undefined) return passed;
    const outcome = await check();
    if (outcome.error === undefined && outcome.details !== undefined && outcome.details !== null) passed = outcome;
    return outcome;
  };
}

type StartedRun = { readonly began: bigint; readonly outcome: Outcome | Promise<Outcome> };

type Entry = {
  readonly check: Check;
  readonly tags: ReadonlySet<string>;
  result: Result;
  /** When the check first ran, began to fail or passed again, in Unix nanoseconds. */
  since: bigint | undefined;
  /** The run in progress, maybe since an earlier round: a check that hangs is not started again. */
  running: StartedRun | undefined;
};

function startCheck(entry: Entry, began: bigint): StartedRun {
  const outcome = callCheck(entry.check);
  if (!(outcome instanceof Promise)) return { began, outcome };
  const settled = outcome.catch(failureOf).finally(() => {
    entry.running = undefined;
  });
  entry.running = { began, outcome: settled };
  return entry.running;
}

function callCheck(check: Check): Outcome | Promise<Outcome> {
  try {
    return check();
  } catch (cause) {
    return failureOf(cause);
  }
}

/** The outcome of a check that threw. Of a system error only call and code are shown, because its message contains paths. */
function failureOf(cause: unknown): Outcome {
  const { code, syscall, message } = (cause ?? {}) as { code?: string; syscall?: string; message?: string };
  if (syscall !== undefined && code !== undefined) return { error: `${syscall}: ${code}` };
  return { error: message ?? String(cause) };
}

function withTimeout(outcome: Promise<Outcome>, env: WorkerEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const text = durationText(BigInt(env.timeout) * 1_000_000n);
    const cancelTimer = env.after(env.timeout, () => resolve({ error: `check did not finish within ${text}` }));
    outcome.then((outcome) => {
      cancelTimer();
      resolve(outcome);
    });
  });
}

const byName = ([a]: readonly [string, Entry], [b]: readonly [string, Entry]) => (a < b ? -1 : 1);

type HealthFault = { code: 'HEALTH_RESTRICTED_TAG'; name: string } | { code: 'HEALTH_DUPLICATE_CHECK'; name: string };
export class HealthError extends Fault<HealthFault> {}
