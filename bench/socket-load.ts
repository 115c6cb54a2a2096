import { fetchNode } from '../src/api/client/node-fetch.ts';
import { BenchError } from './fault.ts';
import { createResponseReader, type LoadResponse } from './response-reader.ts';

/**
 * A job of the load generator, which is a process of its own: it reads a job as JSON from stdin and prints the result as JSON. It is used if
 * wrk is not installed, and for what wrk cannot do: sending each request once and waiting until its transaction is accepted.
 */
export type LoadJob = {
  readonly port: number;
  readonly calls: readonly LoadCall[];
  readonly connections: number;
  /** How long calls are sent; undefined: until each was sent. */
  readonly seconds?: number;
  /** Whether the calls begin again while there is time left. */
  readonly isRepeated?: boolean;
  /** Calls that are repeated, one after another, until each response contains `confirmed`; included in the measured time. */
  readonly confirm?: { readonly calls: readonly LoadCall[]; readonly confirmed: string; readonly withinSeconds: number };
};

/** One request: a POST of JSON if it has a body, else a GET. */
export type LoadCall = { readonly path: string; readonly body?: string };

export type LoadResult = {
  readonly responses: number;
  /** Responses with another status than 200, or with a JSON-RPC error. */
  readonly errors: number;
  readonly firstError: string | undefined;
  /** The number of `confirm` calls that had to be repeated. */
  readonly waits: number;
  readonly seconds: number;
};

async function runLoadJob(job: LoadJob): Promise<LoadResult> {
  const requests = job.calls.map((call) => encodeRequest(job, call));
  const until = job.seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + job.seconds * 1000;
  const count = { responses: 0, errors: 0 };
  let sent = 0;
  let firstError: string | undefined;

  const next = (): Buffer | undefined => {
    if (performance.now() >= until) return undefined;
    const at = sent++;
    return requests[job.isRepeated ? at % requests.length : at];
  };
  const onResponse = (response: LoadResponse): void => {
    count.responses++;
    if (response.status === 200 && !response.head.startsWith('{"jsonrpc":"2.0","error"')) return;
    count.errors++;
    firstError ??= `${response.status} ${response.head}`;
  };

  const started = performance.now();
  await Promise.all(Array.from({ length: job.connections }, () => runConnection(job, next, onResponse)));
  const waits = job.confirm === undefined ? 0 : await waitConfirmed(job, job.confirm);
  return { ...count, firstError, waits, seconds: (performance.now() - started) / 1000 };
}

/** Sends requests over one connection, one at a time: Bun's server closes a connection that pipelines requests before a late response. */
function runConnection({ port }: LoadJob, next: () => Buffer | undefined, onResponse: (response: LoadResponse) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let unwritten: Buffer = Buffer.alloc(0);
  const write = (socket: Bun.Socket, bytes: Buffer): void => {
    unwritten = bytes.subarray(socket.write(bytes));
  };
  const sendNext = (socket: Bun.Socket): void => {
    const request = next();
    if (request !== undefined) write(socket, request);
    else {
      resolve();
      socket.end();
    }
  };
  const readers = new WeakMap<Bun.Socket, (bytes: Buffer) => void>();
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) => {
        const onNextResponse = (response: LoadResponse): void => {
          onResponse(response);
          sendNext(socket);
        };
        readers.set(socket, createResponseReader(onNextResponse));
        sendNext(socket);
      },
      data: (socket, bytes) => readers.get(socket)?.(bytes),
      drain: (socket) => write(socket, unwritten),
      close: () => reject(new BenchError('connection closed')),
      error: (_, error) => reject(error),
    },
  }).catch(reject);
  return promise;
}

async function waitConfirmed(job: LoadJob, { calls, confirmed, withinSeconds }: NonNullable<LoadJob['confirm']>): Promise<number> {
  const deadline = performance.now() + withinSeconds * 1000;
  const isConfirmed = async ({ path, body = '' }: LoadCall): Promise<boolean> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    return (await (await fetchNode(`http://127.0.0.1:${job.port}${path}`, init)).text()).includes(confirmed);
  };
  let waits = 0;
  for (const call of calls)
    while (!(await isConfirmed(call))) {
      if (performance.now() > deadline) throw new BenchError(`not ${confirmed} within ${withinSeconds} s: ${call.body}`);
      waits++;
      await Bun.sleep(1);
    }
  return waits;
}

function encodeRequest({ port }: LoadJob, { path, body }: LoadCall): Buffer {
  const host = `HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  if (body === undefined) return Buffer.from(`GET ${path} ${host}\r\n`);
  return Buffer.from(`POST ${path} ${host}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

if (import.meta.main) console.log(JSON.stringify(await runLoadJob(JSON.parse(await Bun.stdin.text()))));
