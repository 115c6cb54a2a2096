import { Fault } from '../fault.ts';

/**
 * DATABASE_DOWN: no answer now, and the same question may have one later. DATABASE_REFUSED: the server understood and said no; asking again
 * will not help.
 */
export type PostgresFault = { code: 'DATABASE_DOWN'; reason: string } | { code: 'DATABASE_REFUSED'; reason: string };

export class PostgresError extends Fault<PostgresFault> {}

/** Whether an error says that the database cannot be had at the moment. */
export const isDatabaseDown = (error: unknown): boolean => error instanceof PostgresError && error.fault.code === 'DATABASE_DOWN';

/** What the driver or the server said, as a fault of ours. What is not theirs, such as a fault of the work inside a write, passes as it is. */
export function postgresFault(cause: unknown): unknown {
  const { name, code, errno, message } = cause as { name?: string; code?: string; errno?: unknown; message?: string };
  if (name !== 'PostgresError' || cause instanceof PostgresError) return cause;
  const state = typeof errno === 'string' ? errno : '';
  const fromServer = code === 'ERR_POSTGRES_SERVER_ERROR';
  const fault = fromServer && !passing.some((prefix) => state.startsWith(prefix)) ? 'DATABASE_REFUSED' : 'DATABASE_DOWN';
  const error = new PostgresError(`database: ${message ?? code}`, { code: fault, reason: state || (code ?? 'unknown') });
  error.cause = cause;
  return error;
}

export const noAnswer = (milliseconds: number): PostgresError =>
  new PostgresError(`database: no answer within ${milliseconds} ms`, { code: 'DATABASE_DOWN', reason: 'timeout' });

/**
 * SQLSTATEs of troubles that pass: connection lost, a standby that cannot write yet, deadlock or conflict, no resources left, shutting down
 * or not yet up, cancelled for its time, trouble with its disk.
 */
const passing = ['08', '25006', '40', '53', '57', '58'];
