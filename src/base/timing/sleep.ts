/** Resolves after the given milliseconds. */
export const sleep = ({ after }: { readonly after: (ms: number, run: () => void) => unknown }, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void after(milliseconds, resolve));
