/** Blocks and transactions per second over the last ten seconds. */
type RateMeter = {
  readonly add: (blocks: number, txs: number) => void;
  readonly rates: () => { readonly blocksPerSecond: number; readonly txsPerSecond: number };
};

/** Milliseconds over which rates are averaged. */
const window = 10_000;

export function createRateMeter(now: () => number): RateMeter {
  const marks: { readonly at: number; readonly blocks: number; readonly txs: number }[] = [];
  const began = now();

  const dropOld = (): void => {
    const oldest = now() - window;
    while ((marks[0]?.at ?? Number.POSITIVE_INFINITY) < oldest) marks.shift();
  };

  return {
    add: (blocks, txs) => {
      marks.push({ at: now(), blocks, txs });
      dropOld();
    },
    rates: () => {
      dropOld();
      const seconds = Math.max(Math.min(now() - began, window), 1) / 1000;
      const sum = (of: 'blocks' | 'txs') => marks.reduce((total, mark) => total + mark[of], 0) / seconds;
      return { blocksPerSecond: sum('blocks'), txsPerSecond: sum('txs') };
    },
  };
}
