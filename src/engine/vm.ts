import type { Id } from '../bytes/id.ts';

/** A block as an engine sees it: its position in the tree and its bytes, without the contents. */
export type EngineBlock = {
  readonly id: Id;
  readonly parentID: Id;
  readonly height: bigint;
  /** Unix seconds. */
  readonly time: bigint;
  readonly bytes: Uint8Array;
};

/**
 * The chain as an engine needs it, Snowman or solo. A block is verified on its parent's view before it is decided. Several blocks may be
 * processing at once, siblings too; only the engine chooses which one to accept.
 */
export type Vm = {
  readonly lastAccepted: () => Id;
  /** Builds a block on the preferred one, without verifying it; undefined if no transaction is waiting. */
  readonly build: () => EngineBlock | undefined;
  readonly parse: (bytes: Uint8Array) => EngineBlock;
  /** Returns a processing or accepted block. */
  readonly block: (id: Id) => EngineBlock | undefined;
  /** Throws a fault if the block is invalid; else it is processing from now on. Its parent must be processing or last accepted. */
  readonly verify: (block: EngineBlock) => void;
  /** Accepts a block, which must be processing and a child of the last accepted one. */
  readonly accept: (id: Id) => void;
  /** Rejects a processing block. All its transactions are back in the pool even if this throws. */
  readonly reject: (id: Id) => void;
  readonly setPreference: (id: Id) => void;
  /** Sets the listener to call whenever there may be transactions for a block. */
  readonly onWork: (listener: () => void) => void;
  /** Number of transactions that wait for a block. */
  readonly waiting: () => number;
};

/** What the health check shows of an engine. Durations in milliseconds. */
export type EngineReport = {
  readonly processingBlocks: number;
  readonly longestProcessing: number;
  readonly averageAcceptance: number;
};

export type Engine = {
  readonly report: () => EngineReport;
  /** Whether the engine is about to build a block, or will build one after a delay, without a further call. */
  readonly isBlockDue: () => boolean;
  /** Stops building blocks. */
  readonly stop: () => void;
};
