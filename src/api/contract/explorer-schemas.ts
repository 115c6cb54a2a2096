import {
  AssetAmountSchema,
  assetDetails,
  assetStatus,
  ChainInfoSchema,
  historySchema,
  mayBeImported,
  nextPageTokenSchema,
  txContent,
  txTypeSchema,
  unixSeconds,
} from './data-schemas.ts';
import { anyObject, flag, integer, list, number, object, oneOf, optional, text } from './schema.ts';
import { TxCountsSchema, TxSummarySchema } from './tx-summary.ts';

/** Response schemas of the explorer routes, which are this server's own. */

const assetCounts = {
  holders: integer('Addresses that alone own some of it, locked or not.'),
  heldSupply: text('Units that these addresses own; the rest of the units has several owners.'),
  minted: text('Units ever created on this chain: with the asset and by mint operations.'),
  mintedNfts: text('NFTs and properties ever created on this chain.'),
};

export const AssetSummarySchema = object('AssetSummary', { ...assetDetails, ...assetStatus, ...assetCounts });

export const HoldersSchema = object('ListAssetHoldersResponse', {
  nextPageToken: optional(nextPageTokenSchema),
  assetId: text(),
  ...assetCounts,
  holderList: list(
    object('AssetHolder', {
      rank: integer('From 1.'),
      address: text(),
      amount: text('Units.'),
      nfts: integer('NFTs and properties.'),
    }),
    'Largest first; at most the 10,000 largest.',
  ),
  chainInfo: ChainInfoSchema,
  ...historySchema,
});

export const BalanceHistorySchema = object('BalanceHistory', {
  address: text(),
  assetId: text(),
  isSampled: flag('True if there were more changes than maxPoints: the balances are exact, but changes between them are left out.'),
  points: list(
    object('BalancePoint', {
      blockNumber: text(),
      timestamp: unixSeconds('Time of the block'),
      amount: text('Units after the block, locked or not, in outputs that the address owns alone.'),
      nfts: integer('NFTs and properties after the block.'),
    }),
    'Oldest first. The first is the balance at the start of the range; each of the others differs from the one before it.',
  ),
  chainInfo: ChainInfoSchema,
  ...historySchema,
});

export const NftGroupSchema = object('NftGroup', {
  groupId: integer(),
  utxoId: text('The output that allows minting.'),
  addresses: list(text(), 'Owners that may mint, or have minted.'),
  threshold: integer(),
  timestamp: unixSeconds('When the right to mint was created'),
  minted: optional(
    object('NftMint', {
      txHash: text(),
      timestamp: unixSeconds('When it was minted'),
      count: integer('Number of NFTs minted.'),
      payload: text('0x and hex.'),
      utxoId: optional(text('The first of the minted outputs.')),
    }),
  ),
});

const blockCounts = {
  txCount: integer(),
  txCountByType: TxCountsSchema,
  bytes: integer('Size of the blocks in bytes.'),
  burned: text('Burned fees, in the smallest unit.'),
};

export const BlockSummarySchema = object('BlockSummary', {
  blockNumber: text(),
  blockHash: text(),
  blockTimestamp: unixSeconds('Its time'),
  ...blockCounts,
  fill: number('Its size divided by the size at which a block is full, 131,072 bytes.'),
  moved: optional(
    list(
      object('MovedAmount', {
        assetId: text(),
        amount: text('In the smallest unit.'),
        symbol: text('Empty if this server does not know the asset.'),
        denomination: integer('Number of decimal places.'),
      }),
      'What its transactions move to other owners or chains or create, by asset, that of the fee first, at most 3. Only with withMoved; absent for blocks with too many transactions to add up in one request.',
    ),
  ),
  movedAssetCount: optional(integer('All assets that it moves.')),
});

export const BlockTxsSchema = object('ListBlockTransactionsResponse', {
  nextPageToken: optional(nextPageTokenSchema),
  blockNumber: text(),
  blockHash: text(),
  txCount: integer(),
  transactions: list(
    object('BlockTransaction', {
      index: integer('Place in the block, from 0.'),
      txHash: text(),
      txType: txTypeSchema,
      sizeBytes: integer(),
      burned: text('Burned fee, in the smallest unit.'),
      moved: text('What it moves of the fee asset to other owners or chains, in the smallest unit.'),
      inputCount: integer('Outputs that it consumes.'),
      outputCount: integer('Outputs that it creates, exported ones included.'),
      summary: TxSummarySchema,
    }),
  ),
  chainInfo: ChainInfoSchema,
  ...historySchema,
});

/** A transaction in short, for lists. */
export const TxLineSchema = object('TransactionLine', {
  txHash: text(),
  txType: txTypeSchema,
  blockNumber: text(),
  timestamp: unixSeconds('Time of its block'),
  summary: TxSummarySchema,
});

