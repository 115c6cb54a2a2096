import type { TxType } from '../../api/contract/answers.ts';
import type { HomeData, SecondCounts } from '../load/load-home.ts';

/** Seconds that are kept: a minute is shown, and a clock that is set back a little finds them again. */
const keptSeconds = 120;

/** Counts transactions by second and type. Each block is counted once: those that the loaded page has counted are known by their height. */
export function createSecondCounts() {
  let counts = new Map<number, SecondCountsOf>();
  let countedTo = 0;
  return {
    counts: (): SecondCounts => counts,
    restart: (home: Pick<HomeData, 'seconds' | 'countedTo'> | undefined): void => {
      counts = new Map(home?.seconds.map(([second, txs]) => [second, { ...txs }]));
      countedTo = home?.countedTo ?? 0;
    },
    add: (type: TxType, { height, time }: { readonly height: number; readonly time: number }): void => {
      if (height <= countedTo) return;
      const second = counts.get(time) ?? { BaseTx: 0, CreateAssetTx: 0, OperationTx: 0, ImportTx: 0, ExportTx: 0 };
      second[type]++;
      counts.set(time, second);
    },
    /** After a revert, blocks above the height are counted when they are built again. The counts of reverted ones go with the next load. */
    revert: (height: number): void => {
      countedTo = Math.min(countedTo, height);
    },
    forget: (now: number): void => {
      for (const second of counts.keys()) if (second <= now - keptSeconds) counts.delete(second);
    },
  };
}

type SecondCountsOf = Record<TxType, number>;
