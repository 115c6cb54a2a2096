/** What the status line shows. */
export type NodeStatus = {
  readonly height: bigint;
  readonly pending: number;
  readonly txsPerSecond: number;
  readonly residentBytes: number;
};

/** `height 42 · 3 pending · 118 tx/s · 61 MB`, never wider than `columns`. */
export function formatStatusLine({ height, pending, txsPerSecond, residentBytes }: NodeStatus, columns: number): string {
  const parts = [`height ${height}`, `${pending} pending`, `${formatRate(txsPerSecond)} tx/s`, `${Math.round(residentBytes / 1e6)} MB`];
  return parts.join(' · ').slice(0, Math.max(0, columns));
}

/** Rates below ten have one decimal. */
const formatRate = (rate: number): string => (rate >= 10 || rate === 0 ? `${Math.round(rate)}` : rate.toFixed(1));

/** Counts transactions over the last seconds. `now`: milliseconds of a monotonic clock. */
export function createTxRate(now: () => number): { readonly add: (txs: number) => void; readonly perSecond: () => number } {
  /** Transactions of the last `slots` slots of `slotLength` milliseconds. */
  const counts = new Array<number>(slots).fill(0);
  let current = Math.floor(now() / slotLength);
  const advance = (): void => {
    const slot = Math.floor(now() / slotLength);
    for (let at = Math.max(current + 1, slot - slots + 1); at <= slot; at++) counts[at % slots] = 0;
    current = slot;
  };
  return {
    add: (txs) => {
      advance();
      counts[current % slots] = (counts[current % slots] ?? 0) + txs;
    },
    perSecond: () => {
      advance();
      return counts.reduce((sum, count) => sum + count, 0) / ((slots * slotLength) / 1000);
    },
  };
}

const slots = 8;
const slotLength = 250;
