import { AvaCloudSDK } from '@avalabs/avacloud-sdk';
import * as avacloudErrors from '@avalabs/avacloud-sdk/models/errors';
import { Avalanche, type SDKOptions } from '@avalanche-sdk/chainkit';
import type {
  ListUtxosResponse,
  ListXChainBalancesResponse,
  ListXChainTransactionsResponse,
  Utxo,
  XChainBalances,
  XChainLinearTransaction,
} from '@avalanche-sdk/chainkit/models/components';
import * as chainkitErrors from '@avalanche-sdk/chainkit/models/errors';

/**
 * The two SDKs, configured as by their users. Calls ignore the server of the constructor, so `at` is passed to each call. It also turns off
 * retries, which would repeat 5xx responses for two minutes. chainkit reports its usage to another host unless telemetry is off.
 */
export type Chainkit = ReturnType<typeof openChainkit>;
export type Avacloud = ReturnType<typeof openAvacloud>;
export type DataClient = Chainkit | Avacloud;

export function openChainkit(url: string, options: Pick<SDKOptions, 'apiKey' | 'network' | 'httpClient'> = {}) {
  const { data, metrics } = new Avalanche({ network: 'fuji', enableTelemetry: false, ...options });
  const { BadRequestError, NotFoundError, ResponseValidationError } = chainkitErrors;
  const errors = { bad: BadRequestError, missing: NotFoundError, unreadable: ResponseValidationError };
  return { data, metrics, errors, at: { serverURL: url, retries: { strategy: 'none' } } } as const;
}

export function openAvacloud(url: string) {
  const { data, metrics } = new AvaCloudSDK({ network: 'fuji', serverURL: url });
  const { BadRequest, NotFound, ResponseValidationError } = avacloudErrors;
  const errors = { bad: BadRequest, missing: NotFound, unreadable: ResponseValidationError };
  return { data, metrics, errors, at: { serverURL: url, retries: { strategy: 'none' } } } as const;
}

/** Requests name the chain by its alias, because the clients accept only the IDs of public networks. */
export const onX = { blockchainId: 'x-chain' } as const;

/** The types of responses cover three chains; these functions narrow them to the X-Chain. */
export const txOf = (answer: object) => answer as XChainLinearTransaction;
export const txsOf = ({ result }: { result: object }) => (result as ListXChainTransactionsResponse).transactions.map(txOf);
export const utxosOf = ({ result }: { result: object }): Utxo[] => (result as ListUtxosResponse).utxos;
export const balancesOf = (answer: object): XChainBalances => (answer as ListXChainBalancesResponse).balances;

/** Returns the items of all pages of a list, read with the client's iterator. */
export async function readAllPages<Page, Item>(
  pages: Promise<AsyncIterable<Page>>,
  items: (page: Page) => readonly Item[],
): Promise<Item[]> {
  const all: Item[] = [];
  for await (const page of await pages) all.push(...items(page));
  return all;
}

/** Sends a request without a client: for responses that the clients cannot read, and to compare with theirs. */
export async function rawJson<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

/** Returns the error of a call; throws if the call succeeds or the error is of another type. */
export async function expectError<E extends Error>(kind: abstract new (...made: never[]) => E, call: Promise<unknown>): Promise<E> {
  const why = await call.then(
    (answer) => new Error(`the call succeeded: ${JSON.stringify(answer)}`),
    (error) => error,
  );
  if (why instanceof kind) return why;
  throw new Error(`${why.name} instead of ${kind.name}: ${why.message}`);
}
