import { rfc3339, zeroTime } from '../bytes/rfc3339.ts';

/** Details of a check, as JSON data. Object keys are sorted alphabetically, as in AvalancheGo, which uses Go maps. */
export type Details = null | boolean | number | bigint | string | readonly Details[] | { readonly [key: string]: Details };

/** The outcome of a check. It failed if there is an error; details are possible in both cases. */
export type Outcome = { readonly details?: Details | undefined; readonly error?: string | undefined };

/** A check. It may also throw, which counts as a failure. */
export type Check = () => Outcome | Promise<Outcome>;

/** The result of a check's last run, in the fields and the order of AvalancheGo's JSON. AvalancheGo: api/health/result.go. */
export type Result = {
  readonly message?: Details;
  readonly error?: string;
  readonly timestamp: string;
  /** Nanoseconds. */
  readonly duration: number;
  readonly contiguousFailures?: number;
  readonly timeOfFirstFailure?: string;
};

export const notYetRun: Result = { error: 'not yet run', timestamp: zeroTime, duration: 0 };

/** A run of a check: when it began and ended, in Unix nanoseconds, and whether it only repeats a failed one, and so is not counted. */
export type Run = { readonly began: bigint; readonly ended: bigint; readonly isRetry: boolean };

/** The result of a run; `before` is the previous one. */
export function resultOf(outcome: Outcome, { began, ended, isRetry }: Run, before: Result): Result {
  const { details, error } = outcome;
  const timestamp = rfc3339(ended);
  // The wall clock may be set back while a check runs.
  const duration = ended > began ? Number(ended - began) : 0;
  const message = details === undefined || details === null ? {} : { message: details };
  if (error === undefined) return { ...message, timestamp, duration };
  const failures = before.contiguousFailures ?? 0;
  return {
    ...message,
    error,
    timestamp,
    duration,
    contiguousFailures: isRetry && failures > 0 ? failures : failures + 1,
    timeOfFirstFailure: (failures > 0 ? before.timeOfFirstFailure : undefined) ?? timestamp,
  };
}
