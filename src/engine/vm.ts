import type { Id } from '../bytes/id.ts';

/** A block as an engine sees it: its place in the tree and its bytes, nothing of what is inside. */
export type EngineBlock = {
  readonly id: Id;
  readonly parentID: Id;
  readonly height: bigint;
  /** Unix seconds. */
  readonly time: bigint;
  readonly bytes: Uint8Array;
};

/**
 * What an engine asks of a chain: what Snowman needs, and the solo engine as well. A block is verified on its parent's view before
 * anything is decided; several may be processing at once, siblings among them; accepting one is the engine's choice alone.
 */
export type Vm = {
  readonly lastAccepted: () => Id;
  /** A new block on the preferred one, or nothing if no transaction is waiting. Not verified yet. */
  readonly build: () => EngineBlock | undefined;
  readonly parse: (bytes: Uint8Array) => EngineBlock;
  /** A processing or accepted block. */
  readonly block: (id: Id) => EngineBlock | undefined;
  /** Throws a fault if the block breaks a rule; afterwards it is processing. Its parent must be processing or last accepted. */
  readonly verify: (block: EngineBlock) => void;
  /** The block must be processing and a child of the last accepted one. */
  readonly accept: (id: Id) => void;
  /** Puts the transactions of a processing block back into the pool, all of them before it throws. */
  readonly reject: (id: Id) => void;
  readonly setPreference: (id: Id) => void;
  /** Called whenever there may be something to build. */
  readonly onWork: (listener: () => void) => void;
  /** How many transactions wait for a block. */
  readonly waiting: () => number;
};

/** What every engine tells the health check. Durations in milliseconds. */
export type EngineReport = {
  readonly processingBlocks: number;
  readonly longestProcessing: number;
  readonly averageAcceptance: number;
};

export type Engine = {
  readonly report: () => EngineReport;
  /** Stops building; what is accepted stays accepted. */
  readonly stop: () => void;
};
