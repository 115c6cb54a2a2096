import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { programCommand, runProgram } from './program.ts';

/** Runs the scripts of the actions in .github/actions as GitHub's runner does: inputs become variables, outputs are lines of a file. */

type Action = {
  readonly inputs?: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs?: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: { id?: string; shell: string; env?: Record<string, string>; run: string }[] };
};

const root = resolve(import.meta.dir, '..');
const readAction = (name: string): Action => parse(readFileSync(join(root, '.github/actions', name, 'action.yml'), 'utf8')) as Action;
const setup = readAction('setup');

/** A job with its folder for temporary files. */
function startJob() {
  const temp = mkdtempSync(join(tmpdir(), 'serac-action-'));
  const files = { GITHUB_OUTPUT: join(temp, 'output'), GITHUB_ENV: join(temp, 'env') };
  const readLines = (file: string) =>
    Object.fromEntries(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
  const run = (action: Action, inputs: Record<string, string> = {}) => {
    for (const file of Object.values(files)) writeFileSync(file, '');
    const given = Object.fromEntries(Object.entries(action.inputs ?? {}).map(([name, row]) => [name, inputs[name] ?? row.default]));
    const [step] = action.runs.steps as [Action['runs']['steps'][number]];
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, text]) => [
        name,
        text.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, input: string) => given[input] as string),
      ]),
    );
    // The options of GitHub for `shell: bash`.
    const { exitCode, stdout, stderr } = Bun.spawnSync(['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd: temp,
      env: { ...process.env, ...env, ...files, RUNNER_TEMP: temp },
    });
    return {
      exitCode,
      out: stdout.toString(),
      err: stderr.toString(),
      outputs: readLines(files.GITHUB_OUTPUT),
      env: readLines(files.GITHUB_ENV),
    };
  };
  const end = async () => {
    const context = join(temp, 'serac.json');
    if (existsSync(context)) await runProgram('stop', `--process-context-file=${context}`);
    rmSync(temp, { recursive: true, force: true });
  };
  return { temp, run, end };
}

describe('the action setup', () => {
  const command = programCommand.join(' ');
  const jobs: ReturnType<typeof startJob>[] = [];
  const newJob = () => {
    const job = startJob();
    jobs.push(job);
    return job;
  };
  afterAll(async () => {
    for (const { end } of jobs) await end();
  });

  test('starts a node that answers, and gives its URL and log to later steps', async () => {
    const { run, temp } = newJob();
    const { exitCode, err, outputs, env } = run(setup, { command, 'http-port': '0', args: '--accounts 2 --network-id fuji' });
    expect([exitCode, err]).toEqual([0, '']);
    expect(outputs).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), log: join(temp, 'serac.log') });
    expect(env).toEqual({ SERAC_URL: outputs.url });
    expect((await fetch(`${outputs.url}/ext/health`)).status).toBe(200);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'info.getNetworkName', params: {} });
    const answer = await fetch(`${outputs.url}/ext/info`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(await answer.json()).toMatchObject({ result: { networkName: 'fuji' } });
    // A step after a failed one prints the log.
    const printed = run(readAction('log'));
    expect([printed.exitCode, printed.out]).toEqual([0, expect.stringContaining('fuji')]);
    expect(printed.out).toStartWith('::group::');
  });

  test('a node that cannot start fails the step, with its log', () => {
    const { run } = newJob();
    const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const { exitCode, out, outputs } = run(setup, { command, 'http-port': `${taken.port}` });
    taken.stop(true);
    expect([exitCode, outputs.url]).toEqual([1, undefined]);
    expect(out).toMatch(new RegExp(`::group::Log of Serac\n[\\s\\S]*${taken.port}[\\s\\S]*::endgroup::\n::error::Serac did not start`));
  });

  test('without a command it runs the npm package of the given version', () => {
    const { run, temp } = newJob();
    // A program named npx that prints how it was called.
    writeFileSync(join(temp, 'npx'), '#!/bin/sh\necho "npx $*"\nexit 1\n', { mode: 0o755 });
    const path = process.env.PATH;
    process.env.PATH = `${temp}:${path}`;
    try {
      expect(run(setup, { version: '0.1.0' }).out).toContain('npx --yes serac@0.1.0 --detach --wait');
    } finally {
      process.env.PATH = path;
    }
  });

  test('is described: every input and output of the docs exists, and every variable comes from an input', () => {
    const page = readFileSync(join(root, 'docs/guides/ci.md'), 'utf8');
    const named = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
    expect(named).toEqual([...Object.keys(setup.inputs ?? {}), ...Object.keys(setup.outputs ?? {})]);
    const [step] = setup.runs.steps as [Action['runs']['steps'][number]];
    expect(Object.values(step.env ?? {}).sort()).toEqual(
      Object.keys(setup.inputs ?? {})
        .map((name) => `\${{ inputs.${name} }}`)
        .sort(),
    );
    expect(step.run).not.toContain('${{');
  });
});
