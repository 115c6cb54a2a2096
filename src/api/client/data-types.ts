/** Shapes of the Data API's answers, as far as the explorer and the commands read them. Their schemas are in src/api/data/schemas.ts and in /api-json. */

export type AssetAmount = {
  readonly assetId: string;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly type: 'secp256k1' | 'nft';
  /** Digits, in the smallest unit. */
  readonly amount: string;
};

export type Utxo = {
  readonly utxoId: string;
  readonly creationTxHash: string;
  readonly outputIndex: string;
  readonly timestamp: number;
  readonly utxoType: 'transfer' | 'mint';
  readonly asset: AssetAmount;
  readonly addresses: readonly string[];
  readonly threshold: number;
  readonly locktime: number;
  readonly createdOnChainId: string;
  readonly consumedOnChainId: string;
  readonly groupId?: number;
  readonly payload?: string;
  readonly consumingTxHash?: string;
  readonly consumingTxTimestamp?: number;
  readonly credentials?: readonly { readonly signature?: string; readonly publicKey?: string }[];
  readonly isIncomplete?: true;
  readonly mayBeImported?: true;
};

export type TxType = 'BaseTx' | 'CreateAssetTx' | 'OperationTx' | 'ImportTx' | 'ExportTx';

export type Tx = {
  readonly txHash: string;
  readonly blockHeight: number;
  readonly blockHash: string;
  readonly timestamp: number;
  readonly txType: TxType;
  readonly memo: string;
  readonly sourceChain?: string;
  readonly destinationChain?: string;
  readonly assetCreated?: { readonly assetId: string; readonly name: string; readonly symbol: string; readonly denomination: number };
  readonly consumedUtxos: readonly Utxo[];
  readonly emittedUtxos: readonly Utxo[];
  readonly amountUnlocked: readonly AssetAmount[];
  readonly amountCreated: readonly AssetAmount[];
};

export type Block = {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly parentHash: string;
  readonly blockTimestamp: number;
  readonly txCount: number;
  readonly transactions: readonly string[];
  readonly blockSizeBytes: number;
  readonly proposerDetails?: { readonly proposerNodeId: string };
};

export type Balance = AssetAmount & { readonly utxoCount: number; readonly sharedWithChainId?: string; readonly mayBeImported?: true };
export type Balances = {
  readonly unlocked: readonly Balance[];
  readonly locked: readonly Balance[];
  readonly atomicMemoryUnlocked: readonly Balance[];
  readonly atomicMemoryLocked: readonly Balance[];
};

export type AssetDetails = Omit<AssetAmount, 'amount'> & {
  readonly createdAtTimestamp: number;
  readonly cap: 'fixed' | 'variable';
  readonly supply: string;
  readonly nftSupply: string;
  readonly minters: readonly string[];
  readonly firstActivityTimestamp: number;
  readonly lastActivityTimestamp: number;
  readonly txCount: number;
};

export type TxList = { readonly transactions: readonly Tx[]; readonly nextPageToken?: string };
export type BlockList = { readonly blocks: readonly Block[]; readonly nextPageToken?: string };
export type UtxoList = { readonly utxos: readonly Utxo[]; readonly nextPageToken?: string };
export type RollingWindow = { readonly result: { readonly lastHour: number; readonly lastDay: number; readonly allTime: number } };
export type Series = { readonly results: readonly { readonly value: number; readonly timestamp: number }[] };

/** Shapes of the explorer routes; src/api/explorer-routes/schemas.ts. */

export type TxCounts = { readonly [type in TxType]: number };

export type BlockSummary = {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly blockTimestamp: number;
  readonly txCount: number;
  readonly txCountByType: TxCounts;
  readonly bytes: number;
  readonly burned: string;
};
export type BlockSummaryList = { readonly blocks: readonly BlockSummary[]; readonly nextPageToken?: string };

export type Throughput = {
  readonly endTimestamp: number;
  readonly windowSeconds: number;
  readonly figures: {
    readonly tps: number;
    readonly meanTps: number;
    readonly peakTps: number;
    readonly blockCount: number;
    readonly meanBlockFill: number;
    readonly txCount: number;
    readonly txCountByType: TxCounts;
    readonly bytes: number;
    readonly burned: string;
    readonly latency?: { readonly count: number; readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };
  };
  readonly seconds: readonly {
    readonly timestamp: number;
    readonly blockCount: number;
    readonly txCount: number;
    readonly txCountByType: TxCounts;
    readonly bytes: number;
    readonly burned: string;
  }[];
};

