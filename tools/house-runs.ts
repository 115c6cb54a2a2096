import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** What tools/count-runs.mjs counts: the files and functions that ran, or another figure. */
export type Run = { readonly files: readonly string[]; readonly functions: number } | string | number;

const root = resolve(import.meta.dir, '..');

/** Runs tools/count-runs.mjs on a copy of the sources as JavaScript, file by file, in Node. */
export function countRuns(program: string): Readonly<Record<string, Run>> {
  const copy = mkdtempSync(join(tmpdir(), 'serac-house-'));
  try {
    const tsconfig = { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } } as const;
    const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx', tsconfig }) };
    for (const folder of ['src', 'test'])
      for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.tsx?$/.test(file) || file.includes('node_modules') || file.includes('clients/')) continue;
        const target = join(copy, folder, file.replace(/\.tsx?$/, '.js'));
        mkdirSync(dirname(target), { recursive: true });
        const script = transpilers[file.endsWith('x') ? 'tsx' : 'ts'].transformSync(readFileSync(join(root, folder, file), 'utf8'));
        const portable = script
          .replace(/(['"])(\.[^'"\n]*)\.tsx?\1/g, '$1$2.js$1')
          .replace(/(from "\.[^"\n]*\.json")/g, '$1 with { type: "json" }')
          .replaceAll('platform/bun/database.js', 'platform/node/database.js')
          .replace(/\brequire\(/, 'process.getBuiltinModule("module").createRequire(import.meta.url)(');
        writeFileSync(target, portable.replaceAll('react/jsx-dev-runtime', 'preact/jsx-runtime').replaceAll(/\bjsxDEV(_\w+)?\b/g, 'jsx$1'));
      }
    cpSync(join(root, 'src/avm/genesis/data'), join(copy, 'src/avm/genesis/data'), { recursive: true });
    cpSync(join(root, 'test/simulation/staking-keys.json'), join(copy, 'test/simulation/staking-keys.json'));
    cpSync(join(root, 'package.json'), join(copy, 'package.json'));
    cpSync(join(import.meta.dir, 'count-runs.mjs'), join(copy, 'count-runs.mjs'));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const { stdout, stderr, exitCode } = Bun.spawnSync([program, join(copy, 'count-runs.mjs')], { cwd: copy });
    if (exitCode !== 0) throw new Error(`count-runs.mjs failed: ${stderr.toString()}`);
    return JSON.parse(stdout.toString()) as Record<string, Run>;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
