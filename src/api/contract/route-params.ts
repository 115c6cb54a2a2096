import {
  addresses,
  amount,
  chainName,
  id,
  inBody,
  integerIn,
  type Lists,
  list,
  networkName,
  oneOf,
  optional,
  type Scalar,
  text,
  uuid,
  withDefault,
} from './schema.ts';

/** Parameters that several routes have. A parameter whose name is in the path is there, the others are in the query or in the body. */

export const pageSize = (absent: number, max: number) => optional(withDefault(integerIn(1, max, 'Maximum number of items.'), absent));

/** The page token, which a route must declare under the name `pageToken`. rest/route-runner.ts opens it and passes it to the route as `paging.cursor`. */
export const pageToken = optional(
  uuid('The nextPageToken of the previous page. Valid for 24 hours; with an older token the answer is the first page.'),
);

/** Paging parameters of most lists. */
export const pageParams = { pageToken, pageSize: pageSize(10, 100) };

/** Unix seconds. */
export const timestamp = (description: string) => optional(integerIn(0, undefined, description));
export const startTimestamp = timestamp('From this time on, in Unix seconds.');
export const endTimestamp = timestamp('Before this time, in Unix seconds.');

/** An amount of an asset in its smallest unit, 0 if absent. */
export const amountOrZero = (description: string) => optional(withDefault(amount(description), 0));

export const sortOrder = (absent: 'asc' | 'desc' = 'desc') => choice(['asc', 'desc'], absent, 'Order of the items.');

/** What a list of outputs is sorted by. */
export const outputSort = () => choice(['timestamp', 'amount'], 'timestamp', 'Outputs with equal values are sorted by ID.');

/** Where a list of transactions begins, in place of a page token: these do not expire, and new blocks do not move them. */
export const txListStart = {
  afterTxHash: optional(
    id('Begins behind this transaction, in the order of the list. Unlike a pageToken it stays valid. Only of this server.'),
  ),
  endBlock: optional(integerIn(0, undefined, 'Up to the block at this height. Only of this server.')),
};

/** One of the given values, or the default. */
export const choice = <const V extends string>(values: readonly V[], absent: NoInfer<V>, description: string) =>
  optional(withDefault(oneOf(values, description), absent));

/** Several of the given values: the key repeated, or one text with commas. Duplicates are dropped. */
export const choices = <const V extends string>(values: readonly V[], description?: string) => optional(list(oneOf(values), description));

/** true or false, 1 or 0; false if absent. */
export const flagOrFalse = (description: string) =>
  optional(withDefault({ kind: 'flag', description } as const satisfies Scalar<'flag'>, false));

/** An integer within bounds, or the default. */
export const integerOr = (absent: number, min: number, max: number, description: string) =>
  optional(withDefault(integerIn(min, max, description), absent));

/** Only this asset. */
export const assetId = optional(id('Only this asset: its CB58 id.'));

/** Maximum number of addresses in a query, and in a body. */
export const maxQueryAddresses = 64;
const maxBodyAddresses = 1024;

/** Addresses in the body of a POST: `{"addresses": "a,b,c"}`. */
export const bodyAddresses: Lists<'addresses'> = inBody(addresses(maxBodyAddresses));

export const networkParam = networkName(
  'The network of this server: its name (local, fuji, mainnet) or its number. A private network also accepts fuji and testnet.',
  'local',
);

const blockchainParam = chainName('A chain of this server: x-chain, or another one by its alias or blockchain ID.', 'x-chain');

/** The path parameters that select a chain. */
export const chainParams = { network: networkParam, blockchainId: blockchainParam };

/** The path prefix of all routes about one chain. */
export const chainPath = '/v1/networks/{network}/blockchains/{blockchainId}';

/** Any text for each parameter in a path. */
export const textsInPath = (path: string): { readonly [name: string]: Scalar<'text'> } =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, text()]));
