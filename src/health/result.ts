import { rfc3339, zeroTime } from '../bytes/rfc3339.ts';

/** What a check has to say, as JSON data. Keys of objects are written in alphabetical order, for the peer's are Go maps. */
export type Details = null | boolean | number | bigint | string | readonly Details[] | { readonly [key: string]: Details };

/** A check's verdict: it failed if there is an error; details may come with either. */
export type Outcome = { readonly details?: Details | undefined; readonly error?: string | undefined };

/** May also throw, which is a failure, or take its time. */
export type Check = () => Outcome | Promise<Outcome>;

/** A check's last run in the fields, the order and the omissions of the peer's JSON. Peer: api/health/result.go. */
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

/** The result of a run that began and ended at these Unix nanoseconds, after the result before it. */
export function resultOf(outcome: Outcome, began: bigint, ended: bigint, before: Result): Result {
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
    contiguousFailures: failures + 1,
    timeOfFirstFailure: (failures > 0 ? before.timeOfFirstFailure : undefined) ?? timestamp,
  };
}
