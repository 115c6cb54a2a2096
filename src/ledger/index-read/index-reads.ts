import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AssetType } from '../index/output-amount.ts';
import type { BucketUnit } from '../index/tables.ts';
import type { TimeBucket } from '../index/time-bucket.ts';
import type { StoredTx } from '../state/stored-tx.ts';
import type { StoredUtxo } from '../state/stored-utxo.ts';
import type { Queries } from '../store/queries.ts';

/**
 * All queries of the Data API and the Metrics API about one chain. A query that takes a `PinnedBlock` returns the state right after that
 * block, so the pages of one listing stay consistent while new blocks arrive. Times are Unix seconds. A list reads about as many rows as it
 * returns, at any depth. The same code runs on SQLite and on PostgreSQL.
 */
export type IndexReads = {
  /** The last indexed block, as far as this process knows it: on PostgreSQL one of a moment ago may be missing. */
  readonly tip: () => Promise<PinnedBlock>;
  /** The block at a height; undefined if it is not indexed. */
  readonly pinAtHeight: (height: number) => Promise<PinnedBlock | undefined>;
  /** The last block whose time is below `time`; undefined if there is no such block. */
  readonly pinBeforeTime: (time: number) => Promise<PinnedBlock | undefined>;
  /** Height from which on the history is complete; 0 unless the followed network is older than what the followed node can report. */
  readonly completeFrom: () => Promise<number>;

  readonly block: (which: { readonly height: number } | { readonly id: Id }) => Promise<BlockEntry | undefined>;
  readonly blockHeights: (query: BlockQuery) => Promise<number[]>;
  /** Blocks by height, in the given order. Every height must have a block. */
  readonly blocks: (heights: readonly number[]) => Promise<BlockEntry[]>;

  /** The `seq` of a transaction; undefined if it was not accepted up to the pinned block. */
  readonly txSeq: (id: Id, pin: PinnedBlock) => Promise<number | undefined>;
  /** The `seq` of each transaction of any of the subjects, each once; if `subjects` is undefined, those of the whole chain. */
  readonly txSeqs: (query: TxQuery) => Promise<number[]>;
  /**
   * Transactions by `seq`, in the given order. The list ends with the transaction that makes the total exceed `maxBytes`; it has at least
   * two transactions if there are so many.
   */
  readonly txs: (seqs: readonly number[], pin: PinnedBlock, maxBytes?: number) => Promise<TxEntry[]>;
  /** Transactions by ID, in the given order; one that was not accepted up to the pinned block is left out. */
  readonly txsById: (ids: readonly Id[], pin: PinnedBlock) => Promise<TxEntry[]>;
  /**
   * The transaction with an ID as of the last indexed block; undefined if there is none. For a page of its own: one snapshot, and few round
   * trips. Its outputs are not looked up, and `entry` is undefined, if `isRendered` says that the caller needs no entry.
   */
  readonly tx: (id: Id, isRendered: (seq: number, pin: PinnedBlock) => boolean) => Promise<FoundTx | undefined>;
  /** Those of the given outputs of this chain (each by its `seq`) that were spent as of the pinned block. */
  readonly spentOutputs: (seqs: readonly number[], pin: PinnedBlock) => Promise<ReadonlySet<number>>;

  /**
   * Outputs that the addresses together can spend once unlocked: at least `threshold` owners are among the addresses. Exported outputs are
   * included; they count as spent once another chain is known to have imported them. Heights of two chains cannot be compared, so times are:
   * an output that the other chain imported in the same second as the pinned block counts as spent. Outputs of other chains are listed once
   * an import on this chain has spent them. `onFound` (PostgreSQL only) gets what the result has in nearly every case, while the
   * last queries run, so that the caller can read at the same time what it needs to show them.
   */
  readonly utxos: (query: UtxoQuery, onFound?: (found: readonly FoundOutput[]) => void) => Promise<OutputList>;
  /** Outputs with a lock time after `now` (Unix seconds) are locked. `onFound` gets the assets of the result. */
  readonly balances: (
    addresses: readonly Address[],
    pin: PinnedBlock,
    now: number,
    onFound?: (assets: ReadonlySet<Id>) => void,
  ) => Promise<Holdings>;

  readonly asset: (id: Id) => Promise<AssetEntry | 'not-an-asset' | undefined>;
  readonly assets: (ids: readonly Id[]) => Promise<ReadonlyMap<Id, AssetEntry>>;
  /** The same without who can mint more, with one query. */
  readonly assetDetails: (ids: readonly Id[]) => Promise<ReadonlyMap<Id, AssetDetails>>;
  /** What never changes of assets, with one query. */
  readonly assetNames: (ids: readonly Id[]) => Promise<readonly AssetName[]>;
  readonly lastActivity: (addresses: readonly Address[], pin: PinnedBlock) => Promise<Activity | undefined>;
  /** The given addresses that have appeared on this chain. */
  readonly seenAddresses: (addresses: readonly Address[], pin: PinnedBlock) => Promise<ReadonlySet<Address>>;

  /** The stored public keys of addresses that have signed; the others are left out. */
  readonly publicKeys: (addresses: readonly Address[]) => Promise<ReadonlyMap<Address, Uint8Array>>;

  /** Counts of the time buckets that begin in [from, to), newest first, at most `limit`. Buckets without blocks are left out. */
  readonly buckets: (unit: BucketUnit, from: number, to: number, limit: number) => Promise<TimeBucket[]>;
  /** A total from each of the times until now, exact to the second. `times` is sorted, latest first; all totals are read as of one moment. */
  readonly totals: <T extends keyof Totals>(metric: T, times: readonly number[]) => Promise<Totals[T][]>;
  /** Number of addresses first seen before a time. */
  readonly addressesBefore: (time: number) => Promise<number>;
};

