import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AssetEntry, OutputEntry, OutputList, PinnedBlock, TxKind, UtxoQuery } from './index-reads.ts';
import type { AssetDaysQuery } from './read-asset-days.ts';
import type { BalanceHistory, BalanceHistoryQuery } from './read-balance-history.ts';

/** Queries of the explorer routes about one chain, beside those of `IndexReads`. Where no block is pinned, they show the last block. */
export type ExplorerReads = {
  /** Assets of this chain in the order of their creation. Those from before linearization are not listed: no block contains them. */
  readonly createdAssets: (query: AssetListQuery) => Promise<{ readonly seq: number; readonly id: Id }[]>;
  /** Assets with the counts of their holders, as of the same block. */
  readonly countedAssets: (ids: readonly Id[]) => Promise<ReadonlyMap<Id, CountedAsset>>;
  /** The addresses that alone own most of an asset, largest first, of the first 12,000 at most; and the counts of the asset as of the same block. */
  readonly holders: (asset: Id, offset: number, limit: number) => Promise<AssetHolders>;
  /** Transactions of an asset by day, for the first of the given days; the others would exceed `maxRows`. */
  readonly assetDays: (query: AssetDaysQuery) => Promise<number[]>;
  /** NFT mint outputs of an asset by group. Reads over `offset` of them, and at most `maxScan` mint outputs. */
  readonly nftGroups: (query: NftGroupQuery) => Promise<{ readonly groups: NftGroup[]; readonly hasMore: boolean }>;
  /** The oldest `limit` assets whose symbol or name is the given text or contains it, in any case. */
  readonly assetsMatching: (text: string, limit: number) => Promise<MatchingAssets>;
  /** IDs of transactions or blocks, or addresses, within a range, as hex and in the order of their bytes. */
  readonly namesBetween: (kind: NamedKind, range: NameRange, limit: number) => Promise<(Id | Address)[]>;

  /** Sums of blocks at and below a height, newest first. */
  readonly blockSums: (from: number, limit: number) => Promise<BlockSumsEntry[]>;
  /** Sums of blocks above a height, oldest first. */
  readonly blockSumsAfter: (height: number, limit: number) => Promise<BlockSumsEntry[]>;
  /** Which transactions a block has. */
  readonly blockTxs: (which: { readonly height: number } | { readonly id: Id }) => Promise<BlockTxs | undefined>;
  readonly txPosition: (id: Id, pin: PinnedBlock) => Promise<TxPosition | undefined>;

  /** Outputs of this chain, and outputs that moved from or to it, each once and in any order. Unknown ones are left out. */
  readonly outputs: (refs: readonly UtxoRef[], pin: PinnedBlock) => Promise<OutputEntry[]>;
  /** The same of one output by its ID: slower. */
  readonly outputById: (id: Id, pin: PinnedBlock) => Promise<OutputEntry | undefined>;
  /** Multi-owner outputs of the addresses that these addresses are too few to spend. */
  readonly sharedOutputs: (query: UtxoQuery) => Promise<OutputList>;

  /** How the balance of an address in one asset changed. */
  readonly balanceHistory: (query: BalanceHistoryQuery) => Promise<BalanceHistory>;

  /** Outputs that can be imported, by direction. Reads at most `limit` outputs per direction. */
  readonly atomicOutputs: (limit: number) => Promise<AtomicOutputs>;
  /** Outputs that this chain exported or imported. */
  readonly transfers: (query: TransferQuery) => Promise<CrossChainTransfer[]>;
};

/** `after`: `seq` of the last one of the previous page. */
export type TransferQuery = { readonly after: number | undefined; readonly order: 'asc' | 'desc'; readonly limit: number };

export type AssetListQuery = {
  readonly pin: PinnedBlock;
  readonly order: 'asc' | 'desc';
  /** `seq` of the last asset of the previous page. */
  readonly after: number | undefined;
  readonly limit: number;
};

/** `minted` is what was ever created of the asset in the indexed blocks; `held` is the part of the supply that has a single owner. */
export type CountedAsset = { readonly entry: AssetEntry; readonly counts: AssetCounts | undefined };

export type AssetCounts = { readonly holders: number; readonly held: bigint; readonly minted: bigint; readonly mintedNfts: number };

type AssetHolders = { readonly pin: PinnedBlock; readonly counts: AssetCounts | undefined; readonly holders: readonly AssetHolder[] };

export type AssetHolder = { readonly address: Address; readonly amount: bigint; readonly nfts: number };

/** Assets with exactly this symbol or name, and those that contain it; `total` counts those that are not listed too. */
export type MatchingAssets = { readonly exact: readonly Id[]; readonly partial: readonly Id[]; readonly total: number };

/** What `namesBetween` lists. */
export type NamedKind = 'tx' | 'block' | 'address' | 'utxo';

/** 32 bytes each, both included. */
export type NameRange = { readonly low: Uint8Array; readonly high: Uint8Array };

export type NftGroupQuery = { readonly asset: Id; readonly offset: number; readonly limit: number; readonly maxScan: number };

/** An output that allows minting NFTs of a group once, and the transaction that did. */
export type NftGroup = {
  readonly groupID: number;
  readonly utxo: Utxo;
  readonly time: number;
  readonly mintedBy: { readonly tx: Tx; readonly time: number } | undefined;
};

/** `firstTx`: the `seq` of its first transaction. `bytes`: size of the whole block. `txs`: number of transactions by kind. */
export type BlockSumsEntry = {
  readonly height: number;
  readonly firstTx: number;
  readonly id: Id;
  readonly time: number;
  readonly bytes: number;
  readonly fees: bigint;
  readonly txs: Readonly<Record<TxKind, number>>;
};

/** `firstTx`: the `seq` of its first transaction; the others follow it. */
export type BlockTxs = { readonly height: number; readonly id: Id; readonly firstTx: number; readonly count: number };

/** Where a transaction is in its block. `index` is undefined for a transaction of the genesis, which is in no block. */
export type TxPosition = {
  readonly height: number;
  readonly blockID: Id;
  readonly index: number | undefined;
  readonly count: number;
  readonly previous: Id | undefined;
  readonly next: Id | undefined;
};

/** `inbound` is undefined if this database does not hold what other chains exported. */
export type AtomicOutputs = { readonly outbound: AtomicList; readonly inbound: AtomicList | undefined };
export type AtomicList = {
  readonly outputs: readonly { readonly otherChain: Id; readonly utxo: Utxo }[];
  /** False if there are more. */
  readonly isComplete: boolean;
};

/** An export and the import of the same output. Each is undefined if its transaction is not known. */
export type CrossChainTransfer = {
  readonly seq: number;
  readonly utxo: Utxo;
  readonly source: Id;
  readonly destination: Id;
  readonly exported: { readonly height: number; readonly time: number } | undefined;
  /** `txID` is undefined if another chain imported it in an unknown transaction. */
  readonly imported: { readonly txID: Id | undefined; readonly time: number } | undefined;
};
