import { fileURLToPath } from 'node:url';
import { type Client, createClient } from './http.ts';

/**
 * What bin/serac runs, so that the process that a test kills is the node itself; on an older Node bin/serac stays as its parent. `npm test`
 * builds the program once (tools/run-tests.ts); a test that is run by itself uses the source.
 */
export const programCommand: readonly string[] = [
  process.execPath,
  '--no-env-file',
  '--no-install',
  '--config=/dev/null',
  process.env.SERAC_TEST_PROGRAM ?? fileURLToPath(new URL('../src/cli/main.ts', import.meta.url)),
];

/** A running `serac` process, started on a free port. It is ready when its banner is printed. */
export type Program = {
  readonly port: number;
  readonly url: string;
  readonly client: Client;
  readonly pid: number;
  readonly banner: Record<string, unknown>;
  /** What it has written to stderr so far, at most the last 64 KiB. */
  readonly stderrText: () => string;
  readonly stop: (signal?: NodeJS.Signals) => Promise<number>;
  readonly exited: Promise<number>;
};

/**
 * Starts a node, or a command: it and its arguments come before the flags. A node starts at height 0, without accounts, unless the flags say
 * how many.
 */
export const startProgram = (...args: string[]): Promise<Program> => startProgramAsUsers(...withoutAccounts(args));

/** Starts the program with its own defaults: a new chain has accounts, which are funded in block 1. */
export const startProgramAsUsers = (...args: string[]): Promise<Program> => spawnProgram([], ...args);

/** Starts a node by another program, which becomes the node: `sh -c '…; exec "$@"' sh`. */
export const startProgramWith = (starter: readonly string[], ...args: string[]): Promise<Program> =>
  spawnProgram(starter, ...withoutAccounts(args));

async function spawnProgram(starter: readonly string[], ...args: string[]): Promise<Program> {
  const command = args.slice(
    0,
    Math.max(
      0,
      args.findIndex((one) => one.startsWith('-')),
    ),
  );
  const child = Bun.spawn([...starter, ...programCommand, ...command, '--http-port=0', '--json', ...args.slice(command.length)], {
    // Without it Bun passes the environment that this process began with.
    env: process.env,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const stderr = collectOutput(child.stderr);
  const banner = await firstLine(child.stdout);
  if (banner === undefined) {
    await stderr.ended;
    throw new Error(`serac did not start: ${stderr.text()}`);
  }
  const parsed = JSON.parse(banner) as { url: string };
  const port = Number(new URL(parsed.url).port);
  const client = createClient(port);
  return {
    port,
    url: parsed.url,
    client,
    pid: child.pid,
    banner: parsed as Record<string, unknown>,
    stderrText: stderr.text,
    exited: child.exited,
    stop: async (signal = 'SIGTERM') => {
      client.close();
      child.kill(signal);
      return child.exited;
    },
  };
}

/** Adds `--accounts=0` to the flags of a node. */
const withoutAccounts = (args: readonly string[]): readonly string[] =>
  args[0] !== undefined && !args[0].startsWith('-') ? args : ['--accounts=0', ...args];

/** A running `serac index URL`. */
export type Indexer = Pick<Program, 'pid' | 'stderrText' | 'stop' | 'exited'>;

export function startIndexer(url: string, ...flags: string[]): Indexer {
  const child = Bun.spawn([...programCommand, 'index', url, '--silent', ...flags], { stdout: 'ignore', stderr: 'pipe' });
  const stderr = collectOutput(child.stderr);
  return {
    pid: child.pid,
    stderrText: stderr.text,
    exited: child.exited,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return child.exited;
    },
  };
}

/** Runs a command that exits by itself. Returns exit code, stdout and stderr. */
export async function runProgram(...flags: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([...programCommand, ...flags], { stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, out, err };
}

/** Reads the whole stream: a full pipe would block the program. */
function collectOutput(stream: ReadableStream<Uint8Array>): { readonly text: () => string; readonly ended: Promise<void> } {
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of stream) text = (text + Buffer.from(chunk).toString('utf8')).slice(-maxOutput);
  };
  return { ended: read(), text: () => text };
}

const maxOutput = 65_536;

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = '';
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString('utf8');
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
  }
  return undefined;
}
