/**
 * The Redis (or Valkey) client that this module needs; `platform/` implements it. Every call is answered or rejected within the client's
 * timeout, and rejected at once while the server is unreachable. The client reconnects by itself.
 */
export type Redis = {
  /** Returns strings and integers unchanged, lists as arrays, and null if there is no value. */
  readonly send: (command: string, args: readonly (string | Uint8Array)[]) => Promise<unknown>;
  /** The value of a key as bytes; `send` would decode it as text. */
  readonly getBytes: (key: string) => Promise<Uint8Array | undefined>;
  readonly close: () => void;
};
