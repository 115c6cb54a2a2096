import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from './fault.ts';
import type { Call, Job, Result } from './socket-load.ts';
import type { Place } from './subject.ts';

/** Requests that are sent in turn, so that no answer is remembered only because it is the only one. */
export type Requests = readonly Call[];

export const posts = (path: string, bodies: readonly string[]): Requests => bodies.map((body) => ({ path, body }));

export type Load = {
  readonly tool: 'wrk' | 'own';
  /** Answers per second of a server under 32 connections. Throws if any answer failed. */
  readonly perSecond: (port: number, requests: Requests, seconds: number) => Promise<number>;
  /** Sends each request once over 32 connections; see Job. */
  readonly once: (job: Omit<Job, 'connections'>) => Promise<Result>;
};

export const connections = 32;

/** wrk if it is installed, as the targets were set with it; its scripts go into the directory. */
export function createLoad({ dir, signal }: Place): Load {
  const wrk = Bun.which('wrk');
  return {
    tool: wrk === null ? 'own' : 'wrk',
    perSecond: async (port, requests, seconds) => {
      if (wrk !== null) return runWrk(signal, wrk, join(dir, 'load'), port, requests, seconds);
      const result = await runSocketLoad(signal, { port, calls: requests, connections, seconds });
      if (result.errors > 0) throw new BenchError(`${result.errors} of ${result.answers} answers failed: ${result.firstError}`);
      return result.answers / result.seconds;
    },
    once: (job) => runSocketLoad(signal, { ...job, connections }),
  };
}

async function runWrk(signal: AbortSignal, wrk: string, file: string, port: number, requests: Requests, seconds: number): Promise<number> {
  writeFileSync(`${file}.txt`, requests.map(({ path, body = '' }) => `${path} ${body}\n`).join(''));
  writeFileSync(`${file}.lua`, luaScript(`${file}.txt`));
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s'];
  const out = await run(signal, [wrk, ...flags, '-s', `${file}.lua`, `http://127.0.0.1:${port}`]);
  const [, answers, micros, refused, broken] = /^BENCH (\d+) (\d+) (\d+) (\d+)$/m.exec(out)?.map(Number) ?? [];
  if (answers === undefined || micros === undefined) throw new BenchError(`wrk said: ${out}`);
  if (refused !== 0 || broken !== 0) throw new BenchError(`${refused} answers were refusals, ${broken} connections broke`);
  return (answers / micros) * 1e6;
}

/**
 * Requests are laid out once: making them while measuring would cost what is measured. They come in a file, a path and a body on each line:
 * Lua takes no more than 65,536 texts in a script.
 */
const luaScript = (requests: string): string => `local requests, at = {}, 0
function init()
  local json = { ["Content-Type"] = "application/json" }
  for line in io.lines("${requests}") do
    local path, body = line:match("^(%S+) (.*)$")
    requests[#requests + 1] = body == "" and wrk.format("GET", path) or wrk.format("POST", path, json, body)
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(s)
  local e = s.errors
  io.write(string.format("BENCH %d %d %d %d\\n", s.requests, s.duration, e.status, e.connect + e.read + e.write + e.timeout))
end
`;

const socketLoad = fileURLToPath(new URL('socket-load.ts', import.meta.url));

const runSocketLoad = async (signal: AbortSignal, job: Job): Promise<Result> =>
  JSON.parse(await run(signal, [Bun.argv[0] as string, socketLoad], JSON.stringify(job)));

async function run(signal: AbortSignal, command: string[], input = ''): Promise<string> {
  const child = Bun.spawn(command, { stdin: Buffer.from(input), stdout: 'pipe', stderr: 'pipe', timeout: 120_000, signal });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new BenchError(`${command[0]} ended with ${code}: ${err}${out}`);
  return out;
}
