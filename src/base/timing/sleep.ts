/** Resolves after the given milliseconds. */
export const sleep = ({ after }: { readonly after: (ms: number, run: () => void) => unknown }, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void after(milliseconds, resolve));

/** Resolves when the signal aborts, at once if it already has. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
