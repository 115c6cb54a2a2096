import { dirname } from 'node:path';
import { fetchNode } from '../../src/api/client/node-fetch.ts';

/** A node that an executable runs, on a port of its own. */
type RunningExecutable = {
  readonly url: string;
  readonly workers: number;
  readonly pid: number;
  /** Stops it; returns its exit code and what it wrote to stderr. */
  readonly stop: () => Promise<{ readonly code: number; readonly err: string }>;
};

/** Starts an executable in its folder, and waits until it has printed where it listens. */
export async function startExecutable(file: string, ...flags: readonly string[]): Promise<RunningExecutable> {
  const child = Bun.spawn([file, '--accounts=0', '--http-port=0', '--json', ...flags], {
    cwd: dirname(file),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.includes('\n')) break;
  }
  if (!text.includes('\n')) throw new Error(`${file} ended without a line: ${await new Response(child.stderr).text()}`);
  const stop = async () => {
    child.kill('SIGTERM');
    return { code: await child.exited, err: await new Response(child.stderr).text() };
  };
  return { ...(JSON.parse(text) as { url: string; workers: number }), pid: child.pid, stop };
}

/** Runs an executable as its first user would: asks for its version, starts a node, asks for height and health, stops it. Throws if one fails. */
export async function tryExecutable(file: string, version: string): Promise<void> {
  const printed = Bun.spawnSync([file, '--version']).stdout.toString().trim();
  if (printed !== `serac/${version}`) throw new Error(`${file} --version printed ${JSON.stringify(printed)}, expected serac/${version}`);
  const node = await startExecutable(file);
  const problem = await findProblem(node.url).catch((error: Error) => error.message);
  const { code, err } = await node.stop();
  if (problem !== undefined) throw new Error(`${file}: ${problem}\n${err}`);
  if (code !== 0) throw new Error(`${file} ended with exit code ${code} after SIGTERM\n${err}`);
}

/** What is wrong with the answers of a new node; undefined if nothing is. */
async function findProblem(url: string): Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'avm.getHeight', params: {} });
  const answer = await fetchNode(`${url}/ext/bc/X`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result } = (await answer.json()) as { result?: { height?: string } };
  if (result?.height !== '0') return `avm.getHeight answered ${JSON.stringify(result)}, expected height 0`;
  const health = await fetchNode(`${url}/ext/health`);
  return health.ok ? undefined : `/ext/health answered ${health.status}`;
}
