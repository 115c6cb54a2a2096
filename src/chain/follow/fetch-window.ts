/** `maxBytes` counts encoded blocks; decoded transactions take about twenty times as much memory. */
const limits = { initialInFlight: 4, maxInFlight: 16, maxAhead: 2048n, maxBytes: 4 * 1024 * 1024 } as const;

/**
 * Limits of concurrent block requests: grows while the node responds, halves with every failure, and respects a memory limit.
 * The size of blocks not yet fetched is estimated by a moving average.
 */
export function createFetchWindow() {
  let size: number = limits.initialInFlight;
  let averageBytes = 64 * 1024;
  return {
    /** Number of requests that may be in flight. */
    maxInFlight: () => Math.floor(size),
    /** Number of heights that may be fetched ahead of the next one to be taken. */
    maxAhead: limits.maxAhead,
    /** Whether one more block fits in memory, given the bytes that wait to be taken and the requests in flight. */
    fitsInMemory: (waitingBytes: number, inFlight: number): boolean => waitingBytes + (inFlight + 1) * averageBytes <= limits.maxBytes,
    onSuccess: (bytes: number): void => {
      size = Math.min(limits.maxInFlight, size + 1 / size);
      averageBytes += (bytes - averageBytes) / 16;
    },
    onFailure: (): void => {
      size = Math.max(1, size / 2);
    },
  };
}