export type IssueMinutes = {
  readonly endTimestamp: number;
  readonly minutes: readonly {
    readonly timestamp: number;
    readonly refused: number;
    readonly dropped: number;
    readonly latency?: { readonly count: number; readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };
  }[];
};

export type AssetDays = {
  readonly isComplete: boolean;
  readonly days: readonly { readonly timestamp: number; readonly txCount: number }[];
};

/** A transaction that is in no block. */
export type UnacceptedTx = Omit<Tx, 'blockHeight' | 'blockHash' | 'timestamp'> & { readonly sizeBytes: number; readonly burned: string };

export type Reason = { readonly code: string; readonly message: string; readonly data?: { readonly [name: string]: unknown } };

export type TxCheckResult = {
  readonly rule: string;
  readonly path?: string;
  readonly result: 'pass' | 'fail' | 'not-run';
  readonly code?: string;
  readonly message?: string;
  readonly values: { readonly [name: string]: unknown };
};
export type TxChecks = {
  readonly hex: string;
  readonly isIssuable: boolean;
  readonly refusal?: Reason;
  readonly checks: readonly TxCheckResult[];
};

export type Mempool = {
  readonly txCount: number;
  readonly bytes: number;
  readonly transactions: readonly (UnacceptedTx & { readonly receivedAt?: number })[];
};

export type Drop = {
  readonly number: number;
  readonly txHash: string;
  readonly txType: TxType;
  readonly droppedAt: number;
  readonly stage: 'refused' | 'dropped';
  readonly reason: Reason;
};

export type Lifecycle = {
  readonly txHash: string;
  readonly status: string;
  readonly steps: readonly LifeStep[];
  readonly transaction?: UnacceptedTx;
};
export type LifeStep = { readonly step: string; readonly time: number; readonly blockNumber?: string; readonly reason?: Reason };

export type TxPosition = {
  readonly index?: number;
  readonly txCount: number;
  readonly previousTxHash?: string;
  readonly nextTxHash?: string;
};

export type AssetSummary = AssetDetails & { readonly holders: number; readonly minted: string; readonly mintedNfts: string };
export type Holders = {
  readonly holders: number;
  readonly heldSupply: string;
  readonly minted: string;
  readonly holderList: readonly { readonly rank: number; readonly address: string; readonly amount: string; readonly nfts: number }[];
  readonly nextPageToken?: string;
};
export type BalanceHistory = {
  readonly isSampled: boolean;
  readonly points: readonly { readonly blockNumber: string; readonly timestamp: number; readonly amount: string; readonly nfts: number }[];
};
export type NftGroup = {
  readonly groupId: number;
  readonly addresses: readonly string[];
  readonly threshold: number;
  readonly minted?: {
    readonly txHash: string;
    readonly timestamp: number;
    readonly count: number;
    readonly payload: string;
    /** The first of the minted outputs. */
    readonly utxoId?: string;
  };
};

export type CrossChainBalance = { readonly chainId: string; readonly utxoCount: number; readonly amounts: readonly AssetAmount[] };
export type CrossChainBalances = {
  readonly outbound: readonly CrossChainBalance[];
  readonly inbound?: readonly CrossChainBalance[];
  readonly isComplete: boolean;
};
export type Transfer = {
  readonly utxoId: string;
  readonly direction: 'export' | 'import';
  readonly sourceChain: string;
  readonly destinationChain: string;
  readonly asset: AssetAmount;
  readonly exportTxHash: string;
  readonly exportTimestamp?: number;
  readonly importTxHash?: string;
  readonly importTimestamp?: number;
};

export type SearchAnswer = {
  readonly results: readonly {
    readonly kind: 'block' | 'transaction' | 'asset' | 'utxo' | 'address' | 'node' | 'signedTransaction';
    readonly id: string;
    readonly title?: string;
    readonly status?: string;
    readonly isIssuable?: boolean;
    readonly refusal?: Reason;
  }[];
  readonly moreResults: number;
  readonly didYouMean?: readonly string[];
};
