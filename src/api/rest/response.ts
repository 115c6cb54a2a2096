import { Fault } from '../../base/fault.ts';
import type { HttpResponse } from '../http/message.ts';
import { type Json, RawJson, writeJson } from '../rpc/write-json.ts';
import { ApiError, type ApiErrorFault, reasonPhrases } from './api-error.ts';

/** The JSON body of a response. */
export function renderJson(value: unknown): Buffer {
  const text = value instanceof RawJson ? value.json : stringify(value);
  return typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.length);
}

/** `JSON.stringify` is four times as fast as `writeJson`, but throws a TypeError for a bigint. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return writeJson(value as Json);
  }
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' } as const;

/** An error response. Clients expect `statusCode`, `message` and `error` in the body of every error. */
export function errorResponse(
  message: string,
  { status, reasons, extra }: Pick<ApiErrorFault, 'status' | 'reasons' | 'extra'>,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  const body = JSON.stringify({ statusCode: status, message: reasons ?? message, error: reasonPhrases[status], ...extra });
  return { status, headers, body };
}

export const apiErrorResponse = (error: ApiError, headers: Readonly<Record<string, string>>): HttpResponse =>
  errorResponse(error.message, error.fault, headers);

/**
 * The response to an error of a route. An error without a response of its own, which is a bug, and a fault that the operator must mend are passed
 * to `onUnexpectedError`; the caller sees no details of them.
 */
export function toErrorResponse(
  error: unknown,
  headers: Readonly<Record<string, string>>,
  onUnexpectedError: (error: unknown) => void,
): HttpResponse {
  if (error instanceof ApiError) return apiErrorResponse(error, headers);
  const expected = error instanceof Fault ? faultResponses.get(error.fault.code) : undefined;
  const { status, message, isReported } = expected ?? internalError;
  if (isReported) onUnexpectedError(error);
  return errorResponse(message, { status }, headers);
}

/** The response to a fault. `isReported`: the operator must act, and no other part says so. */
type FaultResponse = { readonly status: 500 | 502 | 503; readonly message: string; readonly isReported: boolean };

const internalError: FaultResponse = { status: 500, message: 'Internal server error', isReported: true };

const reported = (status: 502 | 503, message: string): FaultResponse => ({ status, message, isReported: true });

/** The response to an outage or overload. Whoever notices that it begins or ends writes it to the log once: callers decide how many requests fail. */
const outage = (message: string): FaultResponse => ({ status: 503, message, isReported: false });

/** Responses to faults of the database, cache or followed node. They are temporary or need the operator. */
const faultResponses: ReadonlyMap<string, FaultResponse> = new Map([
  ['STORE_FAILED', reported(503, 'The database does not answer')],
  ['STORE_DAMAGED', reported(503, 'The database is damaged')],
  ['STATE_DAMAGED', reported(503, 'The database is damaged')],
  [
    'INDEX_NEWER_SCHEMA',
    reported(503, 'The database was migrated to a version that this server cannot read; start the newer version of serac api'),
  ],
  ['FOLLOW_NONSENSE', reported(502, 'The followed node sent an invalid response')],
  ['DATABASE_DOWN', outage('The database does not answer')],
  ['DATABASE_BEHIND', outage('The database does not have yet what was served before; the indexer is catching up')],
  ['INDEX_NOT_MADE', outage('The index has not been created yet')],
  ['INDEX_EMPTY', outage('The index has no blocks yet')],
  ['REDIS_UNREACHABLE', outage('The cache does not answer')],
  ['REDIS_TOO_SLOW', outage('The cache does not answer')],
  ['RELAY_BUSY', outage('The node is too busy to take this call now')],
  ['RECOVERY_BUSY', outage('The node has too many transactions with many signatures to verify now')],
  ['NODE_STOPPING', outage('The node is stopping')],
  ['FOLLOW_SILENT', outage('The followed node does not answer')],
]);
