import { addressWriter } from '../src/bytes/address.ts';
import { idText } from '../src/bytes/id.ts';
import { metricNames } from '../src/stats/metric.ts';
import { parseExact } from './exact-json.ts';
import type { Client } from './http.ts';
import type { Model } from './ledger-model.ts';
import { type Key, localTerms, type Wallet } from './wallet-kit.ts';

/** One question to the Data or the Metrics interface. */
export type Question = {
  readonly path: string;
  /** Of a POST. */
  readonly body?: string;
  /** Its answer looks at the clock: asked a second later it may be another. */
  readonly clock?: true;
};

/** A chain that has come to rest, as far as questions about it need it. */
export type AskedChain = {
  readonly model: Model;
  readonly wallet: Wallet;
  readonly blocks: readonly { readonly blockNumber: string; readonly blockHash: string; readonly blockTimestamp: number }[];
};

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
export type Json = any;
export type Told = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly json: Json };

export const chainRoot = '/v1/networks/local/blockchains/x-chain';

/** Addresses as the interfaces write them. */
export const plainAddress = ({ address }: Pick<Key, 'address'>): string => addressWriter('X', 'local')(address).slice(2);

export async function ask(client: Client, { path, body }: Question, headers: Record<string, string> = {}): Promise<Told> {
  const answer =
    body === undefined
      ? await client.send('GET', path, headers)
      : await client.send('POST', path, { ...headers, 'content-type': 'application/json' }, body);
  return { status: answer.status, headers: answer.headers, json: parseExact(answer.text) };
}

/** Every page of a listing to its end, from one client after the other. */
export async function pagesOf(clients: readonly Client[], question: Question): Promise<Json[]> {
  const pages: Json[] = [];
  for (let token: string | undefined, at = 0; at === 0 || token !== undefined; at++) {
    const mark = question.path.includes('?') ? '&' : '?';
    const path = token === undefined ? question.path : `${question.path}${mark}pageToken=${token}`;
    const { status, json } = await ask(clients[at % clients.length] as Client, { ...question, path });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
    pages.push(json);
    if (pages.length > mostPages) throw new Error(`${question.path}: does not end`);
    token = json.nextPageToken;
  }
  return pages;
}

const mostPages = 10_000;

/** All the items of a listing, whatever they are called. */
export const itemsOf = (pages: readonly Json[]): Json[] =>
  pages.flatMap((page) => page.blocks ?? page.transactions ?? page.utxos ?? page.blockchains ?? page.results ?? []);

/** Every route, with parameters that mean something on this chain, and some that do not. */
export const questions = (chain: AskedChain): Question[] => [
  ...aboutChains(),
  ...aboutBlocks(chain),
  ...aboutTxs(chain),
  ...aboutHolders(chain),
  ...aboutAssets(chain),
  ...notHere(),
  ...aboutMetrics(),
];

const get = (path: string): Question => ({ path });
const getAll = (...paths: string[]): Question[] => paths.map(get);

