/** A file that is read and written at byte offsets. `app/platform` implements it. */
export type OffsetFile = {
  readonly size: () => number;
  /** Reads from `offset` until `into` is full or the file ends. Returns the number of bytes read. */
  readonly read: (offset: number, into: Uint8Array) => number;
  readonly write: (offset: number, bytes: Uint8Array) => void;
  readonly truncate: (size: number) => void;
  /** Returns when all writes are on disk (fsync). */
  readonly sync: () => void;
  readonly close: () => void;
};

/** Opens a file. `read` returns undefined if the file does not exist. `write` creates a missing file, readable by its owner only. */
export type OpenFile = {
  (path: string, access: 'read'): OffsetFile | undefined;
  (path: string, access: 'write'): OffsetFile;
};
