/** Shapes of the Data API's answers, as far as the page reads them. Their schemas are in src/data/schemas.ts and in /api-json. */

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

export type Balance = AssetAmount & { readonly utxoCount: number; readonly sharedWithChainId?: string };
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
