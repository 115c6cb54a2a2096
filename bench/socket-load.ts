import { BenchError } from './fault.ts';
import { type Answer, createResponseReader } from './response-reader.ts';

/**
 * A load generator as a process of its own: a job comes in as JSON, its result goes out as JSON. Used where wrk is not installed,
 * and for what wrk cannot do: sending each of many requests once and waiting until what they asked for has happened.
 */
export type Job = {
  readonly port: number;
  readonly calls: readonly Call[];
  readonly connections: number;
  /** Go round the calls for so long; without it, send each once. */
  readonly seconds?: number;
  /** Asked over and over, one after another, until each answer contains `confirmed`; the clock stops then. */
  readonly confirm?: { readonly calls: readonly Call[]; readonly confirmed: string; readonly withinSeconds: number };
};

/** One request: a POST of JSON if it has a body, else a GET. */
export type Call = { readonly path: string; readonly body?: string };

export type Result = {
  readonly answers: number;
  /** Answers of another status than 200, or that are JSON-RPC errors. */
  readonly errors: number;
  readonly firstError: string | undefined;
  /** Answers of `confirm` that did not yet say so. */
  readonly waits: number;
  readonly seconds: number;
};

export async function runJob(job: Job): Promise<Result> {
  const requests = job.calls.map((call) => requestBytes(job, call));
  const until = job.seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + job.seconds * 1000;
  const count = { answers: 0, errors: 0 };
  let sent = 0;
  let firstError: string | undefined;

  const next = (): Buffer | undefined => {
    if (job.seconds === undefined) return requests[sent++];
    return performance.now() < until ? requests[sent++ % requests.length] : undefined;
  };
  const answered = (answer: Answer): void => {
    count.answers++;
    if (answer.status === 200 && !answer.head.startsWith('{"jsonrpc":"2.0","error"')) return;
    count.errors++;
    firstError ??= `${answer.status} ${answer.head}`;
  };

  const started = performance.now();
  await Promise.all(Array.from({ length: job.connections }, () => drive(job, next, answered)));
  const waits = job.confirm === undefined ? 0 : await confirm(job, job.confirm);
  return { ...count, firstError, waits, seconds: (performance.now() - started) / 1000 };
}

/** One connection, one request in flight: Bun's server hangs up on who sends the next before a late answer. */
function drive({ port }: Job, next: () => Buffer | undefined, answered: (answer: Answer) => void): Promise<void> {
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
        const onAnswer = (answer: Answer): void => {
          answered(answer);
          sendNext(socket);
        };
        readers.set(socket, createResponseReader(onAnswer));
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

async function confirm(job: Job, { calls, confirmed, withinSeconds }: NonNullable<Job['confirm']>): Promise<number> {
  const deadline = performance.now() + withinSeconds * 1000;
  const ask = async ({ path, body = '' }: Call): Promise<boolean> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    return (await (await fetch(`http://127.0.0.1:${job.port}${path}`, init)).text()).includes(confirmed);
  };
  let waits = 0;
  for (const call of calls)
    while (!(await ask(call))) {
      if (performance.now() > deadline) throw new BenchError(`not ${confirmed} within ${withinSeconds} s: ${call.body}`);
      waits++;
      await Bun.sleep(1);
    }
  return waits;
}

function requestBytes({ port }: Job, { path, body }: Call): Buffer {
  const host = `HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  if (body === undefined) return Buffer.from(`GET ${path} ${host}\r\n`);
  return Buffer.from(`POST ${path} ${host}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

if (import.meta.main) console.log(JSON.stringify(await runJob(JSON.parse(await Bun.stdin.text()))));
