import { listSchema, UtxoSchema } from './data-schemas.ts';
import {
  AssetDaysSchema,
  AssetSummarySchema,
  AtomicBalancesSchema,
  BalanceHistorySchema,
  BlockSummarySchema,
  BlockTxsSchema,
  DropSchema,
  HoldersSchema,
  IssueMinutesSchema,
  LifecycleSchema,
  MempoolSchema,
  NftGroupSchema,
  NodeHistorySchema,
  SearchSchema,
  ThroughputSchema,
  TransferSchema,
  TxChecksSchema,
  TxLineListSchema,
  TxPositionSchema,
} from './explorer-schemas.ts';
import { route } from './route.ts';
import {
  assetId,
  chainParams,
  chainPath,
  flagOrFalse,
  integerOr,
  maxQueryAddresses,
  outputSort,
  pageParams,
  pageSize,
  pageToken,
  sortOrder,
  timestamp,
  txListStart,
} from './route-params.ts';
import { addresses, heightOrId, id, integerIn, listUpTo, optional, textParam, utxoID } from './schema.ts';

/** Rows that the explorer needs beside the Data API; they are this server's own. Their handlers are in `explorer-routes`. */

/** The longest history of an asset by day. */
export const maxAssetDays = 366;
/** Seconds of the longest window of `getThroughput`, and of `getNodeHistory`. */
export const [throughputWindow, nodeHistoryWindow] = [3600, 86_400];
/** Characters of a search text: a transaction in hex with some thirty inputs fits, and so does a request line. */
const maxSearchText = 8192;

const assetParam = id('Asset ID: the ID of the transaction that created it.');

export const assetListRows = {
  listAssets: route({
    method: 'GET',
    path: `${chainPath}/assets`,
    tag: 'Explorer',
    summary: 'Assets created on the chain, oldest first by default',
    params: {
      ...chainParams,
      afterAssetId: optional(id('Begins behind this asset, in the order of the list. Unlike a pageToken it stays valid.')),
      ...pageParams,
      sortOrder: sortOrder('asc'),
    },
    response: listSchema('ListAssetsResponse', 'assets', AssetSummarySchema),
    cachePolicy: 'block',
  }),
  listAssetHolders: route({
    method: 'GET',
    path: `${chainPath}/assets/{assetId}/holders`,
    tag: 'Explorer',
    summary: 'Addresses that alone own most of an asset, largest first, as of the last block',
    params: {
      ...chainParams,
      assetId: assetParam,
      startRank: integerOr(1, 1, 10_000, 'Begins with the address of this rank.'),
      ...pageParams,
    },
    response: HoldersSchema,
    cachePolicy: 'block',
  }),
  listAssetDays: route({
    method: 'GET',
    path: `${chainPath}/assets/{assetId}/days`,
    tag: 'Explorer',
    summary: 'Transactions with an asset by day, UTC, for up to a year',
    description: 'The last day is that of the last block, or the current one of the chain if that is later; it is not over.',
    params: {
      ...chainParams,
      assetId: assetParam,
      days: integerOr(30, 1, maxAssetDays, 'Number of days.'),
    },
    response: AssetDaysSchema,
    cachePolicy: 'block-and-second',
  }),
  listNftGroups: route({
    method: 'GET',
    path: `${chainPath}/assets/{assetId}/nft-groups`,
    tag: 'Explorer',
    summary: 'Rights to mint NFTs of an asset, by group, and what was minted with them',
    params: { ...chainParams, assetId: assetParam, ...pageParams },
    response: listSchema('ListNftGroupsResponse', 'groups', NftGroupSchema),
    cachePolicy: 'block',
  }),
};

export const blockSummaryRows = {
  listBlockSummaries: route({
    method: 'GET',
    path: `${chainPath}/block-summaries`,
    tag: 'Explorer',
    summary: 'Size, fees and number of transactions by type of blocks, newest first by default',
    params: {
      ...chainParams,
      endBlock: optional(integerIn(0, undefined, 'Up to the block at this height.')),
      ...pageParams,
      sortOrder: sortOrder(),
      withMoved: flagOrFalse('Add up what the transactions of each block move.'),
    },
    response: listSchema('ListBlockSummariesResponse', 'blocks', BlockSummarySchema),
    cachePolicy: 'pinned-page',
  }),
  listBlockTransactions: route({
    method: 'GET',
    path: `${chainPath}/blocks/{blockId}/transactions`,
    tag: 'Explorer',
    summary: 'Transactions of a block in short, in the order of the block',
    params: {
      ...chainParams,
      blockId: { ...heightOrId('A height or a block hash.'), example: '1' },
      pageToken,
      pageSize: pageSize(100, 1000),
    },
    response: BlockTxsSchema,
    cachePolicy: 'block',
  }),
  getTransactionPosition: route({
    method: 'GET',
    path: `${chainPath}/transactions/{txHash}/position`,
    tag: 'Explorer',
    summary: 'Place of a transaction in its block, and its neighbours there',
    params: { ...chainParams, txHash: id('Transaction ID.') },
    response: TxPositionSchema,
    cachePolicy: 'final',
  }),
};

