import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { readChunks } from '../../api/client/server-sent-events.ts';
import { createSilenceLimit } from '../../api/client/silence-limit.ts';
import { createAmountFormatter, createAssetDescriber } from './asset-labels.ts';
import { type ClientCommand, callDev, type DevResult, decodeDev, devCommand, formatJson } from './client-command.ts';
import { badArgument } from './fault.ts';
import { formatTable, formatTime } from './table.ts';

type Tip = DevResult<'revert'>;
type Clock = DevResult<'getTime'>;
type Changed = { readonly added: readonly unknown[]; readonly removed: readonly unknown[] };

const formatTip = ({ height, time }: Tip): string => `height ${height}, ${formatTime(time)}`;

const formatClock = ({ time, offset, frozen }: Clock): string[] => [
  `${formatTime(time)} (${time})${frozen ? ', frozen' : ''}`,
  ...(offset === 0 ? [] : [`${offset > 0 ? '+' : ''}${offset} s from the real time`]),
];

const formatChanged = (what: string, { added, removed }: Changed): string =>
  `${what}: ${added.length} added${removed.length === 0 ? '' : `, ${removed.length} removed`}`;

const formatImpersonation = ({ addresses, total, auto }: DevResult<'impersonate'>): string[] => [
  auto ? 'every address is impersonated' : `${total} ${total === 1 ? 'address is' : 'addresses are'} impersonated`,
  ...addresses,
];

/** Commands that make blocks, impersonate, change the clock, and save and restore the chain. */
export const controlCommands = {
  mine: devCommand(
    'mine',
    ([blocks]) => ({ blocks: blocks === undefined ? undefined : readCount(blocks, 'mine [BLOCKS]') }),
    (tip) => [formatTip(tip)],
  ),
  reorg: devCommand(
    'reorg',
    ([depth]) => ({ depth: readCount(depth ?? '1', 'reorg [BLOCKS]') }),
    ({ removed, ...tip }) => [`${removed.length} ${removed.length === 1 ? 'block' : 'blocks'} replaced, now at ${formatTip(tip)}`],
  ),
  time: (async ({ client, args: [word], options, print }) => {
    const { method, params } = readTimeChange(word);
    const json = await callDev(client, method, params);
    if (options.json) print(formatJson(json));
    else for (const line of formatClock(decodeDev('getTime', json))) print(line);
    return undefined;
  }) satisfies ClientCommand,
  'impersonate start': devCommand('impersonate', ([address]) => ({ address }), formatImpersonation),
  'impersonate stop': devCommand('stopImpersonating', ([address]) => ({ address }), formatImpersonation),
  reset: (async (context) => {
    const { client, options, print, confirm } = context;
    const { height } = decodeDev('nodeInfo', await callDev(client, 'nodeInfo'));
    const question = `Remove all ${height} blocks at ${client.url} and start from genesis?`;
    const isConfirmed = options.yes || (await confirm(question));
    if (isConfirmed === undefined) throw badArgument('reset', 'serac reset removes all blocks; give --yes where nobody can be asked');
    if (!isConfirmed) {
      print(options.json ? JSON.stringify({ reset: false }) : 'nothing was changed');
      return 1;
    }
    return devCommand(
      'reset',
      () => ({}),
      (tip) => [`reset, now at ${formatTip(tip)}`],
    )(context);
  }) satisfies ClientCommand,
  'snapshot save': devCommand(
    'snapshot',
    ([name]) => ({ name }),
    (snapshot) => [`snapshot ${snapshot.name}: ${formatTip(snapshot)}`],
  ),
  'snapshot revert': devCommand(
    'revert',
    ([name]) => ({ name }),
    (tip) => [`now at ${formatTip(tip)}`],
  ),
  'snapshot list': devCommand(
    'listSnapshots',
    () => ({}),
    ({ snapshots }) =>
      snapshots.length === 0
        ? ['no snapshots; serac snapshot save NAME takes one']
        : formatTable(
            ['Name', 'Height', 'Time'],
            snapshots.map(({ name, height, time }) => [name, String(height), formatTime(time)]),
            new Set([1]),
          ),
  ),
  'snapshot delete': devCommand(
    'deleteSnapshot',
    ([name]) => ({ name }),
    ({ name }) => [`snapshot ${name} deleted`],
  ),
  'snapshot diff': (async ({ client, args: [from, to], options, print }) => {
    const json = await callDev(client, 'diff', { from, to });
    if (options.json) {
      print(formatJson(json));
      return undefined;
    }
    const diff = decodeDev('diff', json);
    print(formatChanged('blocks', diff.blocks));
    print(formatChanged('transactions', diff.txs));
    const formatAmount = createAmountFormatter(createAssetDescriber(client));
    for (const { address, assetID, change, sharedChange } of diff.balances)
      for (const [amount, note] of [[change, ''] as const, [sharedChange, ' shared'] as const]) {
        if (amount === 0n) continue;
        const shown = await formatAmount(amount, assetID);
        print(`${address}  ${shown.startsWith('-') ? shown : `+${shown}`}${note}`);
      }
    return undefined;
  }) satisfies ClientCommand,
  'state save': (async ({ client, args: [file = ''], options, print, writeFile }) => {
    const silence = createSilenceLimit(stateSilence);
    const response = await client.request('/ext/dev/state', { signal: silence.signal });
    if (!response.ok || response.body === null) throw await refusal(response, client);
    const bytes = await writeFile(file, silence.watch(readChunks(response.body))).catch((error: unknown) => {
      if (!silence.signal.aborted) throw fileError('write', file, error);
      throw new SeracError(`${client.url} sent nothing for ${stateSilence / 1000} s; the old ${file} is unchanged`, {
        code: 'NODE_TIMEOUT',
        url: client.url,
        milliseconds: stateSilence,
      });
    });
    print(options.json ? JSON.stringify({ file, bytes }) : `saved ${bytes} bytes to ${file}`);
    return undefined;
  }) satisfies ClientCommand,
  'state load': (async ({ client, args: [file = ''], options, print, readFile }) => {
    const body = await readFile(file);
    if (body === undefined) throw fileError('read', file);
    // The node answers when it has loaded the whole state: in minutes, if it is large. So the time limit of calls does not hold.
    const response = await client.request('/ext/dev/state', { method: 'PUT', body, signal: new AbortController().signal });
    if (!response.ok) throw await refusal(response, client);
    const tip = JSON.parse(await client.readText(response)) as Tip;
    print(options.json ? JSON.stringify(tip) : `loaded, now at ${formatTip(tip)}`);
    return undefined;
  }) satisfies ClientCommand,
};