function aboutChains(): Question[] {
  const networks = '/v1/networks/local/blockchains';
  const ids = ['x-chain', 'X', 'p-chain', 'c-chain', idText(localTerms.blockchainID), 'nothing'].map((id) => `${networks}/${id}`);
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

function aboutBlocks({ blocks }: AskedChain): Question[] {
  const some = blocks.filter((_, i) => i % Math.ceil(blocks.length / 10) === 0);
  return getAll(
    `${chainRoot}/blocks`,
    `${chainRoot}/blocks?pageSize=100`,
    ...timesOf(blocks).map((times) => `${chainRoot}/blocks?pageSize=100&${times}`),
    ...some.flatMap(({ blockNumber, blockHash }) => [`${chainRoot}/blocks/${blockNumber}`, `${chainRoot}/blocks/${blockHash}`]),
    `${chainRoot}/blocks/999999999`,
  );
}

function aboutTxs({ model, wallet, blocks }: AskedChain): Question[] {
  const root = `${chainRoot}/transactions`;
  const kinds = ['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx', 'AddValidatorTx', 'BaseTx,ImportTx'];
  const owners = wallet.keys.map(plainAddress);
  return getAll(
    root,
    `${root}?pageSize=100`,
    `${root}?pageSize=100&sortOrder=asc`,
    ...kinds.map((kind) => `${root}?pageSize=50&txTypes=${kind}`),
    ...timesOf(blocks).map((times) => `${root}?pageSize=100&${times}`),
    ...owners.map((address) => `${root}?pageSize=100&addresses=${address}`),
    `${root}?pageSize=100&addresses=${owners.join(',')}&txTypes=ExportTx&txTypes=OperationTx&sortOrder=asc`,
    ...model.accepted.map(({ id }) => `${root}/${idText(id)}`),
    `${root}/${idText(localTerms.blockchainID)}`,
  );
}

function aboutHolders({ wallet, blocks }: AskedChain): Question[] {
  const owners = wallet.keys.map(plainAddress);
  const all = owners.join(',');
  const groups = [...owners, owners.slice(0, 3).join(','), all];
  const filters = [
    '',
    '&includeSpent=true',
    '&sortBy=amount',
    '&sortBy=amount&sortOrder=asc&includeSpent=true',
    '&sortOrder=asc&minUtxoAmount=1000000',
    `&assetId=${idText(localTerms.feeAsset)}`,
  ];
  const times = blocks.filter((_, i) => i % Math.ceil(blocks.length / 5) === 0).map(({ blockTimestamp }) => blockTimestamp);
  const body = JSON.stringify({ addresses: all });
  const activity = `${chainRoot}/lastActivityTimestampByAddresses`;
  const stranger = plainAddress({ address: '00'.repeat(20) as Key['address'] });
  return [
    ...groups.flatMap((addresses) => filters.map((filter) => get(`${chainRoot}/utxos?pageSize=100&addresses=${addresses}${filter}`))),
    ...filters.map((filter) => ({ path: `${chainRoot}/utxos?pageSize=1024${filter}`, body })),
    ...groups.map((addresses) => get(`${chainRoot}/balances?addresses=${addresses}`)),
    ...times.map((time) => get(`${chainRoot}/balances?addresses=${all}&blockTimestamp=${time}`)),
    ...[...groups, stranger].map((addresses) => get(`${activity}?addresses=${addresses}`)),
    { path: activity, body },
    get(`/v1/networks/local/addresses:listChainIds?addresses=${all},${stranger}`),
    get(`${chainRoot}/balances?addresses=${stranger}`),
    get(`${chainRoot}/utxos?addresses=${stranger}`),
  ];
}

const aboutAssets = ({ model }: AskedChain): Question[] =>
  [...model.assets.keys(), localTerms.blockchainID].flatMap((id) => {
    const root = `${chainRoot}/assets/${idText(id)}`;
    return getAll(root, `${root}/transactions?pageSize=100`, `${root}/transactions?txTypes=OperationTx`);
  });

/** Routes that say why they have nothing. */
const notHere = (): Question[] =>
  getAll(
    `${chainRoot}/vertices`,
    `${chainRoot}/vertices:listByHeight?vertexHeight=1`,
    `${chainRoot}/vertices/${idText(localTerms.feeAsset)}`,
    `${chainRoot}/transactions:listStaking`,
    '/v1/networks/local',
    '/v1/networks/local/validators',
    '/v1/networks/local/rewards:listPending',
    '/v2/networks/local/metrics/validatorCount',
    '/v1/nothing',
  );

function aboutMetrics(): Question[] {
  const clock = true as const;
  const units = ['hour', 'day', 'week', 'month'];
  return [
    ...getAll('/v2/chains', '/v2/chains?network=mainnet', '/v2/chains/X', '/v2/chains/43114'),
    { path: '/v1/avg_tps/X', clock },
    { path: `/v1/avg_tps/${idText(localTerms.blockchainID)}`, clock },
    ...metricNames.flatMap((metric) => [
      ...units.map((unit) => ({ path: `/v2/chains/x-chain/metrics/${metric}?timeInterval=${unit}&pageSize=10`, clock })),
      { path: `/v2/chains/x-chain/rollingWindowMetrics/${metric}`, clock },
    ]),
    get('/v2/chains/X/metrics/gasUsed'),
  ];
}

/** From the middle on, up to the middle, and a piece between. */
function timesOf(blocks: AskedChain['blocks']): string[] {
  const at = (part: number) => blocks[Math.floor((blocks.length - 1) * part)]?.blockTimestamp ?? 0;
  const [late, middle, early] = [at(0.25), at(0.5), at(0.75)];
  return [`startTimestamp=${middle}`, `endTimestamp=${middle}`, `startTimestamp=${early}&endTimestamp=${late + 1}`];
}
