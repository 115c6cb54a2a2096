import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodes, runsSerac } from '../test/nodes.ts';
import { createProgramFolder } from '../tools/build.ts';
import { BenchError } from './fault.ts';
import { isSelected } from './measure.ts';
import type { Options } from './options.ts';
import type { ReportRow } from './report.ts';
import { type BenchEnv, serac } from './servers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The runtimes of `createNode`, and the most milliseconds of importing it, of the first node and of each transaction after it. */
const runtimes = [
  { name: 'Bun', program: process.execPath, load: 30, first: 60, send: 1.2 },
  // Without a Node that is new enough there are no rows of it: `npm ci` in test/nodes installs one.
  { name: 'Node', program: nodes.filter(runsSerac).at(-1)?.path, load: 60, first: 50, send: 1.5 },
] as const;

const names = {
  tarball: 'tarball',
  command: 'client command, CPU time',
  load: (runtime: string) => `import of the library on ${runtime}`,
  first: (runtime: string) => `createNode on ${runtime}, first`,
  send: (runtime: string) => `createNode on ${runtime}, then send`,
};

/** Measures what a person or a test suite waits for: the package, a command that asks a running node, and a node inside a process. Builds the package. */
export async function measureLibrary(env: BenchEnv, options: Options, reportRow: (row: ReportRow) => void): Promise<void> {
  const report = (row: ReportRow): void => {
    if (isSelected(row.name, options)) reportRow(row);
  };
  const wanted = [names.tarball, names.command, ...runtimes.flatMap(({ name }) => [names.load(name), names.first(name), names.send(name)])];
  if (!wanted.some((name) => isSelected(name, options))) return;
  await run([process.execPath, 'tools/build.ts'], env);
  const packed = await run(['npm', 'pack', '--dry-run', '--json', '--ignore-scripts'], env);
  const [{ size }] = JSON.parse(packed.output) as [{ readonly size: number }];
  report({ name: names.tarball, unit: 'MB', ours: [size / 1e6], theirs: [], target: { atMost: 4 } });
  const server = await serac(env).start();
  const folder = createProgramFolder();
  try {
    // Without the source beside it, which `bin/serac` would run.
    for (const path of ['bin', 'package.json']) cpSync(join(root, path), join(folder, path), { recursive: true });
    symlinkSync(join(root, 'dist'), join(folder, 'dist'));
    const command = [join(folder, 'bin/serac'), 'rpc', 'avm.getHeight', `--url=http://127.0.0.1:${server.port}`];
    const cpu = await repeat(options.rounds, async () => (await run(command, env)).cpuMs);
    report({ name: names.command, unit: 'ms', ours: cpu, theirs: [], target: { atMost: 60 } });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  for (const { name, program, load, first, send } of runtimes) {
    if (program === undefined) continue;
    const runs = await repeat(options.rounds, async () => {
      const { output } = await run([program, 'bench/create-node.mjs'], env);
      return JSON.parse(output) as { load: number; first: number; send: number };
    });
    report({ name: names.load(name), unit: 'ms', ours: runs.map((one) => one.load), theirs: [], target: { atMost: load } });
    report({ name: names.first(name), unit: 'ms', ours: runs.map((one) => one.first), theirs: [], target: { atMost: first } });
    report({ name: names.send(name), unit: 'ms', ours: runs.map((one) => one.send), theirs: [], target: { atMost: send } });
  }
}

async function repeat<T>(rounds: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < rounds; round++) results.push(await work());
  return results;
}

async function run(command: readonly string[], { signal }: BenchEnv): Promise<{ readonly output: string; readonly cpuMs: number }> {
  const child = Bun.spawn([...command], { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', signal });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new BenchError(`${command.join(' ')} exited with ${child.exitCode}: ${errors.slice(-2000)}`);
  return { output, cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1000 };
}
