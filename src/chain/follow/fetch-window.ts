/**
 * Limits of concurrent block requests: grows while the node responds, halves with every failure, and respects a memory limit.
 * The size of blocks not yet fetched is estimated by a moving average.
 */
type FetchWindow = {
  /** Number of requests that may be in flight. */
  readonly maxInFlight: () => number;
  /** Number of heights that may be fetched ahead of the next one to be taken. */
  readonly maxAhead: bigint;
  /** Whether one more block fits in memory, given the bytes that wait to be taken and the requests in flight. */
  readonly fitsInMemory: (waitingBytes: number, inFlight: number) => boolean;
  readonly onSuccess: (bytes: number) => void;
  readonly onFailure: () => void;
};

/** `maxBytes` counts encoded blocks; decoded transactions take about twenty times as much memory. */
const limits = { initialInFlight: 4, maxInFlight: 16, maxAhead: 2048n, maxBytes: 4 * 1024 * 1024 } as const;

export function createFetchWindow(): FetchWindow {
  let size: number = limits.initialInFlight;
  let averageBytes = 64 * 1024;
  return {
    maxInFlight: () => Math.floor(size),
    maxAhead: limits.maxAhead,
    fitsInMemory: (waitingBytes, inFlight) => waitingBytes + (inFlight + 1) * averageBytes <= limits.maxBytes,
    onSuccess: (bytes) => {
      size = Math.min(limits.maxInFlight, size + 1 / size);
      averageBytes += (bytes - averageBytes) / 16;
    },
    onFailure: () => {
      size = Math.max(1, size / 2);
    },
  };
}
