/**
 * Redis or Valkey, as this room asks it; `platform/` has it. Every call is answered or rejected within the client's own time limit, at once
 * while the server cannot be reached; it is found again without help.
 */
export type Redis = {
  /** Texts and whole numbers come back as they are, lists as arrays, nothing as null. */
  readonly send: (command: string, args: readonly (string | Uint8Array)[]) => Promise<unknown>;
  /** The bytes under a key, which `send` would take for text. */
  readonly getBytes: (key: string) => Promise<Uint8Array | undefined>;
  readonly close: () => void;
};
