import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { TxSummary } from '../load/tx-summary.ts';
import type { TapeBlock } from '../pictures/tape.tsx';

/** What the event stream adds to a page in the browser. Absent on the server and without a stream. */
export type LiveView = {
  readonly status: 'connecting' | 'live' | 'lost';
  /** When the stream was lost, in Unix seconds of the chain's clock; undefined while it is connected. */
  readonly lostAt: number | undefined;
  /** Whether a revert removed what the page shows. */
  readonly isGone: boolean;
  /** Unix seconds of the chain's clock. */
  readonly now: number;
  readonly blocks: readonly TapeBlock[];
  /** Transactions by Unix second, for the last minute. */
  readonly seconds: ReadonlyMap<number, number>;
  readonly txs: readonly TxSummary[];
  readonly pending: number | undefined;
  /** Transactions of the last 60 s by type. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly fresh: ReadonlySet<string>;
  /** Whether so many transactions come that none is marked as new. */
  readonly isBusy: boolean;
  /** The latest events, newest first. */
  readonly log: readonly {
    readonly number: number;
    readonly time: number;
    readonly kind: string;
    readonly text: string;
    readonly href: string | undefined;
  }[];
  readonly isHeld: boolean;
  /** Transactions that were added while the list was paused. */
  readonly waiting: number;
  readonly toggleHold: () => void;
  readonly showWaiting: () => void;
  readonly onEnter: () => void;
  readonly onLeave: () => void;
  /** The last revert since the page opened. */
  readonly reverted: RevertNote | undefined;
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
