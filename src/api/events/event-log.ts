import type { Block } from '../../avm/tx/block.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { FindUtxo } from '../summary/summarize-tx.ts';

/** The durable part of the event stream: accepted blocks and reverts of all chains, in the order of their commits. */
export type EventLog = {
  /** Identifies the log: a client that comes with a number of another log cannot resume. */
  readonly id: () => Promise<string>;
  /** Number of the last entry; 0 if the log is empty. Entries are numbered consecutively and no number is used twice. */
  readonly last: () => Promise<number>;
  /**
   * Reads entries after a number: at most `maxEntriesPerRead`, and fewer if they are large; none at the end of the log. Returns undefined if
   * the next entry is no longer stored. `known` returns blocks that are in memory, so that they are not read and parsed again.
   */
  readonly read: (after: number, known?: KnownBlocks) => Promise<readonly LogEntry[] | undefined>;
};

/** An entry of the log with its number. */
export type LogEntry = { readonly number: number; readonly chainID: Id } & (
  | ({ readonly kind: 'block' } & BlockWithSpent)
  | {
      readonly kind: 'reverted';
      readonly height: number;
      readonly blockID: Id;
      /** Unix seconds. */
      readonly time: number;
      readonly snapshot: string | undefined;
    }
);

/** A block and the outputs of its chain that its transactions spend. */
export type BlockWithSpent = { readonly block: Block; readonly spent: FindUtxo };

export type KnownBlocks = (blockID: Id) => BlockWithSpent | undefined;

/** Limits of one read, so that it does not block the event loop for long. */
export const maxEntriesPerRead = 64;
export const maxBytesPerRead = 65_536;
