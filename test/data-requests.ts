import { metricNames } from '../src/api/contract/metrics.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { idText } from '../src/base/bytes/id.ts';
import { parseExact } from './exact-json.ts';
import type { Client } from './http.ts';
import type { LedgerModel } from './ledger-model.ts';
import { type Key, localChainParams, type Wallet } from './wallet-kit.ts';

/** A request to the Data or Metrics API. */
export type DataRequest = {
  readonly path: string;
  /** Body of a POST; a request without one is a GET. */
  readonly body?: string;
  /** The response depends on the clock, so it may differ a second later. */
  readonly dependsOnClock?: true;
};

/** A chain that no longer changes, with the values that requests need. */
export type TestedChain = {
  readonly model: LedgerModel;
  readonly wallet: Wallet;
  readonly blocks: readonly { readonly blockNumber: string; readonly blockHash: string; readonly blockTimestamp: number }[];
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads responses of any shape
export type Json = any;
export type DataResponse = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly json: Json };

export const chainRoot = '/v1/networks/local/blockchains/x-chain';

/** An address without the chain prefix, as the Data API writes it. */
export const plainAddress = ({ address }: Pick<Key, 'address'>): string => createAddressFormatter('X', 'local')(address).slice(2);

export async function sendRequest(
  client: Client,
  { path, body }: DataRequest,
  headers: Record<string, string> = {},
): Promise<DataResponse> {
  const response =
    body === undefined
      ? await client.send('GET', path, headers)
      : await client.send('POST', path, { ...headers, 'content-type': 'application/json' }, body);
  return { status: response.status, headers: response.headers, json: parseExact(response.text) };
}

/** Fetches every page of a listing, from the clients in rotation. */
export async function fetchPages(clients: readonly Client[], request: DataRequest): Promise<Json[]> {
  const pages: Json[] = [];
  for (let token: string | undefined, at = 0; at === 0 || token !== undefined; at++) {
    const mark = request.path.includes('?') ? '&' : '?';
    const path = token === undefined ? request.path : `${request.path}${mark}pageToken=${token}`;
    const { status, json } = await sendRequest(clients[at % clients.length] as Client, { ...request, path });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
    pages.push(json);
    if (pages.length > maxPages) throw new Error(`${request.path}: does not end`);
    token = json.nextPageToken;
  }
  return pages;
}

const maxPages = 10_000;

/** All items of a listing of any kind. */
export const itemsOf = (pages: readonly Json[]): Json[] =>
  pages.flatMap((page) => page.blocks ?? page.transactions ?? page.utxos ?? page.blockchains ?? page.results ?? []);

/** Requests to every route, with parameters that exist on this chain and some that do not. */
export const dataRequests = (chain: TestedChain): DataRequest[] => [
  ...chainRequests(),
  ...blockRequests(chain),
  ...txRequests(chain),
  ...addressRequests(chain),
  ...assetRequests(chain),
  ...unsupportedRequests(),
  ...metricRequests(),
];

const get = (path: string): DataRequest => ({ path });
const getAll = (...paths: string[]): DataRequest[] => paths.map(get);

function chainRequests(): DataRequest[] {
  const networks = '/v1/networks/local/blockchains';
  const ids = ['x-chain', 'X', 'p-chain', 'c-chain', idText(localChainParams.blockchainID), 'nothing'].map((id) => `${networks}/${id}`);
  return getAll(
    '/v1/chains',
    '/v1/chains?network=local',
    '/v1/chains?network=fuji',
    '/v1/chains/X',
    '/v1/chains/Y',
    networks,
    `${networks}?pageSize=2&sortOrder=desc`,
    ...ids,
    '/v1/networks/mainnet/blockchains',
  );
}

function blockRequests({ blocks }: TestedChain): DataRequest[] {
  const some = blocks.filter((_, i) => i % Math.ceil(blocks.length / 10) === 0);
  return getAll(
    `${chainRoot}/blocks`,
    `${chainRoot}/blocks?pageSize=100`,
    ...timeFilters(blocks).map((times) => `${chainRoot}/blocks?pageSize=100&${times}`),
    ...some.flatMap(({ blockNumber, blockHash }) => [`${chainRoot}/blocks/${blockNumber}`, `${chainRoot}/blocks/${blockHash}`]),
    `${chainRoot}/blocks/999999999`,
  );
}

