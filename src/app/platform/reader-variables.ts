/**
 * The environment of a reader process: that of this process, with the values of variables with the prefix in place of their own. The
 * launcher (bin/launcher.js) sets `SERAC_READER_BUN_JSC_forceRAMSize`, so that Bun's garbage collector has a size of its own in readers.
 */
export function readerEnvironment(own: Record<string, string | undefined>): Record<string, string | undefined> {
  const entries = Object.entries(own);
  return Object.fromEntries([
    ...entries.filter(([name]) => !name.startsWith(prefix)),
    ...entries.flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [])),
  ]);
}

const prefix = 'SERAC_READER_';
