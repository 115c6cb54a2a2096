import { idText } from '../src/base/bytes/id.ts';
import type { IndexReads, PinnedBlock, Subject } from '../src/ledger/index-read/index-reads.ts';
import { outputNumber } from '../src/ledger/state/output-number.ts';
import { minAmount } from './data-chain.ts';
import type { QueriedChain } from './data-dir.ts';
import { BenchError } from './fault.ts';
import { formatXAddress } from './fixture.ts';
import type { Requests } from './load.ts';
import type { AddPageToken } from './page-tokens.ts';
import type { LoadCall } from './socket-load.ts';

/**
 * A request to the Data or Metrics API to measure. `repeated` is one call sent again and again, which the response cache answers. `cold` are
 * calls that cost the same but have different responses, so that the cache does not help.
 */
export type DataRow = {
  readonly name: string;
  /** The target: the minimum rate as a share of the bare server's rate. */
  readonly atLeast: number;
  readonly repeated: LoadCall;
  /** Creates the cold calls; `at` is below `count`. */
  readonly cold: { readonly count: number; readonly call: (at: number) => LoadCall };
  /** The first page as it was after each of the last blocks, in their order: what clients of a running chain ask for. */
  readonly live?: { readonly count: number; readonly call: (at: number) => LoadCall };
  /** For a page of a list: the field of the response that holds the items, and the expected number of items. */
  readonly list?: { readonly name: string; readonly page: PagePosition; readonly items: string; readonly count: number };
};

/** `any`: the cold calls are for different pages, spread over the whole list. */
type PagePosition = 'first' | 'any' | 'last';

type DataBenchContext = {
  readonly made: QueriedChain;
  readonly history: IndexReads;
  readonly pin: PinnedBlock;
  readonly addPageToken: AddPageToken;
};

export async function createDataRows(known: DataBenchContext): Promise<DataRow[]> {
  const rows: DataRow[] = [];
  for (const list of listEndpoints(known)) rows.push(...(await createPageRows(list, known)));
  return [...rows, ...createSingleRows(known)];
}

/** How many different calls are needed so that each has been evicted from the response caches of two processes before it is repeated. */
export const countColdCalls = (answerBytes: number): number => Math.ceil((2.5 * responseCacheBytes) / (answerBytes + 400));

export const createColdCalls = ({ cold: { count, call } }: DataRow, answerBytes: number): Requests =>
  Array.from({ length: Math.min(count, countColdCalls(answerBytes)) }, (_, at) => call(at));

/** More than the response caches of all processes have with the default `--cache-bytes`; see src/base/cache/cache-table.ts. */
const responseCacheBytes = 24 * 1024 * 1024;

const chain = '/v1/networks/local/blockchains/x-chain';

type ListEndpoint = {
  readonly name: string;
  readonly items: 'blocks' | 'transactions' | 'utxos';
  readonly size: number;
  readonly call: LoadCall;
  /** A filter that has no effect for many values: it makes the calls different without changing the response. */
  readonly unusedFilter: 'startTimestamp' | 'minUtxoAmount';
  /** The number of an item that is this share of all items away from the first. A page can begin after it, even if it is not in the list. */
  readonly numberAt: (share: number) => number;
  /** The sequence number after which the last page begins. */
  readonly lastAfter: () => number | Promise<number>;
  /** The sequence number of the newest item as of a block; undefined for lists that are not measured as of each block. */
  readonly newestAt?: (pin: PinnedBlock) => number;
};

