/** Commands that change or copy the files of a stopped node. */
export type SessionCommand = 'backup' | 'compact' | 'reindex';

/** What a session is to do. */
export type SessionOrder = {
  readonly seed: number;
  readonly library: string;
  readonly folder: string;
  readonly startSeconds: number;
  readonly steps: number;
  /** The last event that an earlier session has delivered. */
  readonly lastEventID?: string | undefined;
  /** Transactions of which earlier sessions said that they are accepted. */
  readonly accepted: readonly string[];
  /** Whether the whole directory is checked at the end, as `serac check` does. */
  readonly checks: boolean;
  /** Whether the disk fails some reads. */
  readonly failsReads: boolean;
  /** When a block is on disk: at once, or, as on a joined node, at the next checkpoint. */
  readonly durability: 'commit' | 'checkpoint';
  /** Pages in the log at which a checkpoint starts, if not as many as in a real node. */
  readonly pagesPerCheckpoint?: number | undefined;
  /** Runs this command in place of a node. */
  readonly command?: SessionCommand | undefined;
  /** The folder of the backup that an earlier session has made; it is checked too. */
  readonly backup?: string | undefined;
};

/** What a session says: each is true, and the node has acknowledged it, before the next operation begins. */
export type Fact =
  /** The node has started, with these blocks, and these statuses of the transactions in the order. */
  | { readonly kind: 'started'; readonly chain: readonly string[]; readonly statuses: { readonly [txID: string]: string } }
  /** A command has ended; `isDamaged`: it says that it has found damage. */
  | { readonly kind: 'command'; readonly command: SessionCommand; readonly isDamaged: boolean; readonly lines: readonly string[] }
  | { readonly kind: 'refused command'; readonly text: string; readonly code: string | undefined; readonly cause: string | undefined }
  /** `cause`: the code of the error that SQLite has reported, if any. */
  | { readonly kind: 'refused start'; readonly text: string; readonly code: string | undefined; readonly cause: string | undefined }
  | { readonly kind: 'accepted'; readonly txID: string }
  | {
      readonly kind: 'event';
      readonly id: string;
      readonly event: string;
      readonly height?: number;
      readonly blockID?: string;
      readonly txIDs?: readonly string[];
      readonly txID?: string;
    }
  /** A revert to a snapshot of this height begins; `done`: it has been acknowledged. */
  | { readonly kind: 'revert'; readonly done: boolean; readonly height: number }
  /** A checkpoint is complete, or the database was closed with one: all commits so far are on disk. */
  | { readonly kind: 'synced' }
  /** The process kills itself, because its disk fails again and again. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'refused call'; readonly text: string }
  | { readonly kind: 'wrong'; readonly text: string }
  /** State and index differ. */
  | { readonly kind: 'unequal'; readonly text: string }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'exit'; readonly code: number; readonly operations: number }
  | { readonly kind: 'ended'; readonly chain: readonly string[]; readonly operations: number }
  | { readonly kind: 'checked'; readonly isDamaged: boolean; readonly lines: readonly string[] };
