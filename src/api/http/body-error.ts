import { Fault } from '../../base/fault.ts';

/** Status and text of the response to a request whose body could not be read. */
export type BodyError = { readonly status: number; readonly message: string };

/** HTTP statuses of the faults of reading a body. */
const bodyFaultStatuses: ReadonlyMap<string, number> = new Map([
  ['BODY_TOO_LARGE', 413],
  ['BODY_FRAGMENTED', 400],
  ['BODY_TIMEOUT', 408],
  ['BODY_OVER_BUDGET', 503],
]);

/** What to answer if `HttpRequest.body` has thrown; undefined for an error of something else. */
export function findBodyError(error: unknown): BodyError | undefined {
  const status = error instanceof Fault ? bodyFaultStatuses.get(error.fault.code) : undefined;
  return status === undefined ? undefined : { status, message: (error as Fault<{ readonly code: string }>).message };
}
