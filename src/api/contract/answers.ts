import type { clientServices } from './client-services.ts';
import type { addressRows, blockRows, txRows, utxoRows } from './data-routes.ts';
import type {
  AssetAmountSchema,
  AssetDetailsSchema,
  BalancesSchema,
  BlockSchema,
  TransactionSchema,
  txTypeSchema,
  UtxoSchema,
} from './data-schemas.ts';
import type { assetListRows, blockSummaryRows, crossChainRows, lifecycleRows, txSummaryRows } from './explorer-routes.ts';
import type {
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
  SearchSchema,
  ThroughputSchema,
  TransferSchema,
  TxChecksSchema,
  TxLineSchema,
  TxPositionSchema,
} from './explorer-schemas.ts';
import type { Encoded } from './method.ts';
import type { metricRows } from './metrics-routes.ts';
import type { TxSummarySchema } from './tx-summary.ts';
import type { JsonOf } from './views.ts';
import type { webhookRows } from './webhook-routes.ts';

/** Types of the answers that the explorer and the commands read. They follow from the schemas. */

type ResponseOf<R extends { readonly response: unknown }> = JsonOf<R['response']>;

export type AssetAmount = JsonOf<typeof AssetAmountSchema>;
export type Utxo = JsonOf<typeof UtxoSchema>;
export type TxType = JsonOf<typeof txTypeSchema>;
/** `chainFormat` is the same for all transactions. */
export type Tx = Omit<JsonOf<typeof TransactionSchema>, 'chainFormat'>;
export type Block = JsonOf<typeof BlockSchema>;
export type Balances = JsonOf<typeof BalancesSchema>;
export type AssetDetails = JsonOf<typeof AssetDetailsSchema>;
/** Who did what, how much of it, and to whom. */
export type TxSummary = JsonOf<typeof TxSummarySchema>;
export type TxList = ResponseOf<(typeof txRows)['listLatestPrimaryNetworkTransactions']>;
export type BlockList = ResponseOf<(typeof blockRows)['listLatestPrimaryNetworkBlocks']>;
export type UtxoList = ResponseOf<(typeof utxoRows)['getUtxosByAddresses']>;
export type WebhookList = ResponseOf<(typeof webhookRows)['listWebhooks']>;
export type RollingWindow = ResponseOf<(typeof metricRows)['getChainRollingWindowMetrics']>;
export type Series = ResponseOf<(typeof metricRows)['getChainMetrics']>;

export type TxCounts = BlockSummary['txCountByType'];
type BlockSummary = JsonOf<typeof BlockSummarySchema>;
export type BlockSummaryList = ResponseOf<(typeof blockSummaryRows)['listBlockSummaries']>;
export type BlockTxs = JsonOf<typeof BlockTxsSchema>;
export type Throughput = JsonOf<typeof ThroughputSchema>;
export type IssueMinutes = JsonOf<typeof IssueMinutesSchema>;
export type AssetDays = JsonOf<typeof AssetDaysSchema>;
export type TxChecks = JsonOf<typeof TxChecksSchema>;
export type TxCheckResult = TxChecks['checks'][number];
export type Reason = NonNullable<TxChecks['refusal']>;
export type Mempool = JsonOf<typeof MempoolSchema>;
export type Drop = JsonOf<typeof DropSchema>;
export type Lifecycle = JsonOf<typeof LifecycleSchema>;
export type LifeStep = Lifecycle['steps'][number];
/** A transaction that is in no block. */
export type UnacceptedTx = NonNullable<Lifecycle['transaction']>;
/** A transaction in short, for lists. */
export type TxLine = JsonOf<typeof TxLineSchema>;
export type TxLineList = ResponseOf<(typeof txSummaryRows)['listTransactionSummaries']>;
export type TxPosition = JsonOf<typeof TxPositionSchema>;
export type AssetSummary = JsonOf<typeof AssetSummarySchema>;
export type Holders = JsonOf<typeof HoldersSchema>;
export type BalanceHistory = JsonOf<typeof BalanceHistorySchema>;
export type NftGroup = JsonOf<typeof NftGroupSchema>;
export type CrossChainBalances = JsonOf<typeof AtomicBalancesSchema>;
export type CrossChainBalance = CrossChainBalances['outbound'][number];
export type Transfer = JsonOf<typeof TransferSchema>;
export type TransferList = ResponseOf<(typeof crossChainRows)['listCrossChainTransfers']>;
export type SearchAnswer = JsonOf<typeof SearchSchema>;
export type AssetList = ResponseOf<(typeof assetListRows)['listAssets']>;
export type NftGroupList = ResponseOf<(typeof assetListRows)['listNftGroups']>;
export type DropList = ResponseOf<(typeof lifecycleRows)['listDroppedTransactions']>;
export type AddressBalances = ResponseOf<(typeof addressRows)['getBalancesByAddresses']>;

type Services = typeof clientServices;
/** The names of the methods of the Node RPC, such as `avm.getHeight`. */
export type MethodName = { [S in keyof Services]: `${S}.${keyof Services[S]['methods'] & string}` }[keyof Services];
/** The JSON of the result of a method. */
export type MethodJson<M extends MethodName> = M extends `${infer S extends keyof Services}.${infer N}`
  ? N extends keyof Services[S]['methods']
    ? ResultJson<Services[S]['methods'][N]>
    : never
  : never;
type ResultJson<R> = R extends { readonly result: Encoded<infer N, infer S> }
  ? { readonly [K in N]: string | JsonOf<S> }
  : R extends { readonly result: infer S }
    ? JsonOf<S>
    : never;