/** Some of these reads as queries, which `openReads` (open-reads.ts) runs. */
export type QueriesOf<Name extends keyof IndexReads> = {
  readonly [N in Name]: (...args: Parameters<IndexReads[N]>) => Queries<Awaited<ReturnType<IndexReads[N]>>>;
};

/** The block as of which a query is answered. */
export type PinnedBlock = {
  readonly height: number;
  readonly id: Id;
  readonly time: number;
  /** `seq` of its last transaction, or of the last one before it if it has none. */
  readonly lastTx: number;
};

/** A chain in the index; `number` is its number in the names of tables. */
export type IndexedChain = {
  readonly number: number;
  readonly id: Id;
  readonly feeAsset: Id;
  /** The last indexed block if this process knows it without a query; see `LatestRead`. The same object as long as the whole index is the same. */
  readonly recentTip?: () => PinnedBlock | undefined;
};

export type Order = 'asc' | 'desc';

/** The range [from, to) in Unix seconds: a block of the second `to` is outside. Undefined means no bound. */
export type TimeRange = { readonly from: number | undefined; readonly to: number | undefined };

export type BlockQuery = {
  readonly pin: PinnedBlock;
  readonly times: TimeRange;
  /** Height of the last block of the previous page. */
  readonly after: number | undefined;
  readonly order: Order;
  readonly limit: number;
};

/** A block. Its IDs are bytes, those of its transactions texts as stored; see `joinIdTexts`. */
export type BlockEntry = {
  readonly height: number;
  readonly id: Uint8Array;
  readonly parentID: Uint8Array;
  readonly time: number;
  readonly size: number;
  readonly txCount: number;
  readonly txIDTexts: Uint8Array;
};

export type TxKind = UnsignedTx['kind'];

/** What a transaction history can be filtered by. */
export type Subject = { readonly address: Address } | { readonly asset: Id };

export type TxQuery = {
  readonly pin: PinnedBlock;
  readonly subjects: readonly Subject[] | undefined;
  readonly kinds: readonly TxKind[] | undefined;
  readonly times: TimeRange;
  /** `seq` of the last transaction of the previous page. */
  readonly after: number | undefined;
  readonly order: Order;
  readonly limit: number;
};

/** A transaction with its outputs. Genesis transactions have height 0. */
export type TxEntry = {
  readonly tx: StoredTx;
  readonly height: number;
  readonly blockID: Uint8Array;
  /** In the order of `consumedRefs`; undefined for an output that is unknown, as one from before the indexed history. Numbered 0. */
  readonly consumed: readonly (OutputEntry | undefined)[];
  /** In the order of the outputs, exported ones last. */
  readonly emitted: readonly OutputEntry[];
};

export type FoundTx = {
  readonly pin: PinnedBlock;
  readonly seq: number;
  readonly entry: TxEntry | undefined;
  /** Stored public keys of some of the signers: those that were read with the transaction, where another query would cost a round trip. */
  readonly publicKeys: ReadonlyMap<Address, Uint8Array>;
};

/** An output and whether a transaction of this chain consumed it. */
export type FoundOutput = { readonly stored: StoredUtxo; readonly isConsumed: boolean };

/**
 * A page of outputs. `readTo`: `seq` of the output after which the next page begins, if the page ends before it is full: few of many outputs have the
 * asset or the amount.
 */
