import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import type { AssetType } from '../index/output-amount.ts';
import type { SpanEntry } from '../index/span.ts';
import type { Unit } from '../index/tables.ts';
import type { Tx } from '../tx/tx.ts';
import type { UnsignedTx } from '../tx/unsigned.ts';
import type { Utxo } from '../tx/utxo.ts';

/**
 * Every question the Data and Metrics interfaces ask about one chain. Whatever takes a `Pin` is answered as things stood right after that
 * block, so the pages of one listing fit together while the chain goes on. Times are Unix seconds. Lists read no more rows than they give,
 * however far into the list they are. The same code answers from SQLite and from PostgreSQL.
 */
export type IndexReads = {
  /** The last block. */
  readonly tip: () => Promise<Pin>;
  /** The block at a height, or the last one before `time` (strictly), as a pin; undefined if there is none. */
  readonly pinAt: (height: number) => Promise<Pin | undefined>;
  readonly pinBefore: (time: number) => Promise<Pin | undefined>;
  /** Height from which on history is whole; 0 unless an old network is followed. */
  readonly completeFrom: () => Promise<number>;

  readonly block: (which: { readonly height: number } | { readonly id: Id }) => Promise<BlockEntry | undefined>;
  readonly blocks: (query: BlockQuery) => Promise<BlockEntry[]>;

  readonly tx: (id: Id, pin: Pin) => Promise<TxEntry | undefined>;
  /** Transactions of any of the subjects, each once; without subjects those of the whole chain. */
  readonly txs: (query: TxQuery) => Promise<TxEntry[]>;

  /**
   * Outputs that the addresses together may spend once they are unlocked: enough of the owners are among them. Exported ones are in the list
   * too; they count as spent when another chain has taken them, as far as that is known here. Two chains have no heights in common: what the
   * other one took in the very second of the pin counts as taken. Outputs of other chains are listed once an import here has spent them.
   */
  readonly utxos: (query: UtxoQuery) => Promise<OutputEntry[]>;
  readonly balances: (addresses: readonly Address[], pin: Pin) => Promise<Holdings>;

  readonly asset: (id: Id) => Promise<AssetEntry | 'not-an-asset' | undefined>;
  readonly assets: (ids: readonly Id[]) => Promise<ReadonlyMap<Id, AssetEntry>>;
  readonly lastActivity: (addresses: readonly Address[], pin: Pin) => Promise<Activity | undefined>;
  /** Those of the addresses that ever appeared on this chain. */
  readonly known: (addresses: readonly Address[], pin: Pin) => Promise<ReadonlySet<Address>>;

  /** Counts of the units that begin in [from, to), newest first, at most `limit`; units without blocks are not among them. */
  readonly spans: (unit: Unit, from: number, to: number, limit: number) => Promise<SpanEntry[]>;
  /** The last unit that begins before `before` and has blocks. */
  readonly spanBefore: (unit: Unit, before: number) => Promise<SpanEntry | undefined>;
  /** One sum over everything since each of the times, latest time first, exact to the second and all of the same moment. */
  readonly totals: <T extends keyof Totals>(of: T, times: readonly number[]) => Promise<Totals[T][]>;
  /** Addresses first seen before a time. */
  readonly addressesBefore: (time: number) => Promise<number>;
};

export type Pin = {
  readonly height: number;
  readonly id: Id;
  readonly time: number;
  /** Number of its last transaction (or of the last one before it). */
  readonly lastTx: number;
};

export type Order = 'asc' | 'desc';

/** Times are [from, to): a block of the second `to` is not in it. Undefined: no bound. */
export type Times = { readonly from: number | undefined; readonly to: number | undefined };

export type BlockQuery = {
  readonly pin: Pin;
  readonly times: Times;
  /** Height of the last one of the page before. */
  readonly after: number | undefined;
  readonly order: Order;
  readonly limit: number;
};

