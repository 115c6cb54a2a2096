import type { TxSummary } from '../../api/contract/answers.ts';
import { formatTime } from './table.ts';
import type { WriteSentence } from './tx-sentence.ts';

type Change = { readonly address: string; readonly assetID: string; readonly change: string; readonly sharedChange: string };

type Reason = string | { readonly message: string };

/** The position of an event on a chain; an older node may leave out what it does not know. */
type Position = { readonly chain?: string; readonly height?: number; readonly time?: number };

/** The properties that are printed of each kind of event; see api/contract/event-kinds.ts. */
type EventData = {
  readonly heartbeat: unknown;
  readonly block: Position & { readonly txIDs?: readonly string[] };
  readonly tx: {
    readonly txID: string;
    readonly txType: string;
    readonly summary?: TxSummary;
    readonly balanceChanges?: readonly Change[];
    readonly labels?: { readonly [address: string]: string };
  };
  readonly reverted: Position & { readonly snapshot?: string };
  readonly mempool: { readonly action: 'in' | 'out'; readonly txID: string; readonly txType: string; readonly reason?: Reason };
  readonly time: { readonly time?: number; readonly offset?: number; readonly frozen?: boolean };
  readonly settings: { readonly changed: keyof typeof settingTexts };
  readonly calls: unknown;
  readonly health: { readonly check: string; readonly error?: string };
  readonly reset: { readonly reason?: Reason };
  readonly closed: { readonly message?: string };
};

/** How events name amounts and transactions. */
export type EventWriters = {
  readonly formatAmount: (amount: string, assetID: string) => Promise<string>;
  readonly writeSentence: WriteSentence;
};
type Format<E> = (event: E, writers: EventWriters) => Promise<readonly string[]> | readonly string[];

/** An event as lines for people; none for a heartbeat. An event of an unknown kind is printed as it is. */
export async function formatEvent(kind: string, data: string, writers: EventWriters): Promise<readonly string[]> {
  if (!Object.hasOwn(formats, kind)) return [`${kind} ${data}`];
  return (formats[kind as keyof EventData] as Format<unknown>)(JSON.parse(data), writers);
}

const formats: { readonly [K in keyof EventData]: Format<EventData[K]> } = {
  heartbeat: () => [],
  block: (event) => [`block ${event.height}${ofChain(event)}, ${countTxs(event.txIDs?.length ?? 0)}, ${formatTime(event.time ?? 0)}`],
  tx: async ({ txID, txType, summary, balanceChanges = [], labels = {} }, { formatAmount, writeSentence }) => [
    `  ${txType} ${txID}`,
    ...(summary === undefined ? [] : [`    ${await writeSentence(summary, labels)}`]),
    ...(await Promise.all(balanceChanges.map((change) => formatChange(change, labels[change.address], formatAmount)))).flat(),
  ],
  reverted: (event) => [
    `reverted to height ${event.height}${ofChain(event)}${event.snapshot === undefined ? '' : ` (snapshot ${event.snapshot})`}, ${formatTime(event.time ?? 0)}`,
  ],
  mempool: ({ action, txID, txType, reason }) =>
    action === 'in'
      ? [`pending ${txType} ${txID}`]
      : [`dropped ${txType} ${txID}`, ...(reason === undefined ? [] : [`  ${textOf(reason)}`])],
  time: ({ time = 0, offset = 0, frozen }) => [
    `time is ${formatTime(time)}${offset === 0 ? '' : `, ${offset > 0 ? '+' : ''}${offset} s from the real time`}${frozen ? ', frozen' : ''}`,
  ],
  settings: ({ changed }) => [`setting changed: ${settingTexts[changed] ?? changed}`],
  // It only says that there are calls; `serac calls` prints them.
  calls: () => [],
  health: ({ check, error }) => [error === undefined ? `health check ${check} passes` : `health check ${check} fails: ${error}`],
  reset: ({ reason = '' }) => [`some events were missed: ${textOf(reason)}`],
  closed: ({ message = '' }) => [`the node closed the stream: ${message}`],
};

const settingTexts = {
  blocks: 'when blocks are made',
  faults: 'delays and failures of calls',
  snapshots: 'list of snapshots',
  labels: 'labels of addresses',
  impersonation: 'which addresses are impersonated',
};

async function formatChange(
  { address, assetID, change, sharedChange }: Change,
  label: string | undefined,
  formatAmount: EventWriters['formatAmount'],
): Promise<string[]> {
  const owner = label === undefined ? address : `${address} (${label})`;
  const line = async (amount: string, note: string): Promise<string[]> => {
    const text = amount === '0' ? '' : await formatAmount(amount, assetID);
    return text === '' ? [] : [`    ${owner}  ${text.startsWith('-') ? text : `+${text}`}${note}`];
  };
  return [...(await line(change, '')), ...(await line(sharedChange, ' (shared)'))];
}

const ofChain = ({ chain }: Position): string => (chain === undefined || chain === 'X' ? '' : ` of chain ${chain}`);
const countTxs = (count: number): string => `${count} transaction${count === 1 ? '' : 's'}`;
const textOf = (reason: Reason): string => (typeof reason === 'string' ? reason : reason.message);
