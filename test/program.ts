import { fileURLToPath } from 'node:url';
import { type Client, createClient } from './http.ts';

const bin = fileURLToPath(new URL('../bin/serac', import.meta.url));

/** The program as a user starts it: the bin, on a port it picks itself, known ready by its own banner. */
export type Program = {
  readonly port: number;
  readonly url: string;
  readonly client: Client;
  readonly pid: number;
  readonly banner: Record<string, unknown>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<number>;
  readonly exited: Promise<number>;
};

export async function startProgram(...flags: string[]): Promise<Program> {
  const child = Bun.spawn([bin, '--http-port=0', '--json', ...flags], { stdout: 'pipe', stderr: 'pipe' });
  const banner = await firstLine(child.stdout);
  if (banner === undefined) throw new Error(`serac did not start: ${await new Response(child.stderr).text()}`);
  const told = JSON.parse(banner) as { url: string };
  const port = Number(new URL(told.url).port);
  const client = createClient(port);
  return {
    port,
    url: told.url,
    client,
    pid: child.pid,
    banner: told as Record<string, unknown>,
    exited: child.exited,
    stop: async (signal = 'SIGTERM') => {
      client.close();
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

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = '';
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString('utf8');
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
  }
  return undefined;
}
