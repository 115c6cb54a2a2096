import { fileURLToPath } from 'node:url';
import { type Client, createClient } from './http.ts';

export const bin = fileURLToPath(new URL('../bin/serac', import.meta.url));

/** The program as a user starts it: the bin, on a port it picks itself, known ready by its own banner. */
export type Program = {
  readonly port: number;
  readonly url: string;
  readonly client: Client;
  readonly pid: number;
  readonly banner: Record<string, unknown>;
  /** What it has written to its error output so far; of very much the end. */
  readonly said: () => string;
  readonly stop: (signal?: NodeJS.Signals) => Promise<number>;
  readonly exited: Promise<number>;
};

/** A command and its words, if there is one, come before the flags. */
export async function startProgram(...told: string[]): Promise<Program> {
  const words = told.slice(
    0,
    Math.max(
      0,
      told.findIndex((one) => one.startsWith('-')),
    ),
  );
  const child = Bun.spawn([bin, ...words, '--http-port=0', '--json', ...told.slice(words.length)], { stdout: 'pipe', stderr: 'pipe' });
  const said = listen(child.stderr);
  const banner = await firstLine(child.stdout);
  if (banner === undefined) {
    await said.ended;
    throw new Error(`serac did not start: ${said.text()}`);
  }
  const shown = JSON.parse(banner) as { url: string };
  const port = Number(new URL(shown.url).port);
  const client = createClient(port);
  return {
    port,
    url: shown.url,
    client,
    pid: child.pid,
    banner: shown as Record<string, unknown>,
    said: said.text,
    exited: child.exited,
    stop: async (signal = 'SIGTERM') => {
      client.close();
      child.kill(signal);
      return child.exited;
    },
  };
}

/** `serac index URL`, which serves nothing. */
export type Indexer = Pick<Program, 'pid' | 'said' | 'stop' | 'exited'>;

export function startIndexer(url: string, ...flags: string[]): Indexer {
  const child = Bun.spawn([bin, 'index', url, '--silent', ...flags], { stdout: 'ignore', stderr: 'pipe' });
  const said = listen(child.stderr);
  return {
    pid: child.pid,
    said: said.text,
    exited: child.exited,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return child.exited;
    },
  };
}

/** A start that is expected to end by itself: exit code and what it said. */
export async function runProgram(...flags: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([bin, ...flags], { stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, out, err };
}

/** Reads all that is said: a pipe that nobody reads would fill up and hold the program. */
function listen(stream: ReadableStream<Uint8Array>): { readonly text: () => string; readonly ended: Promise<void> } {
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of stream) text = (text + Buffer.from(chunk).toString('utf8')).slice(-longestSaid);
  };
  return { ended: read(), text: () => text };
}

const longestSaid = 65_536;

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = '';
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString('utf8');
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
  }
  return undefined;
}
