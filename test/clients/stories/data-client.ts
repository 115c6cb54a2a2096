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
 * The two generations of one client, as their users set them up. Calls do not use the constructor's server, so each one is told `at` where
 * to ask; and 5xx answers are retried for two minutes unless a call is told not to. chainkit reports what it is used for to another host
 * unless telemetry is off.
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

/** Requests name the chain by its alias: the clients know the IDs of public networks only. */
export const onX = { blockchainId: 'x-chain' } as const;

/** Answers are typed as those of any of three chains; these are of X. */
export const txOf = (answer: object) => answer as XChainLinearTransaction;
export const txsOf = ({ result }: { result: object }) => (result as ListXChainTransactionsResponse).transactions.map(txOf);
export const utxosOf = ({ result }: { result: object }): Utxo[] => (result as ListUtxosResponse).utxos;
export const balancesOf = (answer: object): XChainBalances => (answer as ListXChainBalancesResponse).balances;

/** Everything in the pages of a list, as the clients walk them. */
export async function walk<Page, Item>(pages: Promise<AsyncIterable<Page>>, items: (page: Page) => readonly Item[]): Promise<Item[]> {
  const all: Item[] = [];
  for await (const page of await pages) all.push(...items(page));
  return all;
}

/** The same interface without a client: for what the clients cannot read, and to compare with what they made of it. */
export async function rawJson<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

/** The error a call ended with, which must be of this kind. */
export async function failure<E extends Error>(kind: abstract new (...made: never[]) => E, call: Promise<unknown>): Promise<E> {
  const why = await call.then(
    (answer) => new Error(`was not refused: ${JSON.stringify(answer)}`),
    (error) => error,
  );
  if (why instanceof kind) return why;
  throw new Error(`${why.name} instead of ${kind.name}: ${why.message}`);
}