export type BlockEntry = {
  readonly height: number;
  readonly id: Id;
  readonly parentID: Id;
  readonly time: number;
  readonly size: number;
  readonly txIDs: readonly Id[];
};

export type TxKind = UnsignedTx['kind'];

export type Subject = { readonly address: Address } | { readonly asset: Id };

export type TxQuery = {
  readonly pin: Pin;
  readonly subjects: readonly Subject[] | undefined;
  readonly kinds: readonly TxKind[] | undefined;
  readonly times: Times;
  /** Number (`seq`) of the last one of the page before. */
  readonly after: number | undefined;
  readonly order: Order;
  readonly limit: number;
  /** The list ends early with the transaction that passes so many bytes in all, but not before the second one. */
  readonly maxBytes?: number;
};

/** Genesis transactions have height 0. Consumed and emitted outputs stand in the order of the transaction's inputs and outputs. */
export type TxEntry = {
  readonly seq: number;
  readonly tx: Tx;
  readonly height: number;
  readonly blockID: Id;
  readonly time: number;
  /** An output whose creation is older than what this server knows is left out. */
  readonly consumed: readonly OutputEntry[];
  readonly emitted: readonly OutputEntry[];
};

export type UtxoQuery = {
  readonly pin: Pin;
  readonly addresses: readonly Address[];
  readonly asset: Id | undefined;
  readonly minAmount: bigint;
  readonly includeSpent: boolean;
  readonly sortBy: 'timestamp' | 'amount';
  readonly order: Order;
  /** Number (`seq`) of the last one of the page before. One that is not known (any more) begins the list anew. */
  readonly after: number | undefined;
  readonly limit: number;
};

export type OutputEntry = {
  /** Number in lists; below zero for outputs that moved between chains. */
  readonly seq: number;
  readonly utxo: Utxo;
  /** When it was made; for one made on a chain that is not indexed here, when this server first knew of it. */
  readonly time: number;
  readonly createdOn: Id;
  /** Where it was or can be consumed. */
  readonly consumedOn: Id;
  readonly spent: Spent | undefined;
};

/**
 * `tx` is there if the consumer is a transaction of this chain: its credentials tell who signed. `txID` is not if another chain took it of
 * which nothing is known here but that it did; `time` is then the time of the last block here when that was found out.
 */
export type Spent =
  | { readonly txID: Id; readonly time: number; readonly tx: Tx | undefined }
  | { readonly txID: undefined; readonly time: number; readonly tx: undefined };

/** Sums for outputs of one owner; the rest one by one: they count only if enough of their owners are asked about. */
export type Holdings = {
  /** `amount` is in `count` outputs; `nfts`: NFTs and properties of the same asset, one output each. */
  readonly own: readonly OwnHolding[];
  /** On this chain, several owners, enough of them among the addresses. */
  readonly shared: readonly OutputEntry[];
  /** Exported and not yet imported, enough owners among the addresses. */
  readonly exported: readonly OutputEntry[];
};

export type OwnHolding = {
  readonly asset: Id;
  readonly locktime: bigint;
  readonly amount: bigint;
  readonly count: number;
  readonly nfts: number;
};

export type AssetEntry = {
  readonly id: Id;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  /** By the feature extensions of its initial states: `nft` if it can have no amounts. Each of its outputs has a type of its own. */
  readonly type: AssetType;
  /** Variable: more can be made of it (its creation left a right to mint). */
  readonly cap: 'fixed' | 'variable';
  readonly createdTime: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly txs: number;
  /** Units in unspent outputs of this chain: what is exported is not among them, what is imported is. */
  readonly supply: bigint;
  /** NFTs and properties in unspent outputs of this chain. */
  readonly nfts: number;
  readonly minters: readonly Address[];
};

export type Activity = {
  readonly time: number;
  readonly height: number;
  readonly txID: Id;
  readonly utxoID: Id;
  /** Whether that output was consumed by the transaction, rather than made. */
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
