import { SeracError } from '../../api/client/fault.ts';
import { createRpcClient, type RpcClient } from '../../api/client/rpc-client.ts';
import { createNode } from '../../sdk/create-node.ts';
import { type ClientCommand, type ClientContext, callDev, decodeDev } from './client-command.ts';
import { recordingError } from './fault.ts';
import {
  comparedAnswer,
  methodsOf,
  parseRecording,
  type RecordedCall,
  type RecordingHeader,
  recordingLimits,
  settle,
} from './recording.ts';

/** `serac replay FILE`: sends recorded calls to a new node, or to that of `--url`, and says where an answer differs. */
export const replay: ClientCommand = async (context) => {
  const { args, options, print, env } = context;
  const file = args[0] as string;
  const { header, calls } = parseRecording(await readRecording(context, file), file);
  const { client, close } = await openNode(context, header);
  try {
    await loadStart(client, header, file);
    for (const [i, call] of calls.entries()) {
      const answer = await send(client, call, env);
      if (comparedAnswer({ ...call, answer }) === comparedAnswer(call)) continue;
      printDifference(context, { call, answer, number: i + 1, total: calls.length });
      return 1;
    }
    const { height, blockID } = decodeDev('nodeInfo', await callDev(client, 'nodeInfo'));
    print(
      options.json
        ? JSON.stringify({ calls: calls.length, same: true, height, blockID })
        : `${calls.length} ${calls.length === 1 ? 'call' : 'calls'} replayed, all answers are the same; height ${height}, block ${blockID}`,
    );
    return undefined;
  } finally {
    await close();
  }
};

async function readRecording({ readFile }: ClientContext, file: string): Promise<string> {
  const blob = await readFile(file);
  if (blob === undefined) throw recordingError(file, `cannot read ${file}`);
  if (blob.size > recordingLimits.file) throw recordingError(file, `${file} is larger than any recording`);
  return blob.text();
}

type OpenNode = { readonly client: RpcClient; readonly close: () => Promise<void> };

async function openNode({ client, given }: ClientContext, { network, accounts }: RecordingHeader): Promise<OpenNode> {
  if (given.has('url')) return { client, close: async () => {} };
  const node = await createNode({ networkId: network, accounts, reorgDepth: replayedReorgs });
  return { client: createRpcClient({ url: await node.listen(0) }), close: node.close };
}

/** So that a recorded `dev.reorg` can be replayed. */
const replayedReorgs = 64;

/** Restores the state of the chain, with its frozen clock, and when blocks are built. */
async function loadStart(client: RpcClient, { state, automine, interval }: RecordingHeader, file: string): Promise<void> {
  const response = await client.request('/ext/dev/state', { method: 'PUT', body: Buffer.from(state, 'base64') });
  const text = await client.readText(response);
  if (response.status === 404)
    throw new SeracError(`${client.url} cannot load a state`, { code: 'NODE_HTTP', url: `${client.url}/ext/dev/state`, status: 404 });
  if (!response.ok) throw recordingError(file, `cannot load the state at the beginning of ${file}: ${text.trim().slice(0, 500)}`);
  await callDev(client, 'setIntervalMining', { seconds: interval });
  await callDev(client, 'setAutomine', { enabled: automine });
}

async function send(client: RpcClient, { path, body }: RecordedCall, env: ClientContext['env']): Promise<string> {
  const response = await client.request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = await client.readText(response);
  await settle(client, env.timers);
  return answer;
}

type Difference = { readonly call: RecordedCall; readonly answer: string; readonly number: number; readonly total: number };

function printDifference({ print, options }: ClientContext, { call, answer, number, total }: Difference): void {
  const method = methodsOf(call.body).join(', ');
  if (options.json) {
    print(JSON.stringify({ calls: total, same: false, call: number, method, recorded: call.answer, now: answer }));
    return;
  }
  print(`call ${number} of ${total} has another answer: ${method} at ${call.path}`);
  for (const [name, text] of [
    ['call', call.body],
    ['recorded', call.answer],
    ['now', answer],
  ] as const)
    print(`${name.padEnd(9)} ${text.trim().slice(0, maxShown)}`);
}

const maxShown = 2000;