function listEndpoints({ made, history, pin }: DataBenchContext): ListEndpoint[] {
  const hot = formatXAddress(made.hotAddress);
  const txsOf = (subject: Subject) => async () => {
    const query = { pin, subjects: [subject], kinds: undefined, times: { from: undefined, to: undefined }, after: undefined };
    return nth(await history.txSeqs({ ...query, order: 'asc', limit: 101 }), 100);
  };
  const utxosBy = (sortBy: 'timestamp' | 'amount', size: number) => async () => {
    const query = { pin, addresses: [made.hotAddress], asset: undefined, minAmount: 0n, includeSpent: false, after: undefined };
    return nth((await history.utxos({ ...query, sortBy, order: 'asc', limit: size + 1 })).outputs, size).seq;
  };
  const txAt = (share: number): number => Math.ceil(pin.lastTx * share);
  const txs = {
    items: 'transactions',
    size: 100,
    unusedFilter: 'startTimestamp',
    numberAt: txAt,
    newestAt: ({ lastTx }: PinnedBlock) => lastTx,
  } as const;
  const utxos = {
    items: 'utxos',
    size: 100,
    unusedFilter: 'minUtxoAmount',
    numberAt: (share: number) => outputNumber(txAt(share), 0),
  } as const;
  return [
    {
      name: 'blocks',
      items: 'blocks',
      size: 100,
      call: get('/blocks'),
      unusedFilter: 'startTimestamp',
      numberAt: (share) => Math.ceil(pin.height * share),
      lastAfter: () => 100,
      newestAt: ({ height }) => height,
    },
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

async function createPageRows(list: ListEndpoint, known: DataBenchContext): Promise<DataRow[]> {
  const { pin, addPageToken } = known;
  const fullPage = withParam(list.call, 'pageSize', list.size);
  const lastAfter = await list.lastAfter();
  const lastPage = (call: LoadCall) => addPageToken(call, { height: pin.height, after: lastAfter });
  const withUnusedFilter = (at: number) => withParam(fullPage, list.unusedFilter, at + 1);
  // Not near the end of the list, where a page may be incomplete.
  const anyPage = (at: number) => addPageToken(fullPage, { height: pin.height, after: list.numberAt(1 - 0.8 * fraction(at)) });
  const row = { atLeast: 0.25 };
  const page = { name: list.name, items: list.items, count: list.size };
  const live = list.newestAt && (await createLivePages(fullPage, list.newestAt, known));
  return [
    {
      ...row,
      name: `${list.name}, first page`,
      ...(live && { live }),
      repeated: fullPage,
      cold: { count: minAmount, call: withUnusedFilter },
      list: { ...page, page: 'first' },
    },
    {
      ...row,
      name: `${list.name}, any page`,
      repeated: anyPage(0),
      cold: { count: maxVariants, call: anyPage },
      list: { ...page, page: 'any' },
    },
    {
      ...row,
      name: `${list.name}, last page`,
      repeated: lastPage(fullPage),
      cold: { count: minAmount, call: (at) => lastPage(withUnusedFilter(at)) },
      list: { ...page, page: 'last' },
    },
  ];
}

/** The first page as of each of the last blocks: a page token pins a listing to a block. */
async function createLivePages(
  call: LoadCall,
  newestAt: (pin: PinnedBlock) => number,
  { history, pin, addPageToken }: DataBenchContext,
): Promise<DataRow['live']> {
  const count = Math.min(liveBlocks, pin.height);
  const pins = await Promise.all(Array.from({ length: count }, (_, at) => history.pinAtHeight(pin.height - count + 1 + at)));
  return {
    count,
    call: (at) => {
      const then = nth(pins, at) as PinnedBlock;
      return addPageToken(call, { height: then.height, after: newestAt(then) + 1 });
    },
  };
}

const liveBlocks = 400;

/** Evenly spread numbers from 0 to 1 (multiples of the golden ratio). */
const fraction = (at: number): number => (0.5 + at * 0.6180339887498949) % 1;

function createSingleRows({ made, pin, addPageToken }: DataBenchContext): DataRow[] {
  const balances = (address: string) => get(`/balances?addresses=${address}`);
  const hot = balances(formatXAddress(made.hotAddress));
  const tx = (at: number) => get(`/transactions/${idText(nth(made.txIDs, at % made.txIDs.length))}`);
  const block = (at: number) => get(`/blocks/${1 + (at % made.blocks)}`);
  const plain = (at: number) => balances(formatXAddress(made.addressAt(at)));
  const avgTps = { path: '/v1/avg_tps/X' };
  const txCount = { path: '/v2/chains/X/metrics/txCount' };
  return [
    {
      name: 'balances of the hot address',
      atLeast: 0.6,
      repeated: hot,
      cold: { count: maxVariants, call: (at) => withParam(hot, 'blockTimestamp', pin.time + 1 + at) },
    },
    { name: 'balances of an address', atLeast: 0.6, repeated: plain(7), cold: { count: made.addresses, call: plain } },
    {
      name: 'avg_tps',
      atLeast: 0.6,
      repeated: avgTps,
      // The height in the page token does not change the response: it makes the calls different.
      cold: { count: maxVariants, call: (at) => addPageToken(avgTps, { height: at, after: pin.time - 50 * 86_400 }) },
    },
    {
      name: 'txCount by day',
      atLeast: 0.25,
      repeated: txCount,
      cold: { count: maxVariants, call: (at) => withParam(txCount, 'startTimestamp', at + 1) },
    },
    { name: 'transaction by hash', atLeast: 0.25, repeated: tx(made.txIDs.length >> 1), cold: { count: made.txIDs.length, call: tx } },
    { name: 'block by height', atLeast: 0.25, repeated: block(made.blocks >> 1), cold: { count: made.blocks, call: block } },
  ];
}

const maxVariants = 1_000_000;

const get = (path: string): LoadCall => ({ path: `${chain}${path}` });

const withParam = (call: LoadCall, name: string, value: number): LoadCall => ({
  ...call,
  path: `${call.path}${call.path.includes('?') ? '&' : '?'}${name}=${value}`,
});

function nth<T>(items: readonly T[], at: number): T {
  const item = items[at];
  if (item === undefined) throw new BenchError(`a list has ${items.length} items, not ${at + 1}`);
  return item;
}
