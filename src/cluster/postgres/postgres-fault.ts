import { Fault } from '../../base/fault.ts';
import { describeDatabase } from './database-url.ts';

/**
 * DATABASE_DOWN: the server did not answer; a retry may succeed. DATABASE_BEHIND: it has less than was served from it before, until the indexer
 * has caught up. DATABASE_REFUSED: the server rejected the statement; a retry will not help.
 */
type PostgresFault =
  | { code: 'DATABASE_DOWN'; reason: string }
  | { code: 'DATABASE_BEHIND'; reason: string }
  | { code: 'DATABASE_REFUSED'; reason: string };

export class PostgresError extends Fault<PostgresFault> {}

/** Whether an error means that the database is not available at the moment. */
export const isDatabaseDown = (error: unknown): boolean => error instanceof PostgresError && error.fault.code === 'DATABASE_DOWN';

/** Whether an error means that the database has less than was served from it before. */
export const isDatabaseBehind = (error: unknown): boolean => error instanceof PostgresError && error.fault.code === 'DATABASE_BEHIND';

/** The name of a database in messages. */
export const databaseName = (url: string): string => `PostgreSQL at ${describeDatabase(url)}`;

/** A message that does not begin with the name of the database, for a line that has it already. */
export const withoutPrefix = (message: string, name: string): string =>
  message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;

/** Whether an error of the driver is one that the server has sent. */
export const isServerAnswer = (cause: unknown): boolean => (cause as { code?: unknown } | undefined)?.code === 'ERR_POSTGRES_SERVER_ERROR';

/** Converts an error of the driver or the server to a fault. Other errors, such as those thrown by the work inside a write, are returned unchanged. */
export function toPostgresFault(cause: unknown, where: string): unknown {
  const { name, code, errno, message } = cause as { name?: string; code?: string; errno?: unknown; message?: string };
  if (name !== 'PostgresError' || cause instanceof PostgresError) return cause;
  const state = typeof errno === 'string' ? errno : '';
  const fault = isServerAnswer(cause) && !transientStates.some((prefix) => state.startsWith(prefix)) ? 'DATABASE_REFUSED' : 'DATABASE_DOWN';
  const error = new PostgresError(`PostgreSQL at ${where}: ${message ?? code}`, { code: fault, reason: state || (code ?? 'unknown') });
  error.cause = cause;
  return error;
}

/** `isSilent`: the server has not answered any statement meanwhile. */
export const timeoutError = (milliseconds: number, where: string, isSilent: boolean): PostgresError =>
  new PostgresError(`PostgreSQL at ${where}: no answer within ${milliseconds} ms`, {
    code: 'DATABASE_DOWN',
    reason: isSilent ? 'no answer' : 'timeout',
  });

/** Whether a statement failed because it took too long on a server that answers. */
export const isSlowStatement = (error: unknown): boolean =>
  error instanceof PostgresError && ['57014', 'timeout'].includes(error.fault.reason);

/** Whether a statement was refused because of the tables, not of its values: they are not there any more, have other columns, or are not allowed. */
export const isTableRefusal = (error: unknown): boolean =>
  error instanceof PostgresError && error.fault.code === 'DATABASE_REFUSED' && /^(?:0A|3F|42)/.test(error.fault.reason);

/**
 * SQLSTATE prefixes of transient errors: connection lost, a standby that cannot write yet, deadlock or conflict, no resources left, shutting
 * down or starting up, cancelled by a timeout, disk error.
 */
const transientStates = ['08', '25006', '40', '53', '57', '58'];
