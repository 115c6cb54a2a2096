/** What one second of reads must cost until a reader process pays for its memory: 10,000 calls of the Node RPC take about a fifth of a core. */
export const demandPerSecond = 10_000;

/** What the reads of a kind count; a page of the Data API takes as long as some dozens of calls. */
export const readWeights = { call: 1, page: 25 } as const;

/** Counts reads that reader processes could answer; calls `onDemand` once, when a second had enough of them. `now`: monotonic milliseconds. */
export function createReadDemand(now: () => number, onDemand: () => void): (kind: keyof typeof readWeights) => void {
  let began = Number.NEGATIVE_INFINITY;
  let counted = 0;
  let isMet = false;
  return (kind) => {
    if (isMet) return;
    const time = now();
    if (time - began >= 1000) {
      began = time;
      counted = 0;
    }
    counted += readWeights[kind];
    if (counted < demandPerSecond) return;
    isMet = true;
    onDemand();
  };
}
