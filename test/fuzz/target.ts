/** An entry point that takes bytes from outside. */
export type FuzzTarget = {
  readonly name: string;
  /** Valid inputs, from golden answers if there are some. */
  readonly seeds: () => readonly (Uint8Array | string)[];
  /** Words of the format that mutations insert. */
  readonly words?: readonly string[];
  readonly open: () => OpenedTarget | Promise<OpenedTarget>;
  /** Mutated inputs in `npm test`; 300 unless given. */
  readonly testRounds?: number;
  /** Limit of an input in bytes; 16,384 unless given. */
  readonly maxBytes?: number;
  /** CPU milliseconds that an input may take on the machine of the reference; 60 unless given. */
  readonly maxCpu?: number;
  /** Bytes of heap that may be retained after many inputs: what caches hold; 6,000,000 unless given. */
  readonly maxRetained?: number;
};

export type OpenedTarget = {
  /** Throws if the input is handled wrongly. An input that is refused as it should be is no error. */
  readonly run: (input: Uint8Array) => void | Promise<void>;
  readonly close?: () => void | Promise<void>;
};

export const bytesOf = (input: Uint8Array | string): Uint8Array => (typeof input === 'string' ? Buffer.from(input) : input);

/** Runs what must succeed or throw an error of the given kinds. Returns undefined if it threw one. */
export function orRefused<T>(kinds: readonly (abstract new (...args: never[]) => Error)[], run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (kinds.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}
