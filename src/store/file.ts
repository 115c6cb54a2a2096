/** A file that is read and written at offsets, beside the database. `platform/` has it. */
export type OffsetFile = {
  readonly size: () => number;
  /** Fills as much of `into` as the file has from `offset` on. Returns the number of bytes read. */
  readonly read: (offset: number, into: Uint8Array) => number;
  readonly write: (offset: number, bytes: Uint8Array) => void;
  readonly truncate: (size: number) => void;
  /** Returns when what was written is on disk. */
  readonly sync: () => void;
  readonly close: () => void;
};

/** `read`: undefined if there is no such file. `write`: created if there is none, readable by the owner alone. */
export type OpenFile = {
  (path: string, access: 'read'): OffsetFile | undefined;
  (path: string, access: 'write'): OffsetFile;
};
