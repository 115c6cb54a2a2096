import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import type { IndexReads } from '../index-read/index-reads.ts';

/** What the Data and Metrics interfaces speak about: one network and the AVM chains of it that this server knows. */
export type Served = {
  readonly network: ServedNetwork;
  /** X first. */
  readonly chains: readonly [ServedChain, ...ServedChain[]];
  /** Chains that are known by name only: P and C. */
  readonly counterparts: readonly { readonly id: Id; readonly alias: string; readonly evmChainId: number }[];
  /** The node that built every block after block 0; undefined if others may have (a followed network). */
  readonly builder: string | undefined;
  /** Unix seconds. */
  readonly now: () => number;
};

export type ServedNetwork = {
  readonly id: number;
  /** How answers call it, and the first of the texts that paths may use for `{network}`. */
  readonly name: string;
  readonly names: readonly string[];
  readonly hrp: string;
  /** Another network under whose names a private one answers as well, for clients that know public names only. */
  readonly alias: NetworkAlias | undefined;
  readonly isTestnet: boolean;
  readonly subnetID: Id;
  /** Unix seconds of the network's genesis: when its first chains began. */
  readonly startTime: number;
};

/** Asked for by one of these names, answers have this name and, unless addresses were asked for in another spelling, this prefix. */
export type NetworkAlias = { readonly name: string; readonly names: readonly string[]; readonly hrp: string };

export type ServedChain = {
  readonly id: Id;
  /** The first one is its name: X. */
  readonly aliases: readonly [string, ...string[]];
  /** How paths and answers call it: `x-chain`; other chains by their alias. */
  readonly slug: string;
  readonly title: string;
  readonly vmID: Id;
  readonly feeAsset: Id;
  readonly genesisBytes: Uint8Array;
  /** Path of its Node RPC on this server, or where else it answers. */
  readonly rpcUrl: string;
  readonly reads: IndexReads;
  /** Whether the node behind it answers; always OK for a chain that lives in this program. */
  readonly status: () => 'OK' | 'UNAVAILABLE';
  /**
   * Before balances and outputs of these addresses are told: fetches what the blocks of a followed chain do not tell, be it older than they
   * are or what other chains have taken. Rejects with a `Refusal` 502 or 503 if the followed node does not help. Undefined where this
   * program decides the blocks.
   */
  readonly complete: ((addresses: readonly Address[]) => Promise<void>) | undefined;
};

/** A part that the server cannot work without. `write` really writes and reads, `read` only reads; both reject if it is down. */
export type Component = {
  readonly write: () => Promise<void>;
  readonly read: () => Promise<void>;
  /** A number that changes when it is known that a probe would now find something else; cached results of another revision are not used. */
  readonly revision?: () => number;
};

export type HealthDeps = {
  readonly components: { readonly database: Component; readonly cache: Component };
  readonly stopping: () => boolean;
  /** Says that processes do not count requests together at the moment; undefined if they do, or nothing is counted. */
  readonly rateLimits?: () => string | undefined;
  /** Rejects with a fault after so many milliseconds. */
  readonly within: <T>(milliseconds: number, work: Promise<T>) => Promise<T>;
};