function txRequests({ model, wallet, blocks }: TestedChain): DataRequest[] {
  const root = `${chainRoot}/transactions`;
  const kinds = ['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx', 'AddValidatorTx', 'BaseTx,ImportTx'];
  const owners = wallet.keys.map(plainAddress);
  return getAll(
    root,
    `${root}?pageSize=100`,
    `${root}?pageSize=100&sortOrder=asc`,
    ...kinds.map((kind) => `${root}?pageSize=50&txTypes=${kind}`),
    ...timeFilters(blocks).map((times) => `${root}?pageSize=100&${times}`),
    ...owners.map((address) => `${root}?pageSize=100&addresses=${address}`),
    `${root}?pageSize=100&addresses=${owners.join(',')}&txTypes=ExportTx&txTypes=OperationTx&sortOrder=asc`,
    ...model.accepted.map(({ id }) => `${root}/${idText(id)}`),
    `${root}/${idText(localChainParams.blockchainID)}`,
  );
}

function addressRequests({ wallet, blocks }: TestedChain): DataRequest[] {
  const owners = wallet.keys.map(plainAddress);
  const all = owners.join(',');
  const groups = [...owners, owners.slice(0, 3).join(','), all];
  const filters = [
    '',
    '&includeSpent=true',
    '&sortBy=amount',
    '&sortBy=amount&sortOrder=asc&includeSpent=true',
    '&sortOrder=asc&minUtxoAmount=1000000',
    `&assetId=${idText(localChainParams.feeAsset)}`,
  ];
  const times = blocks.filter((_, i) => i % Math.ceil(blocks.length / 5) === 0).map(({ blockTimestamp }) => blockTimestamp);
  const body = JSON.stringify({ addresses: all });
  const activity = `${chainRoot}/lastActivityTimestampByAddresses`;
  const unusedAddress = plainAddress({ address: '00'.repeat(20) as Key['address'] });
  return [
    ...groups.flatMap((addresses) => filters.map((filter) => get(`${chainRoot}/utxos?pageSize=100&addresses=${addresses}${filter}`))),
    ...filters.map((filter) => ({ path: `${chainRoot}/utxos?pageSize=1024${filter}`, body })),
    ...groups.map((addresses) => get(`${chainRoot}/balances?addresses=${addresses}`)),
    ...times.map((time) => get(`${chainRoot}/balances?addresses=${all}&blockTimestamp=${time}`)),
    ...[...groups, unusedAddress].map((addresses) => get(`${activity}?addresses=${addresses}`)),
    { path: activity, body },
    get(`/v1/networks/local/addresses:listChainIds?addresses=${all},${unusedAddress}`),
    get(`${chainRoot}/balances?addresses=${unusedAddress}`),
    get(`${chainRoot}/utxos?addresses=${unusedAddress}`),
  ];
}

const assetRequests = ({ model }: TestedChain): DataRequest[] =>
  [...model.assets.keys(), localChainParams.blockchainID].flatMap((id) => {
    const root = `${chainRoot}/assets/${idText(id)}`;
    return getAll(root, `${root}/transactions?pageSize=100`, `${root}/transactions?txTypes=OperationTx`);
  });

/** Routes that exist but return an explanation instead of data. */
const unsupportedRequests = (): DataRequest[] =>
  getAll(
    `${chainRoot}/vertices`,
    `${chainRoot}/vertices:listByHeight?vertexHeight=1`,
    `${chainRoot}/vertices/${idText(localChainParams.feeAsset)}`,
    `${chainRoot}/transactions:listStaking`,
    '/v1/networks/local',
    '/v1/networks/local/validators',
    '/v1/networks/local/rewards:listPending',
    '/v2/networks/local/metrics/validatorCount',
    '/v1/nothing',
  );

function metricRequests(): DataRequest[] {
  const dependsOnClock = true as const;
  const units = ['hour', 'day', 'week', 'month'];
  return [
    ...getAll('/v2/chains', '/v2/chains?network=mainnet', '/v2/chains/X', '/v2/chains/43114'),
    { path: '/v1/avg_tps/X', dependsOnClock },
    { path: `/v1/avg_tps/${idText(localChainParams.blockchainID)}`, dependsOnClock },
    ...metricNames.flatMap((metric) => [
      ...units.map((unit) => ({ path: `/v2/chains/x-chain/metrics/${metric}?timeInterval=${unit}&pageSize=10`, dependsOnClock })),
      { path: `/v2/chains/x-chain/rollingWindowMetrics/${metric}`, dependsOnClock },
    ]),
    get('/v2/chains/X/metrics/gasUsed'),
  ];
}

/** Time filters: the later half, the earlier half, and a range in the middle. */
function timeFilters(blocks: TestedChain['blocks']): string[] {
  const at = (part: number) => blocks[Math.floor((blocks.length - 1) * part)]?.blockTimestamp ?? 0;
  const [late, middle, early] = [at(0.25), at(0.5), at(0.75)];
  return [`startTimestamp=${middle}`, `endTimestamp=${middle}`, `startTimestamp=${early}&endTimestamp=${late + 1}`];
}
