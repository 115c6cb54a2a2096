import { Fault } from '../../base/fault.ts';

/** HTTP statuses of the faults of reading a body. */
const bodyFaultStatuses: ReadonlyMap<string, number> = new Map([
  ['BODY_TOO_LARGE', 413],
  ['BODY_FRAGMENTED', 400],
  ['BODY_TIMEOUT', 408],
  ['BODY_OVER_BUDGET', 503],
  ['BODY_UNREADABLE', 400],
]);

/** Status and text of the response if `HttpRequest.body` has thrown; undefined for an error of something else. */
export function findBodyError(error: unknown): { readonly status: number; readonly message: string } | undefined {
  const status = error instanceof Fault ? bodyFaultStatuses.get(error.fault.code) : undefined;
  return status === undefined ? undefined : { status, message: (error as Fault<{ readonly code: string }>).message };
}

/**
 * Turns an error of `HttpRequest.body` into one for which `findBodyError` has a response. An error without a status of its own becomes a 400: the
 * body did not arrive, which is no error of this server.
 */
export const toBodyError = (error: unknown): unknown =>
  findBodyError(error) === undefined ? new BodyError('request body could not be read', { code: 'BODY_UNREADABLE' }) : error;

class BodyError extends Fault<{ code: 'BODY_UNREADABLE' }> {}
