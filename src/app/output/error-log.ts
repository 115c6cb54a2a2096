import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log/log.ts';
import type { After } from './gather-blocks.ts';
import { formatCounts, limitLines } from './limit-lines.ts';

type ErrorLogEnv = { readonly log: Log; readonly timers: { readonly after: After } };

/** Returns a function that writes errors to the log, limited in number: callers can cause as many as they send requests. */
export function createErrorLog({ log, timers }: ErrorLogEnv, prefix = ''): (error: unknown) => void {
  const lines = limitLines<unknown>(
    {
      show: (error) => log(prefix + formatError(error), error instanceof Fault ? 'warn' : 'error'),
      showCounts: (counts) => log(prefix + formatCounts(counts, 'errors'), 'warn'),
    },
    timers.after,
  );
  return (error) => lines.add(firstLine(error), () => error);
}

/** The message of a fault; for any other error, which is a bug, the stack trace. */
export const formatError = (error: unknown): string =>
  error instanceof Fault ? error.message : String((error as { stack?: unknown } | null)?.stack ?? error);

const firstLine = (error: unknown): string => String((error as { message?: unknown } | null)?.message ?? error).split('\n', 1)[0] as string;
