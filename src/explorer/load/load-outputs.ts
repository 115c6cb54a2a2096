import type { AddressBalances, AssetAmount, Utxo, UtxoList } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { slimUtxo } from './slim.ts';
import { read, type Source } from './source.ts';

/** What the list shows, as it is in the URL. The first value of each is the default. */
const outputChoices = {
  set: ['own', 'shared'],
  state: ['unspent', 'all'],
  sort: ['timestamp', 'amount'],
  order: ['desc', 'asc'],
} as const;
export type OutputFilter = {
  readonly [name in keyof typeof outputChoices]: (typeof outputChoices)[name][number];
} & { readonly asset: string | undefined };

export type OutputsData = {
  readonly address: string;
  readonly filter: OutputFilter;
  /** Assets that the address has, for the filter. */
  readonly assets: readonly { readonly assetId: string; readonly symbol: string }[];
  readonly utxos: readonly Utxo[];
  readonly next: string | undefined;
};

/** Assets that the filter offers. */
const maxAssets = 8;

type OutputsQuery = { readonly query: URLSearchParams; readonly page: string | undefined; readonly rows: number | undefined };

/** The outputs of an address, a page at a time: those that it can spend alone, or those that it owns with others. */
export async function loadOutputs(
  source: Source,
  context: PageContext,
  address: string,
  { query, page, rows = 50 }: OutputsQuery,
): Promise<OutputsData> {
  const filter = parseFilter(query);
  const { set, state, sort, order, asset } = filter;
  const params = new URLSearchParams({
    addresses: address,
    pageSize: String(rows),
    sortBy: sort,
    sortOrder: order,
  });
  if (state === 'all') params.set('includeSpent', 'true');
  if (asset !== undefined) params.set('assetId', asset);
  if (page !== undefined) params.set('pageToken', page);
  const base = chainPath(context);
  const [list, { balances }] = await Promise.all([
    read<UtxoList>(source, `${base}/${set === 'own' ? 'utxos' : 'shared-utxos'}?${params}`),
    read<AddressBalances>(source, `${base}/balances?addresses=${encodeURIComponent(address)}`),
  ]);
  const known = new Map<string, AssetAmount>();
  for (const one of [...Object.values(balances).flat(), ...list.utxos.map((utxo) => utxo.asset)]) known.set(one.assetId, one);
  return {
    address,
    filter,
    assets: [...known.values()].slice(0, maxAssets).map(({ assetId, symbol }) => ({ assetId, symbol })),
    utxos: list.utxos.map(slimUtxo),
    next: list.nextPageToken,
  };
}

function parseFilter(query: URLSearchParams): OutputFilter {
  const choose = <V extends string>(name: string, values: readonly [V, ...V[]]): V =>
    values.find((value) => value === query.get(name)) ?? values[0];
  const { set, state, sort, order } = outputChoices;
  return {
    set: choose('set', set),
    state: choose('state', state),
    sort: choose('sort', sort),
    order: choose('order', order),
    asset: query.get('asset') || undefined,
  };
}

/** The URL of a list with other choices; it starts at the first page. */
export function outputsUrl(address: string, filter: OutputFilter, change: Partial<OutputFilter> = {}, page?: string): string {
  const next = { ...filter, ...change };
  const params = new URLSearchParams();
  for (const [name, [normal]] of Object.entries(outputChoices)) {
    const value = next[name as keyof typeof outputChoices];
    if (value !== normal) params.set(name, value);
  }
  if (next.asset !== undefined) params.set('asset', next.asset);
  if (page !== undefined) params.set('page', page);
  return `/outputs/${address}${params.size === 0 ? '' : `?${params}`}`;
}