/** The most transactions that `listTransactionSummaries` takes by ID: as many as a page of any list has. */
const maxSummaries = 100;

/** The most transactions of a list that are counted. */
const maxCounted = 10_000;

export const txSummaryRows = {
  listTransactionSummaries: route({
    method: 'GET',
    path: `${chainPath}/transaction-summaries`,
    tag: 'Explorer',
    summary:
      'Who did what, how much of it and to whom, of the latest transactions, of those of addresses or of an asset, or of those with given IDs',
    description: `With txHashes, at most ${maxSummaries}, the answer has those that are accepted, in the given order, on one page; the other filters are ignored. With addresses, assetId is ignored.`,
    params: {
      ...chainParams,
      txHashes: optional(listUpTo(maxSummaries, id('Transaction IDs, separated by commas.'))),
      addresses: optional(addresses(maxQueryAddresses)),
      assetId: optional(id('Only transactions that consume or create outputs of this asset.')),
      countUpTo: integerOr(0, 0, maxCounted, 'Counts all transactions of the list, and those newer than the page, up to so many.'),
      ...txListStart,
      ...pageParams,
      sortOrder: sortOrder(),
    },
    response: TxLineListSchema,
    cachePolicy: 'block',
  }),
};

export const outputRows = {
  getUtxo: route({
    method: 'GET',
    path: `${chainPath}/utxos/{utxoId}`,
    tag: 'Explorer',
    summary: 'One output, spent or not: the transactions that created and spent it are in it',
    params: { ...chainParams, utxoId: utxoID('A UTXO ID, or a transaction ID and the index of the output: `txID:0`.') },
    response: UtxoSchema,
    cachePolicy: 'block-and-second',
  }),
  listSharedUtxos: route({
    method: 'GET',
    path: `${chainPath}/shared-utxos`,
    tag: 'Explorer',
    summary: 'Outputs that addresses own together with others and cannot spend alone, newest first by default',
    description:
      'Outputs of which the addresses are owners, but too few to reach the threshold. The balance and UTXO routes leave them out. Exported outputs are not listed: they left this chain, see /cross-chain/transfers.',
    params: {
      ...chainParams,
      addresses: addresses(maxQueryAddresses),
      assetId,
      includeSpent: flagOrFalse('Include spent outputs.'),
      sortBy: outputSort(),
      ...pageParams,
      sortOrder: sortOrder(),
    },
    response: listSchema('ListSharedUtxosResponse', 'utxos', UtxoSchema),
    cachePolicy: 'pinned-page-or-second',
  }),
};

export const balanceHistoryRows = {
  getBalanceHistory: route({
    method: 'GET',
    path: `${chainPath}/balance-history`,
    tag: 'Explorer',
    summary: 'How the balance of an address in one asset changed, oldest first',
    description:
      'Counts outputs that the address owns alone, locked or not. Without a start, the range starts with the first change. With more changes than maxPoints, balances at evenly spaced blocks are returned.',
    params: {
      ...chainParams,
      addresses: addresses(1, 'One address of the network, with or without X-, P- or C- before it.'),
      assetId: optional(id('The asset; AVAX if absent.')),
      startTimestamp: timestamp('From this time on, in Unix seconds.'),
      endTimestamp: timestamp('Before this time, in Unix seconds.'),
      startBlock: optional(integerIn(0, undefined, 'From the block at this height on. Instead of startTimestamp.')),
      endBlock: optional(integerIn(0, undefined, 'Up to the block at this height. Instead of endTimestamp.')),
      maxPoints: integerOr(1000, 2, 4000, 'Maximum number of points.'),
    },
    response: BalanceHistorySchema,
    cachePolicy: 'block',
  }),
};

export const crossChainRows = {
  getCrossChainBalances: route({
    method: 'GET',
    path: `${chainPath}/cross-chain/balances`,
    tag: 'Explorer',
    summary: 'Amounts in the memory shared with other chains, by direction',
    params: chainParams,
    response: AtomicBalancesSchema,
    cachePolicy: 'block-and-second',
  }),
  listCrossChainTransfers: route({
    method: 'GET',
    path: `${chainPath}/cross-chain/transfers`,
    tag: 'Explorer',
    summary: 'Outputs that moved from or to this chain, with their export and import, newest first by default',
    description: 'An output that another chain exported is listed once this chain has imported it.',
    params: {
      ...chainParams,
      afterUtxoId: optional(utxoID('Begins behind this output, in the order of the list. Unlike a pageToken it stays valid.')),
      ...pageParams,
      sortOrder: sortOrder(),
    },
    response: listSchema('ListCrossChainTransfersResponse', 'transfers', TransferSchema),
    cachePolicy: 'block-and-second',
  }),
};

