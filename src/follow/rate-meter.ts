/** How fast something goes, over the last seconds. */
export type Meter = {
  readonly add: (blocks: number, txs: number) => void;
  readonly rates: () => { readonly blocksPerSecond: number; readonly txsPerSecond: number };
};

/** Milliseconds looked back on. */
const span = 10_000;

export function createMeter(now: () => number): Meter {
  const marks: { readonly at: number; readonly blocks: number; readonly txs: number }[] = [];
  const began = now();

  const forget = (): void => {
    const oldest = now() - span;
    while ((marks[0]?.at ?? Number.POSITIVE_INFINITY) < oldest) marks.shift();
  };

  return {
    add: (blocks, txs) => {
      marks.push({ at: now(), blocks, txs });
      forget();
    },
    rates: () => {
      forget();
      const seconds = Math.max(Math.min(now() - began, span), 1) / 1000;
      const sum = (of: 'blocks' | 'txs') => marks.reduce((total, mark) => total + mark[of], 0) / seconds;
      return { blocksPerSecond: sum('blocks'), txsPerSecond: sum('txs') };
    },
  };
}