/** Milliseconds without a byte after which saving the state fails. A large state may take longer as a whole. */
const stateSilence = 30_000;

async function refusal(response: Response, { url, readText }: RpcClient): Promise<SeracError> {
  const text = (await readText(response)).trim().slice(0, 500);
  const fault = { code: 'NODE_HTTP', url: `${url}/ext/dev/state`, status: response.status } as const;
  return new SeracError(`${url}: ${text || `status ${response.status}`}`, fault);
}

function fileError(verb: 'read' | 'write', file: string, error?: unknown): SeracError {
  const code = (error as { code?: string } | undefined)?.code;
  return new SeracError(`cannot ${verb} ${file}${code === undefined ? '' : ` (${code})`}`, { code: 'FILE_UNREADABLE', file });
}

function readCount(text: string, usage: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw badArgument(text, `${JSON.stringify(text)} is not a number of blocks; usage: serac ${usage}`);
}

/** Reads the argument of `serac time`: nothing, `+30d`, a time, `freeze` or `reset`. */
function readTimeChange(word: string | undefined): { readonly method: string; readonly params: object } {
  if (word === undefined) return { method: 'getTime', params: {} };
  if (word === 'freeze' || word === 'reset') return { method: `${word}Time`, params: {} };
  if (/^\+(?:\d+|(?:[\d.]+[smhdwy])+)$/.test(word)) return { method: 'increaseTime', params: { seconds: numberOrText(word.slice(1)) } };
  if (/^\d+$|^\d{4}-\d\d-\d\dT/.test(word)) return { method: 'setTime', params: { time: numberOrText(word) } };
  throw badArgument(word, `${JSON.stringify(word)} is not a time; give +30d, Unix seconds, 2027-01-01T00:00:00Z, freeze or reset`);
}

const numberOrText = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);
