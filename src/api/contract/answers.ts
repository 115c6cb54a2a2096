import type { clientServices } from './client-services.ts';
import type { addressRows, blockRows, txRows, utxoRows } from './data-routes.ts';
import type * as data from './data-schemas.ts';
import type { assetListRows, blockSummaryRows, crossChainRows, lifecycleRows, txSummaryRows } from './explorer-routes.ts';
import type * as explorer from './explorer-schemas.ts';
import type { Encoded } from './method.ts';
import type { metricRows } from './metrics-routes.ts';
import type { TxSummarySchema } from './tx-summary.ts';
import type { JsonOf } from './views.ts';
import type { webhookRows } from './webhook-routes.ts';

/** Types of the answers that the explorer and the commands read. They follow from the schemas. */

type ResponseOf<R extends { readonly response: unknown }> = JsonOf<R['response']>;

export type AssetAmount = JsonOf<typeof data.AssetAmountSchema>;
export type Utxo = JsonOf<typeof data.UtxoSchema>;
export type TxType = JsonOf<typeof data.txTypeSchema>;
/** `chainFormat` is the same for all transactions. */
export type Tx = Omit<JsonOf<typeof data.TransactionSchema>, 'chainFormat'>;
export type Block = JsonOf<typeof data.BlockSchema>;
export type Balances = JsonOf<typeof data.BalancesSchema>;
export type AssetDetails = JsonOf<typeof data.AssetDetailsSchema>;
/** Who did what, how much of it, and to whom. */
export type TxSummary = JsonOf<typeof TxSummarySchema>;
export type TxList = ResponseOf<(typeof txRows)['listLatestPrimaryNetworkTransactions']>;
export type BlockList = ResponseOf<(typeof blockRows)['listLatestPrimaryNetworkBlocks']>;
export type UtxoList = ResponseOf<(typeof utxoRows)['getUtxosByAddresses']>;
export type WebhookList = ResponseOf<(typeof webhookRows)['listWebhooks']>;
export type WebhookAttempts = ResponseOf<(typeof webhookRows)['listWebhookAttempts']>;
export type RollingWindow = ResponseOf<(typeof metricRows)['getChainRollingWindowMetrics']>;
export type Series = ResponseOf<(typeof metricRows)['getChainMetrics']>;

export type TxCounts = BlockSummary['txCountByType'];
type BlockSummary = JsonOf<typeof explorer.BlockSummarySchema>;
export type BlockSummaryList = ResponseOf<(typeof blockSummaryRows)['listBlockSummaries']>;
export type BlockTxs = JsonOf<typeof explorer.BlockTxsSchema>;
export type Throughput = JsonOf<typeof explorer.ThroughputSchema>;
export type IssueMinutes = JsonOf<typeof explorer.IssueMinutesSchema>;
export type NodeHistory = JsonOf<typeof explorer.NodeHistorySchema>;
export type AssetDays = JsonOf<typeof explorer.AssetDaysSchema>;
export type TxChecks = JsonOf<typeof explorer.TxChecksSchema>;
export type TxCheckResult = TxChecks['checks'][number];
export type Reason = NonNullable<TxChecks['refusal']>;
export type Mempool = JsonOf<typeof explorer.MempoolSchema>;
export type Drop = JsonOf<typeof explorer.DropSchema>;
export type Lifecycle = JsonOf<typeof explorer.LifecycleSchema>;
export type LifeStep = Lifecycle['steps'][number];
/** A transaction that is in no block. */
export type UnacceptedTx = NonNullable<Lifecycle['transaction']>;
/** A transaction in short, for lists. */
export type TxLine = JsonOf<typeof explorer.TxLineSchema>;
export type TxLineList = ResponseOf<(typeof txSummaryRows)['listTransactionSummaries']>;
export type TxPosition = JsonOf<typeof explorer.TxPositionSchema>;
export type AssetSummary = JsonOf<typeof explorer.AssetSummarySchema>;
export type Holders = JsonOf<typeof explorer.HoldersSchema>;
export type BalanceHistory = JsonOf<typeof explorer.BalanceHistorySchema>;
export type NftGroup = JsonOf<typeof explorer.NftGroupSchema>;
export type CrossChainBalances = JsonOf<typeof explorer.AtomicBalancesSchema>;
export type CrossChainBalance = CrossChainBalances['outbound'][number];
export type Transfer = JsonOf<typeof explorer.TransferSchema>;
export type TransferList = ResponseOf<(typeof crossChainRows)['listCrossChainTransfers']>;
export type SearchAnswer = JsonOf<typeof explorer.SearchSchema>;
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
