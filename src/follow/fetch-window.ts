/**
 * How much is fetched at once: more as long as the node answers, half as much whenever it stumbles; never more than memory bears.
 * The sizes of blocks to come are taken from those that came.
 */
export type Window = {
  /** How many questions may be under way. */
  readonly inFlight: () => number;
  /** How many heights may be fetched ahead of what was taken. */
  readonly ahead: bigint;
  /** Whether one more question may be asked, with so many bytes waiting to be taken and so many questions under way. */
  readonly fits: (waitingBytes: number, asked: number) => boolean;
  readonly went: (bytes: number) => void;
  readonly stumbled: () => void;
};

/** Decoded transactions take some twenty times the bytes they had on the wire. */
const limits = { first: 4, most: 16, ahead: 2048n, bytes: 4 * 1024 * 1024 } as const;

export function createWindow(): Window {
  let size: number = limits.first;
  let averageBytes = 64 * 1024;
  return {
    inFlight: () => Math.floor(size),
    ahead: limits.ahead,
    fits: (waitingBytes, asked) => waitingBytes + (asked + 1) * averageBytes <= limits.bytes,
    went: (bytes) => {
      size = Math.min(limits.most, size + 1 / size);
      averageBytes += (bytes - averageBytes) / 16;
    },
    stumbled: () => {
      size = Math.max(1, size / 2);
    },
  };
}
