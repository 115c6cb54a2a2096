import { isLoopbackUrl } from '../../api/client/node-fetch.ts';
import { createDevAccess, withoutOtherPages } from '../../api/http/dev-access.ts';
import type { Handler, HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { maxTxBody } from '../../api/http/node-routes.ts';
import { messageOf } from '../../base/fault.ts';
import { waitForAbort } from '../../base/timing/sleep.ts';
import { createMutex } from '../../base/timing/slots.ts';
import { type ClientCommand, type ClientContext, callDev, decodeDev, nodeMethods } from './client-command.ts';
import { badArgument, recordingError } from './fault.ts';
import { changesNode, formatLine, methodsOf, type RecordedCall, type RecordingHeader, recordingLimits, settle } from './recording.ts';

/**
 * `serac record FILE`: a port before a node on this machine. It passes requests on and writes those that change the node to a file, one after
 * the other. The clock is frozen, so that a replay builds the same blocks.
 */
export const record: ClientCommand = async (context) => {
  const { client, args, env, onInterrupt } = context;
  if (!isLoopbackUrl(client.url)) throw badArgument(client.url, 'serac record needs a node on this machine');
  const file = args[0] as string;
  requireNewFile(context, file);
  const interrupted = onInterrupt();
  const clock = await freezeClock(context);
  try {
    const recorder = openRecorder(context, file, await readStart(context));
    await recordUntil(interrupted, context, recorder, clock.onCall);
  } finally {
    await clock.resume().catch((error: unknown) => env.log(`the clock of ${client.url} is still frozen: ${messageOf(error)}`, 'warn'));
  }
  return undefined;
};

/** Serves the port until the command is interrupted. `onCall` is told the methods of each recorded call. */
async function recordUntil(
  interrupted: AbortSignal,
  context: ClientContext,
  recorder: Recorder,
  onCall: (methods: readonly string[]) => void,
): Promise<void> {
  const { client, args, options, env, print } = context;
  const add = (call: RecordedCall): boolean => {
    onCall(methodsOf(call.body));
    return recorder.add(call);
  };
  const server = await env
    .serve({
      host: '127.0.0.1',
      port: options.listen ?? 0,
      handler: createRecordingHandler(context, add, env.forwardRequest(Number(new URL(client.url).port || 80))),
      maxBodyMemory: 64 * maxTxBody,
      idleTimeout: 120,
    })
    .catch((error: unknown) => {
      // So that the command can be run again with the same file.
      recorder.discard();
      throw error;
    });
  const url = `http://127.0.0.1:${server.port}`;
  print(
    options.json
      ? JSON.stringify({ url, file: args[0] })
      : `recording calls of ${url} to ${args[0]}; the clock of ${client.url} is frozen. Ctrl-C ends it`,
  );
  await waitForAbort(interrupted);
  await server.close();
  const calls = recorder.close();
  print(
    options.json
      ? JSON.stringify({ calls })
      : `${calls} ${calls === 1 ? 'call' : 'calls'} recorded; serac replay ${args[0]} sends them again`,
  );
}

/** Throws if the file has contents: a recording is not overwritten. */
function requireNewFile({ env }: ClientContext, path: string): void {
  const file = env.openFile(path, 'read');
  const size = file?.size() ?? 0;
  file?.close();
  if (size > 0) throw recordingError(path, `${path} exists and is not overwritten; remove it, or give another name`);
}

/**
 * Freezes the clock of the node. `resume` lets it run again, moved by what recorded calls have moved it; a clock that was frozen before, or
 * that a recorded call has frozen or released, stays as it is.
 */
async function freezeClock({ client }: ClientContext) {
  const { dev } = nodeMethods(client);
  const before = await dev.getTime();
  const start = await dev.freezeTime();
  let isFrozenByCall = before.frozen;
  return {
    onCall: (methods: readonly string[]): void => {
      isFrozenByCall ||= methods.includes('dev.freezeTime');
    },
    resume: async (): Promise<void> => {
      const end = await dev.getTime();
      if (isFrozenByCall || !end.frozen) return;
      const { time } = await dev.resetTime();
      const offset = before.offset + end.time - start.time;
      if (offset !== 0) await dev.setTime({ time: time + offset });
    },
  };
}

/** Reads the state at which the recording begins. The clock is frozen. */
async function readStart({ client, args }: ClientContext): Promise<RecordingHeader> {
  const file = args[0] as string;
  const { network, pending, automine, interval } = decodeDev('nodeInfo', await callDev(client, 'nodeInfo'));
  if (pending > 0) throw recordingError(file, `${pending} transactions wait for a block and are not in the state; call dev.mine first`);
  const { accounts } = decodeDev('accounts', await callDev(client, 'accounts'));
  const response = await client.request('/ext/dev/state');
  const state = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw recordingError(file, `cannot read the state of the node: ${state.toString('utf8').trim().slice(0, 200)}`);
  if (state.length > recordingLimits.state)
    throw recordingError(file, `the state of the node has ${state.length} bytes; a recording begins with at most ${recordingLimits.state}`);
  return {
    serac: 'recording',
    version: 1,
    network: network.id,
    accounts: accounts.length,
    automine,
    interval,
    state: state.toString('base64'),
  };
}

type Recorder = {
  /** Whether the call was written: not if the file would be too large. */
  readonly add: (call: RecordedCall) => boolean;
  readonly close: () => number;
  /** Removes the file. */
  readonly discard: () => void;
};

function openRecorder({ env }: ClientContext, path: string, header: RecordingHeader): Recorder {
  const file = env.openFile(path, 'write');
  file.truncate(0);
  let [size, calls] = [0, 0];
  const write = (line: RecordingHeader | RecordedCall): boolean => {
    const bytes = formatLine(line);
    if (size + bytes.length > recordingLimits.file) return false;
    file.write(size, bytes);
    size += bytes.length;
    return true;
  };
  write(header);
  return {
    add: (call) => {
      const isWritten = write(call);
      if (isWritten) calls++;
      return isWritten;
    },
    close: () => {
      file.sync();
      file.close();
      return calls;
    },
    discard: () => {
      file.close();
      env.removeFile(path);
    },
  };
}

function createRecordingHandler({ client, env }: ClientContext, add: Recorder['add'], forward: Handler): Handler {
  const oneAtATime = createMutex();
  const send = async ({ path, header }: HttpRequest, body: string): Promise<{ readonly status: number; readonly answer: string }> => {
    const response = await client.request(path, { method: 'POST', headers: { 'content-type': header('content-type') ?? '' }, body });
    return { status: response.status, answer: await client.readText(response) };
  };
  const recordCall = (request: HttpRequest, body: string) =>
    oneAtATime(async () => {
      const { status, answer } = await send(request, body);
      if (status === 200) {
        if (body.length > recordingLimits.call || answer.length > recordingLimits.call || !add({ path: request.path, body, answer }))
          env.log('the recording is full, or the call too large: this call was executed and not recorded', 'warn');
        await settle(client, env.timers);
      }
      return { status, answer };
    });
  return async (request) => {
    // What is passed on comes from this process: the node cannot tell pages of other origins from programs.
    if (!access.isAllowed(request)) return foreignRefusal;
    if (request.method === 'PUT') return stateRefusal;
    if (request.method !== 'POST' || !request.path.startsWith('/ext/')) return forward(request);
    const body = Buffer.from(await request.body(maxTxBody)).toString('utf8');
    const { status, answer } = await (changesNode(body) ? recordCall(request, body) : send(request, body));
    return { status, headers: { 'content-type': status === 200 ? 'application/json' : 'text/plain' }, body: answer };
  };
}

/** Who may use the port: programs on this machine, and the pages that it serves itself. */
const access = withoutOtherPages(createDevAccess(undefined));

const refuse = (status: number, text: string): HttpResponse => ({ status, headers: { 'content-type': 'text/plain' }, body: `${text}\n` });
const foreignRefusal = refuse(403, 'only programs on this machine are allowed here, not pages of other origins');
const stateRefusal = refuse(409, 'a state cannot be loaded while calls are recorded; load it before serac record');