export type OutputList = { readonly outputs: readonly OutputEntry[]; readonly readTo: number | undefined };

export type UtxoQuery = {
  readonly pin: PinnedBlock;
  readonly addresses: readonly Address[];
  /** `enough` (the default): the addresses reach the threshold. `too-few`: they own the output with others and do not reach it. */
  readonly ownership?: 'enough' | 'too-few';
  readonly asset: Id | undefined;
  readonly minAmount: bigint;
  readonly includeSpent: boolean;
  readonly sortBy: 'timestamp' | 'amount';
  readonly order: Order;
  /** `seq` of the last output of the previous page. An unknown `seq` starts the list from the beginning. */
  readonly after: number | undefined;
  readonly limit: number;
};

export type OutputEntry = {
  /** Number of the output in this index; negative for outputs that moved between chains. */
  readonly seq: number;
  /** Its bytes and their checksum, which is verified for outputs of a `TxEntry`; others are verified when they are used. */
  readonly stored: StoredUtxo;
  /** The same, verified and decoded on first use. */
  readonly utxo: Utxo;
  /** When it was created; for an output of a chain that is not indexed here, when this server first saw it. */
  readonly time: number;
  readonly createdOn: Id;
  /** The chain on which it was or can be consumed. */
  readonly consumedOn: Id;
  readonly spent: SpendInfo | undefined;
};

/** What consumed an output: a transaction of this chain, whose credentials show who signed, or an import on another chain. */
export type SpendInfo = StoredTx | ImportedElsewhere;

/** `id` is undefined if the importing transaction is unknown; `time` is then that of the last block of this chain when the import was noticed. */
export type ImportedElsewhere = { readonly id: Uint8Array | undefined; readonly time: number; readonly layout?: undefined };

/** What addresses hold, in sums: nobody can tell how many outputs an address has. */
export type Holdings = {
  readonly singleOwner: readonly SingleOwnerSum[];
  /** Unspent multi-owner outputs, and outputs exported to another chain and not yet imported there, that the addresses together can spend. */
  readonly others: readonly OutputSum[];
};

/** `amount` is the sum of `count` outputs; `nfts` is the number of NFT and property outputs of the same asset. */
export type SingleOwnerSum = {
  readonly asset: Id;
  /** Whether the lock time is after `now`. Lock times are not listed: an address may have hundreds of thousands of them. */
  readonly isLocked: boolean;
  readonly amount: bigint;
  readonly count: number;
  readonly nfts: number;
};

/** `sharedWith` is the chain that can import exported outputs. `amount` of NFTs and properties is their number. */
export type OutputSum = {
  readonly asset: Id;
  readonly type: AssetType;
  readonly isLocked: boolean;
  readonly sharedWith: Id | undefined;
  readonly amount: bigint;
  readonly count: number;
};

export type AssetName = { readonly id: Id; readonly name: string; readonly symbol: string; readonly denomination: number };

export type AssetDetails = AssetName & {
  /** Derived from the feature extensions (fxs) of its initial states: `nft` if no fx has amounts. Each output also has a type of its own. */
  readonly type: AssetType;
  /** `variable` if its creation has a mint output, so that more can be minted. */
  readonly cap: 'fixed' | 'variable';
  readonly createdTime: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly txs: number;
  /** Units in unspent outputs of this chain, including imported units, without exported units. */
  readonly supply: bigint;
  /** Number of unspent NFT and property outputs of this chain. */
  readonly nfts: number;
};

export type AssetEntry = AssetDetails & {
  readonly minters: readonly Address[];
  /** Owners of the unspent mint outputs, each set once, in the order of the outputs. */
  readonly mintRights: readonly MintRight[];
  /** What its units are: by the first fx of its initial states that is known. */
  readonly unitType: 'secp256k1' | 'nft' | 'property';
  /** The height of the block that created it; undefined for an asset from before the indexed history. */
  readonly createdIn: number | undefined;
};

export type MintRight = { readonly addresses: readonly Address[]; readonly threshold: number };

/** The last transaction of some addresses, and one of its outputs that belongs to one of them. */
export type Activity = {
  readonly time: number;
  readonly height: number;
  readonly txID: Id;
  readonly utxoID: Id;
  /** True if the transaction consumed that output, false if it created it. */
  readonly isConsumed: boolean;
};

export type Totals = {
  readonly txs: number;
  readonly fees: bigint;
  readonly maxTps: number;
  readonly activeAddresses: number;
  readonly activeSenders: number;
  readonly newAddresses: number;
};
