import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

/** Which modules of src/ are loaded, for tools/count-house.ts and test/architecture.test.ts: by the import statements of a file, and by a started program. */

const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };

/**
 * The files that run before the first line of the `entries` does, these among them, and the packages that they import. Imports of types and imports
 * that run later do not count. Paths are relative to `source`.
 */
export function listModules(
  source: string,
  ...entries: readonly string[]
): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const [files, packages] = [new Set(entries), new Set<string>()];
  // Grows while it is walked through.
  for (const file of files)
    for (const { kind, path } of transpilers[file.endsWith('x') ? 'tsx' : 'ts'].scanImports(readFileSync(join(source, file), 'utf8'))) {
      if (kind !== 'import-statement') continue;
      if (!path.startsWith('.')) packages.add(path);
      else if (/\.tsx?$/.test(path)) files.add(relative(source, resolve(source, dirname(file), path)));
    }
  return { files, packages };
}

/** How many modules of src/ a server has loaded when it has printed its banner and is stopped. */
export async function countLoadedModules(source: string, ...args: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'serac-modules-'));
  const out = join(folder, 'count');
  const preload = join(folder, 'preload.ts');
  await Bun.write(preload, countsLoads);
  try {
    const child = Bun.spawn([process.execPath, '--preload', preload, join(source, 'cli/main.ts'), ...args], {
      env: { ...process.env, SERAC_COUNT_FILE: out, SERAC_COUNT_SOURCE: `${source}/` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await child.stdout.getReader().read();
    child.kill();
    await child.exited;
    return Number(readFileSync(out, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs in the program before its first module: counts the modules of src/, and writes their number when the program exits. */
const countsLoads = `
  import { readFileSync, writeFileSync } from 'node:fs';
  const { SERAC_COUNT_FILE, SERAC_COUNT_SOURCE } = process.env;
  const loaded = new Set();
  Bun.plugin({
    name: 'count',
    setup: (build) => build.onLoad({ filter: /\\.tsx?$/ }, ({ path, loader }) => {
      if (path.startsWith(SERAC_COUNT_SOURCE)) loaded.add(path);
      return { contents: readFileSync(path, 'utf8'), loader: path.endsWith('x') ? 'tsx' : 'ts' };
    }),
  });
  process.on('exit', () => writeFileSync(SERAC_COUNT_FILE, String(loaded.size)));
`;
