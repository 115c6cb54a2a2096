import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PendingSum, SecondCounts, TapeBlock } from '../load/load-home.ts';
import type { TxRow } from '../load/tx-row.ts';

/** The event stream itself, which every page shows. */
type LiveStream = {
  readonly status: 'connecting' | 'live' | 'lost';
  /** When the stream was lost, in Unix seconds of the chain's clock; undefined while it is connected. */
  readonly lostAt: number | undefined;
  /** Whether a revert removed what the page shows. */
  readonly isGone: boolean;
  /** Unix seconds of the chain's clock. */
  readonly now: number;
  /** The latest events, newest first. */
  readonly log: readonly {
    readonly number: number;
    readonly time: number;
    readonly kind: string;
    readonly text: string;
    readonly href: string | undefined;
  }[];
  /** The last revert since the page opened, until the reader closes the note about it. */
  readonly reverted: RevertNote | undefined;
  readonly closeReverted: () => void;
};

/** The figures of the first page. */
type LiveFigures = {
  readonly blocks: readonly TapeBlock[];
  readonly seconds: SecondCounts;
  readonly pending: PendingSum | undefined;
  /** If the figures that only the server knows are behind the last block: when they were read, in Unix seconds of the chain's clock. */
  readonly figuresAsOf: number | undefined;
};

/** The list of transactions, which can be held. */
export type LiveList = {
  readonly txs: readonly TxRow[];
  readonly isHeld: boolean;
  /** Transactions that were added while the list was paused. */
  readonly waiting: number;
  readonly toggleHold: () => void;
  readonly showWaiting: () => void;
  readonly onEnter: () => void;
  readonly onLeave: () => void;
};

/** What the event stream adds to a page in the browser. Absent on the server and without a stream. */
export type LiveView = LiveStream &
  LiveFigures &
  LiveList & {
    /** IDs of transactions that just came. */
    readonly fresh: ReadonlySet<string>;
    /** Whether so many transactions come that none is marked as new. */
    readonly isBusy: boolean;
  };

/** `blocks`: the number of removed blocks that this page has seen. `txs`: their transactions; undefined unless it has seen all these blocks. */
export type RevertNote = {
  readonly height: number;
  readonly snapshot: string | undefined;
  readonly blocks: number;
  readonly txs: number | undefined;
};

export const LiveContext = createContext<LiveView | undefined>(undefined);

export const useLive = (): LiveView | undefined => useContext(LiveContext);