export const TxLineListSchema = object('ListTransactionSummariesResponse', {
  nextPageToken: optional(nextPageTokenSchema),
  transactions: list(TxLineSchema),
  totalCount: optional(integer('Transactions of the whole list. Absent without countUpTo, or if there are more.')),
  newerCount: optional(integer('Those that are newer than all of this page. Absent without countUpTo, or if there are more.')),
  chainInfo: ChainInfoSchema,
  ...historySchema,
});

export const TxPositionSchema = object('TransactionPosition', {
  txHash: text(),
  blockNumber: text(),
  blockHash: text(),
  txCount: integer('Transactions in the block.'),
  index: optional(integer('Place in the block, from 0. Absent for a transaction of the genesis, which is in no block.')),
  previousTxHash: optional(text('The transaction before it in the block.')),
  nextTxHash: optional(text('The transaction after it in the block.')),
});

const percentiles = { p50: number(), p90: number(), p99: number(), max: number() };

export const ThroughputSchema = object('Throughput', {
  endTimestamp: unixSeconds('The current second of the chain, which is not over'),
  windowSeconds: integer(),
  lastBlockNumber: text('The last block that is counted.'),
  figures: object('ThroughputFigures', {
    tps: number('Mean of the last five full seconds.'),
    meanTps: number('Of the whole window.'),
    peakTps: integer('Most transactions in one second of the window.'),
    blockCount: integer(),
    meanBlockFill: number('Mean size of the blocks divided by the size at which a block is full, 131,072 bytes.'),
    ...blockCounts,
    latency: optional(
      object('AcceptanceLatency', {
        count: integer('Number of measured transactions: the newest that were issued to this node, at most 4,096.'),
        ...percentiles,
      }),
    ),
  }),
  seconds: list(
    object('ThroughputSecond', { timestamp: unixSeconds('The second'), blockCount: integer(), ...blockCounts }),
    'Oldest first. Seconds without blocks are left out.',
  ),
  chainInfo: ChainInfoSchema,
});

export const IssueMinutesSchema = object('IssueMinutes', {
  endTimestamp: unixSeconds('Start of the current minute of the real clock, which is not over'),
  minutes: list(
    object('IssueMinute', {
      timestamp: unixSeconds('Start of the minute, by the real clock'),
      refused: integer('Not admitted to the mempool.'),
      dropped: integer('Left the mempool without being accepted.'),
      latency: optional(
        object('MinuteLatency', {
          count: integer('Transactions that were issued to this node and accepted in this minute.'),
          ...percentiles,
        }),
      ),
    }),
    'Oldest first, at most 60. Minutes in which nothing happened are left out.',
  ),
  chainInfo: ChainInfoSchema,
});

export const NodeHistorySchema = object('NodeHistory', {
  startTimestamp: unixSeconds('When this node was started, by the real clock: it knows nothing from before'),
  endTimestamp: unixSeconds('The current second of the real clock'),
  bucketSeconds: integer('Length of the buckets.'),
  buckets: list(
    object('NodeHistoryBucket', {
      timestamp: unixSeconds('Start of the bucket, by the real clock'),
      seconds: number('Seconds that were counted: divide by them for a rate.'),
      txCount: integer('Transactions accepted.'),
      blockCount: integer('Blocks accepted.'),
      bytes: integer('Bytes of these blocks.'),
      issued: integer('Transactions issued to this node.'),
      refused: integer('Not admitted to the mempool.'),
      dropped: integer('Left the mempool without being accepted.'),
      meanLatency: optional(number('Mean milliseconds from issue to acceptance, of those issued to this node and accepted in the bucket.')),
      mempoolTxCount: integer('The most transactions that waited.'),
      cpuSeconds: optional(number('CPU time of the process.')),
      residentBytes: optional(integer('The most resident memory of the process.')),
    }),
    'Oldest first. Time in which the node did not run, or was held up, has none.',
  ),
  checks: optional(
    list(
      object('HealthCheckSince', { name: text(), since: unixSeconds('Since when it passes, or fails, by the clock of its results') }),
      'The health checks of the node.',
    ),
  ),
  chainInfo: ChainInfoSchema,
});

export const AssetDaysSchema = object('AssetDays', {
  assetId: text(),
  isComplete: flag(
    'False if older days would have cost too much to count in one request: they are left out, unless a later request adds them.',
  ),
  days: list(
    object('AssetDay', { timestamp: unixSeconds('Start of the day, UTC'), txCount: integer('Transactions with the asset.') }),
    'Oldest first.',
  ),
  chainInfo: ChainInfoSchema,
  ...historySchema,
});

const reason = object('RefusalReason', {
  code: text('See docs/reference/errors.md.'),
  message: text(),
  data: anyObject('The code and the values in the message.'),
});

const pendingTx = {
  txHash: text(),
  sizeBytes: integer(),
  burned: text('The fee and what the sender leaves over, in the smallest unit.'),
  summary: TxSummarySchema,
  ...txContent,
};

