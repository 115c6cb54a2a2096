import { Fault } from '../fault.ts';
import { durationText } from './duration.ts';
import { type Check, notYetRun, type Outcome, type Result, resultOf } from './result.ts';

/** What a caller is told: the selected checks by name, and whether all of them passed. */
export type Report = { readonly checks: { readonly [name: string]: Result }; readonly healthy: boolean };

/** Every check has this tag, and no check may ask for it. */
export const allTag = 'all';

/** A check with this tag is part of every report, whatever tags are asked for. */
export const applicationTag = 'application';

/** Named checks of one kind, and their last results. Peer: api/health/worker.go. */
export type Worker = {
  register(name: string, check: Check, tags?: readonly string[]): void;
  runAll(): Promise<void>;
  /** Runs one check now; nothing happens if there is none of that name. */
  run(name: string): Promise<void>;
  /** No tags: every check. An unknown tag selects nothing by itself. */
  report(tags: readonly string[]): Report;
};

export type WorkerEnv = {
  /** Unix time in nanoseconds. */
  readonly now: () => bigint;
  /** Calls once after so many milliseconds; the answer calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** How long a check may take before it counts as failed, in milliseconds. */
  readonly limit: number;
  /** A check went from passing to failing or back. */
  readonly onChange?: ((name: string, result: Result) => void) | undefined;
};

export function createWorker(env: WorkerEnv): Worker {
  const entries = new Map<string, Entry>();

  const runEntry = async (name: string, entry: Entry): Promise<void> => {
    const { began, verdict } = entry.running ?? begin(entry, env.now());
    const outcome = verdict instanceof Promise ? await withinLimit(verdict, env) : verdict;
    const before = entry.result;
    entry.result = resultOf(outcome, began, env.now(), before);
    if ((before.error === undefined) !== (outcome.error === undefined)) env.onChange?.(name, entry.result);
  };

  return {
    register(name, check, tags = []) {
      if (tags.includes(allTag)) throw new HealthError(`restricted tag: "${allTag}"`, { code: 'HEALTH_RESTRICTED_TAG', name });
      if (entries.has(name)) throw new HealthError(`duplicate check: "${name}"`, { code: 'HEALTH_DUPLICATE_CHECK', name });
      entries.set(name, { check, tags: new Set(tags), result: notYetRun, running: undefined });
    },
    async runAll() {
      await Promise.all([...entries].map(([name, entry]) => runEntry(name, entry)));
    },
    async run(name) {
      const entry = entries.get(name);
      if (entry !== undefined) await runEntry(name, entry);
    },
    report(tags) {
      const isAll = tags.length === 0 || tags.includes(allTag);
      const isWanted = (entry: Entry) => isAll || entry.tags.has(applicationTag) || tags.some((tag) => entry.tags.has(tag));
      const chosen = [...entries].filter(([, entry]) => isWanted(entry)).sort(byName);
      return {
        checks: Object.fromEntries(chosen.map(([name, entry]) => [name, entry.result])),
        healthy: chosen.every(([, entry]) => entry.result.error === undefined),
      };
    },
  };
}

/** Once it has passed with something to say it is never run again: a node that was ready stays ready. */
export function monotonic(check: Check): Check {
  let passed: Outcome | undefined;
  return async () => {
    if (passed !== undefined) return passed;
    const outcome = await check();
    if (outcome.error === undefined && outcome.details !== undefined && outcome.details !== null) passed = outcome;
    return outcome;
  };
}

type Run = { readonly began: bigint; readonly verdict: Outcome | Promise<Outcome> };

type Entry = {
  readonly check: Check;
  readonly tags: ReadonlySet<string>;
  result: Result;
  /** The run that is still under way, perhaps since an earlier round: a check that hangs is waited for, never started twice. */
  running: Run | undefined;
};

function begin(entry: Entry, began: bigint): Run {
  const verdict = attempt(entry.check);
  if (!(verdict instanceof Promise)) return { began, verdict };
  const settled = verdict.catch(failure).finally(() => {
    entry.running = undefined;
  });
  entry.running = { began, verdict: settled };
  return entry.running;
}

function attempt(check: Check): Outcome | Promise<Outcome> {
  try {
    return check();
  } catch (cause) {
    return failure(cause);
  }
}

/** A system error's text names files; its code says as much without them. */
function failure(cause: unknown): Outcome {
  const { code, syscall, message } = (cause ?? {}) as { code?: string; syscall?: string; message?: string };
  if (syscall !== undefined && code !== undefined) return { error: `${syscall}: ${code}` };
  return { error: message ?? String(cause) };
}

function withinLimit(verdict: Promise<Outcome>, env: WorkerEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const text = durationText(BigInt(env.limit) * 1_000_000n);
    const callOff = env.after(env.limit, () => resolve({ error: `check did not finish within ${text}` }));
    verdict.then((outcome) => {
      callOff();
      resolve(outcome);
    });
  });
}

const byName = ([a]: readonly [string, Entry], [b]: readonly [string, Entry]) => (a < b ? -1 : 1);

export type HealthFault = { code: 'HEALTH_RESTRICTED_TAG'; name: string } | { code: 'HEALTH_DUPLICATE_CHECK'; name: string };
export class HealthError extends Fault<HealthFault> {}
