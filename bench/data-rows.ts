import { idText } from '../src/bytes/id.ts';
import type { IndexReads, PinnedBlock, Subject } from '../src/index-read/index-reads.ts';
import { addressAt, leastAmount } from './data-chain.ts';
import type { DataDir } from './data-dir.ts';
import { BenchError } from './fault.ts';
import { addressText } from './fixture.ts';
import type { Requests } from './load.ts';
import type { TurnTo } from './page-tokens.ts';
import type { Call } from './socket-load.ts';

/**
 * Something to ask of the Data or Metrics interface. `again` is asked over and over, `cold` are calls for as much work of which each has an
 * answer of its own: no kept answer helps with them.
 */
export type DataRow = {
  readonly name: string;
  /** Share of what a bare server reaches. */
  readonly atLeast: number;
  readonly again: Call;
  /** Any number of them; `at` is below `kinds`. */
  readonly cold: { readonly kinds: number; readonly call: (at: number) => Call };
  /** A page of a list, with what its answer calls the items and how many there must be. */
  readonly list?: { readonly name: string; readonly page: Page; readonly items: string; readonly count: number };
};

/** `any`: all of its cold calls are for pages of their own, spread over the whole list. */
export type Page = 'first' | 'any' | 'last';

export type Known = {
  readonly made: DataDir;
  readonly history: IndexReads;
  readonly pin: PinnedBlock;
  /** Number of the last output. */
  readonly lastUtxo: number;
  readonly turnTo: TurnTo;
};

export async function dataRows(known: Known): Promise<DataRow[]> {
  const rows: DataRow[] = [];
  for (const list of lists(known)) rows.push(...(await pagesOf(list, known)));
  return [...rows, ...singles(known)];
}

/** So many calls that a server which keeps `keptBytes` of answers in each of two processes has forgotten one when it comes again. */
export const callsForCold = (answerBytes: number): number => Math.ceil((2.5 * keptBytes) / (answerBytes + 400));

export const coldCalls = ({ cold: { kinds, call } }: DataRow, answerBytes: number): Requests =>
  Array.from({ length: Math.min(kinds, callsForCold(answerBytes)) }, (_, at) => call(at));

/** As in assembly/api.ts. */
const keptBytes = 48 * 1024 * 1024;

const chain = '/v1/networks/local/blockchains/x-chain';

type List = {
  readonly name: string;
  readonly items: 'blocks' | 'transactions' | 'utxos';
  readonly size: number;
  readonly call: Call;
  /** A parameter that many values can be given to without any effect on the answer. */
  readonly idle: 'startTimestamp' | 'minUtxoAmount';
  /** Items are numbered up to this; a page can begin after any number, be it of the list or not. */
  readonly numbers: number;
  /** Number after which the last page begins. */
  readonly lastAfter: () => number | Promise<number>;
};

function lists({ made, history, pin, lastUtxo }: Known): List[] {
  const hot = addressText(made.hotAddress);
  const txsOf = (subject: Subject) => async () => {
    const query = { pin, subjects: [subject], kinds: undefined, times: { from: undefined, to: undefined }, after: undefined };
    return nth(await history.txs({ ...query, order: 'asc', limit: 101 }), 100).seq;
  };
  const utxosBy = (sortBy: 'timestamp' | 'amount', size: number) => async () => {
    const query = { pin, addresses: [made.hotAddress], asset: undefined, minAmount: 0n, includeSpent: false, after: undefined };
    return nth(await history.utxos({ ...query, sortBy, order: 'asc', limit: size + 1 }), size).seq;
  };
  const txs = { items: 'transactions', size: 100, idle: 'startTimestamp', numbers: pin.lastTx } as const;
  const utxos = { items: 'utxos', size: 100, idle: 'minUtxoAmount', numbers: lastUtxo } as const;
  return [
    { name: 'blocks', items: 'blocks', size: 100, call: get('/blocks'), idle: 'startTimestamp', numbers: pin.height, lastAfter: () => 100 },
    { ...txs, name: 'transactions', call: get('/transactions'), lastAfter: () => 101 },
    {
      ...txs,
      name: 'transactions of an address',
      call: get(`/transactions?addresses=${hot}`),
      lastAfter: txsOf({ address: made.hotAddress }),
    },
    {
      ...txs,
      name: 'transactions of an asset',
      call: get(`/assets/${idText(made.busyAsset)}/transactions`),
      lastAfter: txsOf({ asset: made.busyAsset }),
    },
    { ...utxos, name: 'UTXOs by time', call: get(`/utxos?addresses=${hot}`), lastAfter: utxosBy('timestamp', 100) },
    { ...utxos, name: 'UTXOs by amount', call: get(`/utxos?addresses=${hot}&sortBy=amount`), lastAfter: utxosBy('amount', 100) },
    {
      ...utxos,
      name: '1024 UTXOs',
      size: 1024,
      call: { path: `${chain}/utxos`, body: JSON.stringify({ addresses: hot }) },
      lastAfter: utxosBy('timestamp', 1024),
    },
  ];
}

