/** A part of a process that may have something to close. */
export type Closable = { readonly close?: () => void | Promise<void> };

/** What is open, in the order in which it was opened. */
export type Closing = {
  /** Adds an open part, and returns it. */
  readonly add: <P extends Closable>(part: P) => P;
  /** Adds parts that are closed first and together: those that callers are connected to. */
  readonly addServer: (part: Closable) => void;
  /** Closes every part once, the last opened first. Every call returns the same promise, which rejects with the first error. */
  readonly close: () => Promise<void>;
};

type LogError = (error: unknown) => void;

/** `logError` gets the errors of closing after the first one: an error does not stop other parts from being closed. */
export function createClosing(logError: LogError): Closing {
  const parts: Closable[] = [];
  const servers: Closable[] = [];
  let closed: Promise<void> | undefined;

  const closeAll = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const group of [servers, ...parts.map((part) => [part]).reverse()]) {
      const results = await Promise.allSettled(group.map(async ({ close }) => close?.()));
      for (const result of results) if (result.status === 'rejected') errors.push(result.reason);
    }
    const [first, ...others] = errors;
    for (const error of others) logError(error);
    if (errors.length > 0) throw first;
  };

  return {
    add: (part) => {
      parts.push(part);
      return part;
    },
    addServer: (part) => void servers.push(part),
    close: () => {
      closed ??= closeAll();
      return closed;
    },
  };
}

/** Opens several parts with `open`, one after the other. What was opened is closed again if a later one fails. */
export function openTogether<T>(
  { log }: { readonly log: (line: string, level: 'error') => void },
  open: (opened: Closing) => Promise<T>,
): Promise<T> {
  const logError = (error: unknown): void => log(`${error}`, 'error');
  return closeOnFailure(createClosing(logError), logError, open);
}

/** Runs `work` with something open, and closes it if that fails. `logError` gets an error of closing. */
export async function closeOnFailure<C extends Required<Closable>, T>(
  open: C,
  logError: LogError,
  work: (open: C) => Promise<T>,
): Promise<T> {
  try {
    return await work(open);
  } catch (error) {
    await (async () => open.close())().catch(logError);
    throw error;
  }
}
