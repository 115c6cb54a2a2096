/**
 * When the entries of a cache die: never (what they hold cannot change), at the next commit, or at a revert. Every entry can be evicted at any
 * time, to make room for others.
 */
type CacheLife = 'never' | 'commit' | 'revert';

/** A row of the table of caches. The share is of the bytes that the caches of one process have, in 1/1024. */
type CacheRow = {
  readonly share: number;
  readonly holds: string;
  readonly dies: CacheLife;
  /** Its keys are text from outside, which may be a piece of a request: they are copied. */
  readonly copiesKeys?: true;
  /** It holds rows that the next blocks change. */
  readonly ofWriter?: true;
};

const rows = <N extends string>(table: { readonly [K in N]: CacheRow }): { readonly [K in N]: CacheRow } => table;

/** All caches of a process. A cache can be created only by a name of this table. The shares add up to 1024. */
export const cacheTable = rows({
  databasePages: { share: 86, holds: "pages of the database file (SQLite's own cache)", dies: 'never' },
  pieces: { share: 86, holds: 'Data: JSON of one transaction, output or block, from which pages are joined', dies: 'revert' },
  responses: { share: 32, holds: 'Data, Metrics: answers that depend on the last block', dies: 'commit', copiesKeys: true },
  finalResponses: {
    share: 16,
    holds: 'Data: answers that no later block changes: a block, a page of a pinned listing',
    dies: 'revert',
    copiesKeys: true,
  },
  requestedKeys: {
    share: 4,
    holds: 'Data, Metrics: hashes of requests, so that a large answer is cached when it is requested again',
    dies: 'never',
  },
  requests: { share: 22, holds: 'Data, Metrics: parsed paths and queries', dies: 'never', copiesKeys: true },
  points: { share: 22, holds: 'Metrics: texts of hours, days, weeks and months that are over', dies: 'revert', copiesKeys: true },
  assetDays: { share: 3, holds: 'explorer: transactions of an asset on days that are over', dies: 'revert' },
  amountLists: { share: 128, holds: 'Data: the next outputs of lists by amount', dies: 'revert' },
  holders: { share: 14, holds: 'explorer: the largest holders of assets, by asset', dies: 'revert' },
  assetLabels: { share: 12, holds: 'Data: name, symbol and denomination of assets', dies: 'never' },
  publicKeys: { share: 118, holds: 'Data: public keys of owners as text', dies: 'never' },
  addressTexts: { share: 101, holds: 'addresses as text', dies: 'never' },
  parsedAddresses: { share: 20, holds: 'addresses in requests, decoded', dies: 'never', copiesKeys: true },
  idTexts: { share: 24, holds: 'IDs as text', dies: 'never' },
  parsedIds: { share: 22, holds: 'IDs in requests, decoded', dies: 'never', copiesKeys: true },
  transactions: { share: 32, holds: 'Node RPC: JSON of transactions, blocks and assets', dies: 'revert' },
  balances: { share: 40, holds: 'Node RPC: JSON of balances, by the revision of the balance', dies: 'revert' },
  results: { share: 11, holds: 'Node RPC: short results', dies: 'commit' },
  params: { share: 16, holds: 'Node RPC: parsed parameters', dies: 'never', copiesKeys: true },
  events: { share: 12, holds: 'rendered events of the last blocks', dies: 'revert' },
  recentBlocks: { share: 8, holds: 'the last accepted blocks with the outputs they spent, for events', dies: 'revert' },
  unspentOutputs: { share: 40, holds: 'writer: unspent outputs with their rows', dies: 'revert', ofWriter: true },
  outputTxs: { share: 24, holds: 'transactions whose outputs are spent or listed, with verified bytes', dies: 'revert' },
  pageEnds: { share: 4, holds: 'Node RPC: numbers of outputs at which pages of `getUTXOs` ended, by their IDs', dies: 'revert' },
  decodedTxs: { share: 4, holds: 'transactions read from the database, decoded', dies: 'revert' },
  assets: { share: 2, holds: 'feature extensions of assets, for the rules', dies: 'revert' },
  balanceRows: { share: 28, holds: 'writer: current balances of addresses', dies: 'revert', ofWriter: true },
  indexRows: { share: 28, holds: 'writer: rows of holders and assets that the next block changes', dies: 'revert', ofWriter: true },
  blobs: { share: 30, holds: 'writer: addresses and IDs as bytes of a column', dies: 'never', ofWriter: true },
  signers: { share: 16, holds: 'signers by hash and signature', dies: 'never' },
  signerKeys: { share: 12, holds: 'public keys of recovered signers, for the index', dies: 'never', ofWriter: true },
  apiKeys: { share: 2, holds: 'lookups of API keys, used for half a second', dies: 'never' },
  pageKeys: { share: 1, holds: 'keys of page tokens by epoch and day', dies: 'never' },
  describedAssets: { share: 1, holds: 'symbols of assets in the log and in `serac tail`', dies: 'never' },
  exports: { share: 3, holds: 'follow: outputs that P and C exported', dies: 'never' },
});

export type CacheName = keyof typeof cacheTable;

/** The sum of all shares. */
export const allShares = 1024;