async function pagesOf(list: List, { pin, turnTo }: Known): Promise<DataRow[]> {
  const whole = withParam(list.call, 'pageSize', list.size);
  const lastAfter = await list.lastAfter();
  const last = (call: Call) => turnTo(call, { height: pin.height, after: lastAfter });
  const varied = (at: number) => withParam(whole, list.idle, at + 1);
  // Far from the end, where pages are short.
  const anywhere = (at: number) => turnTo(whole, { height: pin.height, after: Math.ceil(list.numbers * (1 - 0.8 * fraction(at))) });
  const row = { atLeast: 0.25 };
  const page = { name: list.name, items: list.items, count: list.size };
  return [
    {
      ...row,
      name: `${list.name}, first page`,
      again: whole,
      cold: { kinds: leastAmount, call: varied },
      list: { ...page, page: 'first' },
    },
    { ...row, name: `${list.name}, any page`, again: anywhere(0), cold: { kinds: many, call: anywhere }, list: { ...page, page: 'any' } },
    {
      ...row,
      name: `${list.name}, last page`,
      again: last(whole),
      cold: { kinds: leastAmount, call: (at) => last(varied(at)) },
      list: { ...page, page: 'last' },
    },
  ];
}

/** From 0 to 1, each far from those before it. */
const fraction = (at: number): number => (0.5 + at * 0.6180339887498949) % 1;

function singles({ made, pin, turnTo }: Known): DataRow[] {
  const balances = (address: string) => get(`/balances?addresses=${address}`);
  const hot = balances(addressText(made.hotAddress));
  const tx = (at: number) => get(`/transactions/${idText(nth(made.txIDs, at % made.txIDs.length))}`);
  const block = (at: number) => get(`/blocks/${1 + (at % made.blocks)}`);
  const plain = (at: number) => balances(addressText(addressAt(at)));
  const avgTps = { path: '/v1/avg_tps/X' };
  const txCount = { path: '/v2/chains/X/metrics/txCount' };
  return [
    {
      name: 'balances of the hot address',
      atLeast: 0.6,
      again: hot,
      cold: { kinds: many, call: (at) => withParam(hot, 'blockTimestamp', pin.time + 1 + at) },
    },
    { name: 'balances of an address', atLeast: 0.6, again: plain(7), cold: { kinds: made.addresses, call: plain } },
    {
      name: 'avg_tps',
      atLeast: 0.6,
      again: avgTps,
      // Days are the same whatever the height that a token names.
      cold: { kinds: many, call: (at) => turnTo(avgTps, { height: at, after: pin.time - 50 * 86_400 }) },
    },
    {
      name: 'txCount by day',
      atLeast: 0.25,
      again: txCount,
      cold: { kinds: many, call: (at) => withParam(txCount, 'startTimestamp', at + 1) },
    },
    { name: 'transaction by hash', atLeast: 0.25, again: tx(made.txIDs.length >> 1), cold: { kinds: made.txIDs.length, call: tx } },
    { name: 'block by height', atLeast: 0.25, again: block(made.blocks >> 1), cold: { kinds: made.blocks, call: block } },
  ];
}

const many = 1_000_000;

const get = (path: string): Call => ({ path: `${chain}${path}` });

const withParam = (call: Call, name: string, value: number): Call => ({
  ...call,
  path: `${call.path}${call.path.includes('?') ? '&' : '?'}${name}=${value}`,
});

function nth<T>(items: readonly T[], at: number): T {
  const item = items[at];
  if (item === undefined) throw new BenchError(`a list has ${items.length} items, not ${at + 1}`);
  return item;
}
