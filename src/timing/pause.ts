/** Resolves after so many milliseconds. */
export const pause = ({ after }: { readonly after: (ms: number, run: () => void) => unknown }, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void after(milliseconds, resolve));
