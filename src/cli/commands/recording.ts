import { isRecord } from '../../api/client/convert.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { onlyReads } from '../../api/contract/reading-methods.ts';
import type { Env } from '../../app/platform/env.ts';
import { attempt } from '../../base/fault.ts';
import { callDev, decodeDev } from './client-command.ts';
import { recordingError } from './fault.ts';

/**
 * A recording: lines of JSON. The first has the state of the chain at the beginning, the others a call each, in the order in which the node
 * has executed them. Calls that only read are not recorded.
 */
export type RecordingHeader = {
  readonly serac: 'recording';
  readonly version: 1;
  readonly network: number;
  readonly accounts: number;
  readonly automine: boolean;
  readonly interval: number;
  /** The state file in base64. */
  readonly state: string;
};

export type RecordedCall = { readonly path: string; readonly body: string; readonly answer: string };

/** The most bytes of the state, of a call or its answer, and of the whole file. */
export const recordingLimits = { state: 64 * 1024 * 1024, call: 1_048_576, file: 256 * 1024 * 1024 } as const;

const formatVersion = 1;

export const formatLine = (line: RecordingHeader | RecordedCall): Uint8Array => Buffer.from(`${JSON.stringify(line)}\n`);

/** Reads a recording. A last line without an end, of a recorder that was killed, is left out. */
export function parseRecording(text: string, file: string): { readonly header: RecordingHeader; readonly calls: readonly RecordedCall[] } {
  const [first = '', ...lines] = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .trimEnd()
    .split('\n');
  const header = parseLine(first);
  if (header?.serac !== 'recording') throw recordingError(file, `${file} is not a recording of serac record`);
  if (header.version !== formatVersion)
    throw recordingError(file, `${file} has version ${String(header.version)} of the format; this program reads version ${formatVersion}`);
  const { network, accounts, automine, interval, state } = header;
  const isWhole = [network, accounts, interval].every((value) => typeof value === 'number') && typeof automine === 'boolean';
  if (!isWhole || typeof state !== 'string') throw recordingError(file, `line 1 of ${file} is damaged`);
  const calls = lines.map((line, i) => {
    const call = parseLine(line);
    if (typeof call?.path === 'string' && typeof call.body === 'string' && typeof call.answer === 'string') return call as RecordedCall;
    throw recordingError(file, `line ${i + 2} of ${file} is damaged`);
  });
  return { header: header as unknown as RecordingHeader, calls };
}

function parseLine(line: string): { readonly [name: string]: unknown } | undefined {
  const value: unknown = attempt(() => JSON.parse(line));
  return isRecord(value) ? value : undefined;
}

/** The names of the methods in the body of a request: one, or those of a batch; none if it is no JSON-RPC. */
export function methodsOf(body: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(body);
    return (Array.isArray(value) ? value : [value]).flatMap((call) =>
      isRecord(call) && typeof call.method === 'string' ? [call.method] : [],
    );
  } catch {
    return [];
  }
}

/** Whether a request changes the node. Of the names of Anvil only those that clearly read count as reading. */
export const changesNode = (body: string): boolean =>
  methodsOf(body).some((method) =>
    method.includes('.') ? !onlyReads(method) : !/^(?:txpool_|eth_|anvil_get|anvil_nodeInfo|anvil_dumpState|hardhat_metadata)/.test(method),
  );

/** What is compared of an answer: how far the clock is from the real time differs from run to run. */
export const comparedAnswer = ({ body, answer }: Pick<RecordedCall, 'body' | 'answer'>): string =>
  methodsOf(body).some((method) => /^(?:evm|anvil)_(?:increaseTime|setTime)$/.test(method))
    ? ''
    : answer.trim().replace(/"offset":"-?\d+"/g, '"offset":"…"');

/** Waits until no transaction waits for a block, if blocks are built at once: so that record and replay build the same blocks. */
export async function settle(client: RpcClient, { after }: Env['timers']): Promise<void> {
  for (let i = 0; i < settleTries; i++) {
    const { automine, pending } = decodeDev('nodeInfo', await callDev(client, 'nodeInfo'));
    if (!automine || pending === 0) return;
    await new Promise<void>((resolve) => void after(settlePause, resolve));
  }
}

/** How often, and with which pause in milliseconds, the mempool is looked at. */
const settleTries = 500;
const settlePause = 10;
