/** What processes share for a while: answers, counts, page secrets. In one process's memory, or in Redis for many. */
export type Cache = {
  readonly get: (key: string) => Promise<Uint8Array | undefined>;
  readonly set: (key: string, value: Uint8Array, seconds: number) => Promise<void>;
  /** Really writes and reads a key; rejects if it cannot. */
  readonly touch: () => Promise<void>;
  /** Really reads; rejects if it cannot. */
  readonly look: () => Promise<void>;
  readonly close: () => Promise<void>;
};
