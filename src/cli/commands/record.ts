import { isLoopbackUrl } from '../../api/client/node-fetch.ts';
import { isLocalRequest } from '../../api/http/local-caller.ts';
import type { Handler, HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { maxTxBody } from '../../api/http/node-routes.ts';
import { createMutex } from '../../base/timing/mutex.ts';
import { waitForAbort } from '../../base/timing/sleep.ts';
import { type ClientCommand, type ClientContext, callDev, decodeDev } from './client-command.ts';
import { badArgument, recordingError } from './fault.ts';
import { changesNode, formatLine, type RecordedCall, type RecordingHeader, recordingLimits, settle } from './recording.ts';

/**
 * `serac record FILE`: a port before a node on this machine. It passes requests on and writes those that change the node to a file, one after
 * the other. The clock is frozen, so that a replay builds the same blocks.
 */
export const record: ClientCommand = async (context) => {
  const { client, args, options, env, print, onInterrupt } = context;
  if (!isLoopbackUrl(client.url)) throw badArgument(client.url, 'serac record needs a node on this machine');
  const header = await readStart(context);
  const recorder = openRecorder(context, args[0] as string, header);
  const forward = env.forwardRequest(Number(new URL(client.url).port || 80));
  const interrupted = onInterrupt();
  const server = await env.serve({
    host: '127.0.0.1',
    port: options.listen ?? 0,
    handler: createRecordingHandler(context, recorder.add, forward),
    maxBodyMemory: 64 * maxTxBody,
    idleTimeout: 120,
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
  return undefined;
};

/** Freezes the clock and reads the state at which the recording begins. */
async function readStart({ client, args }: ClientContext): Promise<RecordingHeader> {
  const file = args[0] as string;
  const { network, pending, automine, interval } = decodeDev('nodeInfo', await callDev(client, 'nodeInfo'));
  if (pending > 0) throw recordingError(file, `${pending} transactions wait for a block and are not in the state; call dev.mine first`);
  await callDev(client, 'freezeTime');
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
    if (!isLocalRequest(request)) return foreignRefusal;
    if (request.method === 'PUT') return stateRefusal;
    if (request.method !== 'POST' || !request.path.startsWith('/ext/')) return forward(request);
    const body = Buffer.from(await request.body(maxTxBody)).toString('utf8');
    const { status, answer } = await (changesNode(body) ? recordCall(request, body) : send(request, body));
    return { status, headers: { 'content-type': status === 200 ? 'application/json' : 'text/plain' }, body: answer };
  };
}

const refuse = (status: number, text: string): HttpResponse => ({ status, headers: { 'content-type': 'text/plain' }, body: `${text}\n` });
const foreignRefusal = refuse(403, 'only programs on this machine are allowed here, not pages of other origins');
const stateRefusal = refuse(409, 'a state cannot be loaded while calls are recorded; load it before serac record');
