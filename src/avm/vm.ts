import type { Id } from '../base/bytes/id.ts';

/** A block as an engine sees it: its position in the tree and its bytes, without the contents. */
export type EngineBlock = {
  readonly id: Id;
  readonly parentID: Id;
  readonly height: bigint;
  /** Unix seconds. */
  readonly time: bigint;
  readonly bytes: Uint8Array;
};

/** The blocks of a chain. */
type VmBlocks = {
  readonly lastAccepted: () => Id;
  /** The accepted block at a height. */
  readonly blockIdAtHeight: (height: bigint) => Id | undefined;
  /** Decodes a block. It may refer to `bytes` as long as it exists; the Vm of outer blocks, which gets parts of messages, copies what it keeps. */
  readonly parse: (bytes: Uint8Array) => EngineBlock;
  /** Returns a processing or accepted block. */
  readonly block: (id: Id) => EngineBlock | undefined;
  /** Returns the bytes of a processing or accepted block, without decoding them. */
  readonly blockBytes: (id: Id) => Uint8Array | undefined;
};

/** Building blocks, and when there is something to build. */
export type VmBuilder = {
  /**
   * Builds a block on the preferred one, without verifying it; undefined if no transaction is waiting or this node may not build now. Its
   * transactions have left the pool. They are back there when the block is rejected, fails, or can no longer be accepted.
   */
  readonly build: () => EngineBlock | undefined;
  /** From when `build` may return a block on the preferred one, in Unix milliseconds; undefined if this node may not build one. */
  readonly nextBuildTime: () => number | undefined;
  /** Sets the listener to call whenever there may be transactions for a block. */
  readonly onWork: (listener: () => void) => void;
  /** Number of transactions that wait for a block. */
  readonly waiting: () => number;
};

/** What an engine decides about blocks. */
type VmDecisions = {
  /**
   * Does the slow part of verifying a block ahead, without blocking the event loop. Optional: `verify` does what was not preverified. Rejects only
   * if something that `verify` needs could not be loaded.
   */
  readonly preverify: (block: EngineBlock) => Promise<void>;
  /** Throws a fault if the block is invalid; else it is processing from now on. Its parent must be processing or last accepted. */
  readonly verify: (block: EngineBlock) => void;
  /**
   * Accepts processing blocks, each the child of the one before it and the first a child of the last accepted one, in one commit: all are accepted, or
   * none. They are stored when this returns or is resolved. An engine accepts one at a time; with several, bootstrapping is much faster.
   */
  readonly accept: (ids: readonly Id[]) => void | Promise<void>;
  /** Rejects a processing block, or one that was built and will not be verified. All its transactions are back in the pool even if this throws. */
  readonly reject: (id: Id) => void;
  readonly setPreference: (id: Id) => void;
  /**
   * Turns bootstrapping on or off; off at first. A node that bootstraps executes blocks that the network has accepted: signatures, imports and
   * operations are not verified again, and transactions cannot be issued.
   */
  readonly setBootstrapping: (on: boolean) => void;
};

/**
 * The chain as an engine needs it, Snowman or solo. A block is verified on its parent's view before it is decided. Several blocks may be
 * processing at once, siblings too; only the engine chooses which one to accept.
 */
export type Vm = VmBlocks & VmBuilder & VmDecisions;

/** A Vm that has stored blocks when `accept` returns; `writeMore` runs in the database transaction of the blocks. */
export type StoringVm = Vm & { readonly accept: (ids: readonly Id[], writeMore?: () => void) => void };

/** What the health check shows of an engine. Durations in milliseconds. */
export type EngineReport = { readonly processingBlocks: number; readonly longestProcessing: number; readonly averageAcceptance: number };

export type Engine = {
  readonly report: () => EngineReport;
  /** Whether waiting transactions get into a block, of this node or of another one, without a further call. */
  readonly isBlockDue: () => boolean;
  /** Stops building blocks. */
  readonly stop: () => void;
};
