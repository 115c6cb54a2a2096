import { SeracError } from '../client/fault.ts';
import { type ClientCommand, callDev, type DevResult, decodeDev, devCommand, formatJson } from './client-command.ts';
import { formatTable, formatTime } from './table.ts';

type Tip = DevResult<'revert'>;
type Clock = DevResult<'getTime'>;

const formatTip = ({ height, time }: Tip): string => `height ${height}, ${formatTime(time)}`;

const formatClock = ({ time, offset, frozen }: Clock): string[] => [
  `${formatTime(time)} (${time})${frozen ? ', frozen' : ''}`,
  ...(offset === 0 ? [] : [`${offset > 0 ? '+' : ''}${offset} s from the real time`]),
];

/** Commands that make blocks, change the clock, and save and restore the chain. */
export const controlCommands = {
  mine: devCommand(
    'mine',
    ([blocks]) => ({ blocks: blocks === undefined ? undefined : Number(blocks) }),
    (tip) => [formatTip(tip)],
  ),
  time: (async ({ client, args: [word], options, print }) => {
    const { method, params } = readTimeChange(word);
    const json = await callDev(client, method, params);
    if (options.json) print(formatJson(json));
    else for (const line of formatClock(decodeDev('getTime', json))) print(line);
    return undefined;
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
    () => ['deleted'],
  ),
  'snapshot diff': devCommand(
    'diff',
    ([from, to]) => ({ from, to }),
    ({ blocks, txs, balances }) => [
      `added: ${blocks.added.length} blocks, ${txs.added.length} transactions`,
      `removed: ${blocks.removed.length} blocks, ${txs.removed.length} transactions`,
      ...formatTable(
        ['Address', 'Change', 'Asset'],
        balances.map(({ address, assetID, change }) => [address, String(change), assetID]),
        new Set([1]),
      ),
    ],
  ),
  'state save': (async ({ client, args: [file = ''], print, writeFile }) => {
    const response = await client.request('/ext/dev/state');
    if (!response.ok || response.body === null) throw await refusal(response, client.url);
    print(`${file}: ${await writeFile(file, response.body as unknown as AsyncIterable<Uint8Array>)} bytes`);
    return undefined;
  }) satisfies ClientCommand,
  'state load': (async ({ client, args: [file = ''], print, readFile }) => {
    const body = await readFile(file);
    if (body === undefined) throw new SeracError(`cannot read ${file}`, { code: 'FILE_UNREADABLE', file });
    const response = await client.request('/ext/dev/state', { method: 'PUT', body });
    if (!response.ok) throw await refusal(response, client.url);
    const answer = (await response.json().catch(() => undefined)) as Tip | undefined;
    print(answer?.height === undefined ? 'loaded' : `loaded, now at ${formatTip(answer)}`);
    return undefined;
  }) satisfies ClientCommand,
};

async function refusal(response: Response, url: string): Promise<SeracError> {
  const text = (await response.text()).slice(0, 500);
  return new SeracError(`${url}: ${text || `status ${response.status}`}`, { code: 'NODE_HTTP', url, status: response.status });
}

/** Reads the argument of `serac time`: nothing, `+30d`, a time, `freeze` or `reset`. */
export function readTimeChange(word: string | undefined): { readonly method: string; readonly params: object } {
  if (word === undefined) return { method: 'getTime', params: {} };
  if (word === 'freeze' || word === 'reset') return { method: `${word}Time`, params: {} };
  if (word.startsWith('+')) return { method: 'increaseTime', params: { seconds: numberOrText(word.slice(1)) } };
  return { method: 'setTime', params: { time: numberOrText(word) } };
}

const numberOrText = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);
