import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BenchError } from './fault.ts';
import { readHighestMemory } from './process-usage.ts';
import type { ScaleDir } from './scale-dir.ts';
import { type BenchEnv, seracCommand } from './servers.ts';

/**
 * Prints what commands cost that read or copy a whole data directory, and snapshots in a chain of this length. Snapshots and building the
 * index again are measured on the copy, because they change it.
 */
export async function printUpkeep(chains: readonly ScaleDir[], env: BenchEnv): Promise<void> {
  const { signal } = env;
  for (const { dir, blocks, megabytes } of chains) {
    console.log(`upkeep of ${blocks} blocks, ${megabytes} MB:`);
    const copy = `${dir}-copy`;
    try {
      await runMeasured('backup', [...seracCommand(env), 'backup', copy, `--data-dir=${dir}`], signal);
      await runMeasured('check', [...seracCommand(env), 'check', `--data-dir=${dir}`, '--network-id=local'], signal);
      await runMeasured('reindex', [...seracCommand(env), 'reindex', `--data-dir=${copy}`, '--network-id=local'], signal);
      await run([process.execPath, revertProgram, `--data-dir=${copy}`, '--network-id=local', '--accounts=0'], signal, 'inherit');
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }
}

const revertProgram = fileURLToPath(new URL('revert.ts', import.meta.url));

/** Runs a command to its end; prints its CPU time and its highest memory. */
async function runMeasured(name: string, command: readonly string[], signal: AbortSignal): Promise<void> {
  const { usage, megabytes } = await run(command, signal, 'ignore');
  const seconds = Number(usage?.cpuTime.total ?? Number.NaN) / 1e6;
  console.log(`  ${name}: ${seconds.toFixed(2)} s of CPU, ${Math.round(megabytes)} MB of memory`);
}

async function run(command: readonly string[], signal: AbortSignal, output: 'ignore' | 'inherit') {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: output, stderr: 'pipe', signal });
  let megabytes = Number.NaN;
  const sample = setInterval(() => {
    megabytes = readHighestMemory(child.pid) ?? megabytes;
  }, sampleMs);
  const errors = await new Response(child.stderr).text().finally(() => clearInterval(sample));
  if ((await child.exited) !== 0) throw new BenchError(`${command.join(' ')} exited with ${child.exitCode}: ${errors.slice(-2000)}`);
  return { usage: child.resourceUsage(), megabytes };
}

const sampleMs = 50;
