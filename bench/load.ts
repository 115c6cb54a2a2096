import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from './fault.ts';
import type { BenchEnv } from './servers.ts';
import type { LoadCall, LoadJob, LoadResult } from './socket-load.ts';

/** Requests that are sent in rotation, so that a cache for a single repeated request does not help. */
export type Requests = readonly LoadCall[];

export const createPosts = (path: string, bodies: readonly string[]): Requests => bodies.map((body) => ({ path, body }));

type RateJob = LoadJob & { readonly seconds: number; readonly isRepeated: true };

export type LoadGenerator = {
  readonly tool: 'wrk' | 'own';
  /** Measures a server's responses per second over a number of connections, 32 by default. Throws if any response is an error. */
  readonly measureRate: (port: number, requests: Requests, seconds: number, connections?: number) => Promise<number>;
  /** Sends each request at most once, over 32 connections by default; see LoadJob. */
  readonly sendOnce: (job: Omit<LoadJob, 'connections' | 'isRepeated'> & Partial<Pick<LoadJob, 'connections'>>) => Promise<LoadResult>;
};

const defaultConnections = 32;

/** Creates a load generator: wrk if it is installed, since the targets were set with it; its scripts are written to `dir`. */
export function createLoadGenerator({ dir, signal }: BenchEnv): LoadGenerator {
  const wrk = Bun.which('wrk');
  return {
    tool: wrk === null ? 'own' : 'wrk',
    measureRate: async (port, calls, seconds, connections = defaultConnections) => {
      const job: RateJob = { port, calls, connections, seconds, isRepeated: true };
      if (wrk !== null) return runWrk(signal, wrk, join(dir, 'load'), job);
      const result = await runSocketLoad(signal, job);
      if (result.errors > 0) throw new BenchError(`${result.errors} of ${result.responses} responses failed: ${result.firstError}`);
      return result.responses / result.seconds;
    },
    sendOnce: (job) => runSocketLoad(signal, { connections: defaultConnections, ...job }),
  };
}

async function runWrk(signal: AbortSignal, wrk: string, file: string, { port, calls, connections, seconds }: RateJob): Promise<number> {
  writeFileSync(`${file}.txt`, calls.map(({ path, body = '' }) => `${path} ${body}\n`).join(''));
  writeFileSync(`${file}.lua`, luaScript(`${file}.txt`));
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s'];
  const out = await run(signal, [wrk, ...flags, '-s', `${file}.lua`, `http://127.0.0.1:${port}`]);
  const [, responses, micros, refused, broken] = /^BENCH (\d+) (\d+) (\d+) (\d+)$/m.exec(out)?.map(Number) ?? [];
  if (responses === undefined || micros === undefined) throw new BenchError(`cannot read the output of wrk: ${out}`);
  if (refused !== 0 || broken !== 0) throw new BenchError(`${refused} responses were errors, ${broken} connections failed`);
  return (responses / micros) * 1e6;
}

/**
 * A wrk script. It builds all requests before the measurement, so that building them is not measured. The requests are read from a file, a
 * path and a body on each line, because a Lua script can hold at most 65,536 constants.
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

const runSocketLoad = async (signal: AbortSignal, job: LoadJob): Promise<LoadResult> =>
  JSON.parse(await run(signal, [Bun.argv[0] as string, socketLoad], JSON.stringify(job)));

async function run(signal: AbortSignal, command: string[], input = ''): Promise<string> {
  const child = Bun.spawn(command, { stdin: Buffer.from(input), stdout: 'pipe', stderr: 'pipe', timeout: 120_000, signal });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new BenchError(`${command[0]} exited with ${code}: ${err}${out}`);
  return out;
}