const milliseconds = (what: string) => number(`${what}, in Unix milliseconds of the real clock.`);

export const MempoolSchema = object('ListMempoolResponse', {
  nextPageToken: optional(nextPageTokenSchema),
  txCount: integer('All transactions in the mempool.'),
  bytes: integer('Their size.'),
  transactions: list(
    object('MempoolTransaction', {
      receivedAt: optional(milliseconds('When it entered the mempool')),
      ...pendingTx,
    }),
  ),
  chainInfo: ChainInfoSchema,
  ...historySchema,
});

const PendingTxSchema = object('PendingTransaction', pendingTx);

export const DropSchema = object('DroppedTransaction', {
  number: integer('Counts up; a larger number is newer.'),
  txHash: text(),
  txType: txTypeSchema,
  sizeBytes: integer(),
  droppedAt: milliseconds('When'),
  stage: oneOf(['refused', 'dropped'], 'refused: not admitted to the mempool. dropped: it left the mempool.'),
  reason,
  transaction: optional(PendingTxSchema),
});

export const LifecycleSchema = object('TransactionLifecycle', {
  txHash: text(),
  status: text('Accepted, Processing, Rejected or Unknown, as avm.getTxStatus returns it.'),
  steps: list(
    object('LifecycleStep', {
      step: oneOf(['received', 'verified', 'pooled', 'refused', 'dropped', 'accepted']),
      time: milliseconds('When'),
      blockNumber: optional(text()),
      blockHash: optional(text()),
      reason: optional(reason),
    }),
  ),
  transaction: optional(PendingTxSchema),
});

export const TxChecksSchema = object('TransactionChecks', {
  txHash: text(),
  hex: text('The transaction, 0x and hex without checksum: for avm.issueTx with the encoding hexnc.'),
  isIssuable: flag('Whether it could be issued now.'),
  refusal: optional(reason),
  checks: list(
    object('TransactionCheck', {
      rule: text(),
      path: optional(text('The part of the transaction; absent if the check is about all of it.')),
      result: oneOf(['pass', 'fail', 'not-run'], 'not-run: a check before it failed, so it could not run.'),
      code: optional(text('See docs/reference/errors.md.')),
      message: optional(text()),
      values: anyObject('The values that were compared.'),
    }),
    'In the order of verification.',
  ),
});

const AtomicBalanceSchema = object('CrossChainBalance', {
  chainId: text('The other chain.'),
  utxoCount: integer(),
  amounts: list(AssetAmountSchema),
  mayBeImported,
});

export const AtomicBalancesSchema = object('CrossChainBalances', {
  outbound: list(AtomicBalanceSchema, 'Exported by this chain and not yet imported by the other.'),
  inbound: optional(
    list(AtomicBalanceSchema, 'Exported by another chain and not yet imported here. Absent if this server does not run the chain itself.'),
  ),
  isComplete: flag('False if there are more than 10,000 outputs in a direction; the sums then cover the oldest of them.'),
  chainInfo: ChainInfoSchema,
});

export const TransferSchema = object('CrossChainTransfer', {
  utxoId: text(),
  direction: oneOf(['export', 'import'], 'export: from this chain. import: to this chain.'),
  sourceChain: text(),
  destinationChain: text(),
  asset: AssetAmountSchema,
  addresses: list(text()),
  threshold: integer(),
  exportTxHash: text('The transaction that created the output, on its own chain.'),
  exportBlockNumber: optional(text('Only if this server indexes the source chain.')),
  exportTimestamp: optional(unixSeconds('When it was exported')),
  importTxHash: optional(text('Absent until it is imported, or if the import is known only by its effect.')),
  importTimestamp: optional(unixSeconds('When it was imported, or the import was noticed')),
  mayBeImported,
  isIncomplete: optional(flag('True for an import whose export is unknown: addresses are the owners who signed. Absent otherwise.')),
});

export const SearchSchema = object('SearchResponse', {
  query: text(),
  results: list(
    object('SearchResult', {
      kind: oneOf(['block', 'transaction', 'asset', 'utxo', 'address', 'node', 'signedTransaction']),
      id: text('In the usual spelling of this network.'),
      title: optional(text('Name and symbol of an asset; type of a transaction.')),
      status: optional(text('Status of a transaction that is not accepted.')),
      isIssuable: optional(
        flag('Whether a signed transaction could be issued now. Absent if it is accepted, or if this server does not run the chain.'),
      ),
      refusal: optional(reason),
      transaction: optional(PendingTxSchema),
      isPartial: optional(flag('True if the text is only a part of the name, symbol or ID; absent otherwise.')),
      link: optional(text('Path of the route with the details.')),
    }),
  ),
  moreResults: integer('Assets whose symbol or name contains the text that are not listed: ten are, exact matches first.'),
  didYouMean: optional(list(text(), 'The text with one character changed so that its checksum is right.')),
});