export const throughputRows = {
  getThroughput: route({
    method: 'GET',
    path: `${chainPath}/throughput`,
    tag: 'Explorer',
    summary: 'Transactions per second by type, for up to an hour, with rates, block fill, fees and latency',
    description:
      'Seconds are those of block times. Latency is the time in milliseconds from issue to acceptance, of the last transactions issued to this node; it is absent if there are none.',
    params: {
      ...chainParams,
      seconds: integerOr(60, 1, throughputWindow, 'Length of the window.'),
    },
    response: ThroughputSchema,
    cachePolicy: 'block-and-second',
  }),
};

export const searchRows = {
  search: route({
    method: 'GET',
    path: `${chainPath}/search`,
    tag: 'Explorer',
    summary: 'Finds what a text names',
    description:
      'A height, also as 3,671 or #61; the ID of a block, transaction, asset or output; the first six or more characters of the ID of a block or transaction; an address in any spelling; a node ID; a part of the symbol or name of an asset; a transaction in hex; a URL of this or of another explorer. ' +
      'An ID or address with one wrong character gets didYouMean.',
    params: { ...chainParams, q: textParam({ description: `At most ${maxSearchText} characters.`, max: maxSearchText }) },
    response: SearchSchema,
    cachePolicy: 'block-and-second',
  }),
};

/** Transactions waiting in the mempool. Only for a chain that this node runs itself. */
export const mempoolRows = {
  listMempool: route({
    method: 'GET',
    path: `${chainPath}/mempool`,
    tag: 'Explorer',
    summary: 'Transactions in the mempool, oldest first',
    description:
      'The mempool changes between two pages: a transaction may be missed or shown twice. A page of large transactions may be shorter than pageSize without being the last.',
    params: { ...chainParams, ...pageParams },
    response: MempoolSchema,
    cachePolicy: 'never',
  }),
};

/** Why a transaction is refused. Only for a chain that this node runs itself. */
export const txCheckRows = {
  getTransactionChecks: route({
    method: 'GET',
    path: `${chainPath}/transactions/{txHash}/checks`,
    tag: 'Explorer',
    summary: 'Every check of a waiting or dropped transaction on the last block, and whether it could be issued now',
    params: { ...chainParams, txHash: id('Transaction ID.') },
    response: TxChecksSchema,
    cachePolicy: 'never',
  }),
};

/** What became of transactions that were issued to this node. */
export const lifecycleRows = {
  listIssueMinutes: route({
    method: 'GET',
    path: `${chainPath}/issue-minutes`,
    tag: 'Explorer',
    summary: 'Transactions issued to this node, by minute of the last hour: refused, dropped, and how long acceptance took',
    description: 'Latency is the time in milliseconds from issue to acceptance; percentiles are at most 5 % off. A revert clears it.',
    params: chainParams,
    response: IssueMinutesSchema,
    cachePolicy: 'never',
  }),
  getNodeHistory: route({
    method: 'GET',
    path: `${chainPath}/node-history`,
    tag: 'Explorer',
    summary: 'What this node did in up to 24 hours: transactions accepted, issued, refused and dropped, blocks, bytes, CPU time and memory',
    description:
      'By the real clock, whatever the clock of the chain says. Kept in memory, so it begins with the start of the node. Buckets of less than a minute are known of the last hour. With --public-api, CPU time, memory and health checks are left out.',
    params: {
      ...chainParams,
      seconds: integerOr(3600, 60, nodeHistoryWindow, 'Length of the window.'),
      bucketSeconds: integerOr(60, 5, 3600, 'Length of the buckets; at least a minute if the window is longer than an hour.'),
    },
    response: NodeHistorySchema,
    cachePolicy: 'never',
  }),
  listDroppedTransactions: route({
    method: 'GET',
    path: `${chainPath}/dropped-transactions`,
    tag: 'Explorer',
    summary: 'The last 10,000 transactions that this node refused or dropped since its start, newest first, with reasons',
    description:
      'The newest have their content, up to 16 MiB in total. A page of large transactions may be shorter than pageSize without being the last.',
    params: { ...chainParams, ...pageParams },
    response: listSchema('ListDroppedTransactionsResponse', 'transactions', DropSchema),
    cachePolicy: 'never',
  }),
  getTransactionLifecycle: route({
    method: 'GET',
    path: `${chainPath}/transactions/{txHash}/lifecycle`,
    tag: 'Explorer',
    summary: 'What became of a transaction: when it was received, verified, refused, dropped or accepted, and why',
    description:
      'Steps are known of the last 10,000 transactions since the start of the node or the last revert; of one that was refused or dropped earlier, only that.',
    params: { ...chainParams, txHash: id('Transaction ID.') },
    response: LifecycleSchema,
    cachePolicy: 'never',
  }),
};
