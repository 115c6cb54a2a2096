import type { Address } from '../../base/bytes/address.ts';
import { bech32Encode } from '../../base/bytes/bech32.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import { findMismatches } from '../contract/schema-mismatches.fixture.ts';
import { paramContextFor } from '../rest/chain-name.ts';
import { createApi } from '../rest/dispatch.ts';
import { createSender, findErrorProblem, type ParsedResponse, type RequestOptions, testApiOptions } from '../rest/requests.fixture.ts';
import { bindRoutes } from '../rest/route.ts';
import type { ServedChains } from '../rest/served-chains.ts';
import { createDataDeps } from './deps.ts';
import type { RecoverPublicKey } from './public-key-cache.ts';
import { dataRoutes } from './routes.ts';
import { txs } from './sample-chain.fixture.ts';

/** A response, and where it does not match the schema of its route. */
type CheckedResponse = ParsedResponse & { readonly mismatches: readonly string[] };
export type SendDataRequest = ((target: string, sent?: RequestOptions) => Promise<CheckedResponse>) & {
  /** Ids of the routes that have answered with status 200. */
  readonly answeredRoutes: ReadonlySet<string>;
};

type ClientOptions = { readonly recover?: RecoverPublicKey; readonly logError?: (error: unknown) => void; readonly epoch?: () => number };

/** Sends requests to the Data API routes and checks every response against the schema of its route. */
export function createDataApiClient(served: ServedChains, { recover, logError, epoch = () => 0 }: ClientOptions = {}): SendDataRequest {
  const routes = dataRoutes();
  const answeredRoutes = new Set<string>();
  let id: string | undefined;
  const ask = createSender(
    createApi({
      ...testApiOptions,
      routes: bindRoutes('data', routes, createDataDeps(served, { recover, epoch })),
      context: paramContextFor(served),
      epoch,
      now: served.now,
      origin: () => 'http://here',
      onUnexpectedError: logError ?? testApiOptions.onUnexpectedError,
      observer: {
        now: () => 0,
        onResponse: (route) => {
          id = route?.route.id;
        },
      },
    }),
  );
  const send = async (target: string, sent?: RequestOptions): Promise<CheckedResponse> => {
    const got = await ask(target, sent);
    const route = routes.find((candidate) => candidate.id === id);
    if (got.status !== 200) return { ...got, mismatches: [findErrorProblem(got) ?? []].flat() };
    if (route === undefined) return { ...got, mismatches: ['no route'] };
    answeredRoutes.add(route.id);
    return { ...got, mismatches: findMismatches(route.response, got.json, { strict: true }) };
  };
  return Object.assign(send, { answeredRoutes });
}

export const addressText = (address: Address): string => bech32Encode('local', fromHex(address));

export const networkPath = '/v1/networks/local';
export const xChainPath = `${networkPath}/blockchains/x-chain`;

/** Asset properties shown with every amount, for the assets of the sample chain. */
export const sampleLabels = {
  avax: { assetId: idText(txs.avax.id), name: 'Avalanche', symbol: 'AVAX', denomination: 9, type: 'secp256k1' },
  coin: { assetId: idText(txs.coin.id), name: 'Coin', symbol: 'COIN', denomination: 2, type: 'secp256k1' },
  family: { assetId: idText(txs.family.id), name: 'Family', symbol: 'FAM', denomination: 0, type: 'nft' },
} as const;

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
export type AnyJson = any;

/** Returns the JSON of a valid response; otherwise the whole response, so that the test fails with it. */
export const jsonReader =
  (ask: SendDataRequest) =>
  async (target: string, sent?: RequestOptions): Promise<AnyJson> => {
    const response = await ask(target, sent);
    return response.status === 200 && response.mismatches.length === 0 ? response.json : response;
  };

/** Returns status and message of a well-formed error. */
export const errorReader =
  (ask: SendDataRequest) =>
  async (target: string, sent?: RequestOptions): Promise<{ readonly status: number; readonly message: string | readonly string[] }> => {
    const { status, json, mismatches } = await ask(target, sent);
    return { status, message: status === 200 || mismatches.length > 0 ? [...mismatches, 'not an error'] : json.message };
  };

/** Reads all pages of a list and returns their items. */
export async function readAllPages(ask: SendDataRequest, target: string, name: string, sent?: RequestOptions): Promise<AnyJson[]> {
  const items: unknown[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: CheckedResponse = await ask(token === '' ? target : `${target}&pageToken=${token}`, sent);
    if (page.status !== 200 || page.mismatches.length > 0) return [page];
    items.push(...page.json[name]);
    token = page.json.nextPageToken;
  }
  return items;
}
