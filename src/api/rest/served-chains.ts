import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { ExplorerReads } from '../../ledger/index-read/explorer-reads.ts';
import type { IndexReads } from '../../ledger/index-read/index-reads.ts';
import type { VertexReads } from '../../ledger/vertices/vertex-reads.ts';
import type { DataAge } from './data-age.ts';
import type { LiveReads } from './live-reads.ts';

/** What the Data and Metrics APIs serve: one network, and those of its AVM chains that this server has. */
export type ServedChains = {
  readonly network: ServedNetwork;
  /** The X-Chain is the first. */
  readonly chains: readonly [ServedChain, ...ServedChain[]];
  /** P-Chain and C-Chain: this server knows their names, but has no data of them. */
  readonly otherChains: readonly { readonly id: Id; readonly alias: string; readonly evmChainId: number }[];
  /** The node that built every block after block 0. Undefined on a followed network, where other nodes may have built blocks. */
  readonly builder: string | undefined;
  /** Unix seconds. */
  readonly now: () => number;
  /** Undefined if this process builds the blocks: what it serves is never old. */
  readonly dataAge?: DataAge | undefined;
};

type ServedNetwork = {
  readonly id: number;
  /** The name in responses. */
  readonly name: string;
  /** All texts that paths may use for `{network}`; `name` is the first. */
  readonly names: readonly string[];
  readonly hrp: string;
  /** A public network whose names a private network also accepts, for clients that only know the public names. */
  readonly alias: NetworkAlias | undefined;
  readonly isTestnet: boolean;
  readonly subnetID: Id;
  /** Time of the network's genesis, in Unix seconds. */
  readonly startTime: number;
};

/** For requests that use one of `names`, responses use `name` and, unless the request has addresses with another prefix, `hrp`. */
export type NetworkAlias = { readonly name: string; readonly names: readonly string[]; readonly hrp: string };

/** A chain by its names. */
type ChainIdentity = {
  readonly id: Id;
  /** The first one is its main name, such as X. */
  readonly aliases: readonly [string, ...string[]];
  /** The name in paths and responses: `x-chain`; for other chains their alias. */
  readonly slug: string;
  readonly title: string;
  readonly vmID: Id;
  readonly feeAsset: Id;
  readonly genesisBytes: Uint8Array;
  /** Path of its Node RPC on this server, or the URL of another server that has it. */
  readonly rpcUrl: string;
};

/** What can be read of a chain. */
type ChainReads = {
  /** Implemented by `openReads` (ledger/index-read/open-reads.ts). A node's chain has it as `history`. */
  readonly reads: IndexReads;
  /** Further reads, for the explorer routes. */
  readonly explorer?: ExplorerReads | undefined;
  /** What the chain had before linearization; undefined if this server does not have it. */
  readonly vertices?: VertexReads | undefined;
  /** What only the memory of the writer process has; undefined in `serac api`, which has no writer process. */
  readonly live?: LiveReads;
  /** How often the chain was reverted: what is cached about past blocks is used within one epoch. */
  readonly epoch: () => number;
};

export type ServedChain = ChainIdentity &
  ChainReads & {
    /** Whether the followed node answers. Always OK for a chain that this process runs itself. */
    readonly status: () => 'OK' | 'UNAVAILABLE';
    /** Why the chain cannot answer now: it is bootstrapping, and what it has is old. Undefined if it can. */
    readonly unavailable?: (() => string | undefined) | undefined;
    /**
     * To be awaited before balances and outputs of these addresses are read. Fetches from the followed node what its blocks do not contain:
     * outputs from before linearization, and which exports were imported by other chains. Rejects with an `ApiError` 502 or 503 if outputs may be
     * missing. Undefined if this process runs the chain itself.
     */
    readonly backfillAddresses: ((addresses: readonly Address[]) => Promise<BackfillOutcome>) | undefined;
    /** How many addresses `backfillAddresses` has fetched something for. With it, reads may run at the same time; see `readBackfilled`. */
    readonly backfills?: () => number;
    /**
     * How imports of this chain's exports by the P- and C-Chain become known, which no block of this chain shows: `looked-up` by
     * `backfillAddresses`, or `unknown`. Undefined if they are always known.
     */
    readonly foreignImports?: 'looked-up' | 'unknown' | undefined;
  };

/** `imports-unknown`: other chains may have imported exports of the addresses, which responses mark with `mayBeImported`. */
export type BackfillOutcome = 'complete' | 'imports-unknown';

/** A component that the server needs. `probeWrite` writes a value and reads it back, `probeRead` only reads. Both reject if it is down. */
export type HealthComponent = {
  readonly probeWrite: () => Promise<void>;
  readonly probeRead: () => Promise<void>;
  /** A number that changes when the component's state is known to have changed. Probe results of another revision are not reused. */
  readonly revision?: () => number;
  /** What is wrong with a part of it, while the component as a whole works. */
  readonly note?: () => string | undefined;
};

export type ApiHealthDeps = {
  readonly components: { readonly database: HealthComponent; readonly cache: HealthComponent };
  readonly isStopping: () => boolean;
  /** What works less well at the moment while requests are answered, by name: `rateLimits` if processes do not share their counts. Undefined ones are fine. */
  readonly degraded?: () => { readonly [name: string]: string | undefined };
  /** Why the index that is served is old; the health check fails with it, as `index`. */
  readonly dataAge?: Pick<DataAge, 'problem'> | undefined;
  /** Rejects with a fault if `work` takes longer. */
  readonly withTimeout: <T>(milliseconds: number, work: Promise<T>) => Promise<T>;
};
