import type { IssueMinutes, Throughput } from '../../api/contract/answers.ts';
import type { PageContext } from '../load/page-context.ts';
import { allKinds } from '../load/tx-kind.ts';
import { Plot, type Point } from '../pictures/plot.tsx';
import { StackedPlot } from '../pictures/stacked-plot.tsx';
import { amountText, bytesText, groupDigits, shortNumber, timeText } from '../text/text-format.ts';
import { Facts, Panel, SaveMenu } from './parts.tsx';
import { Values } from './table.tsx';
import { IssuePlots } from './throughput-issues.tsx';
import { BucketTime } from './time-text.tsx';
import { useWidth } from './use-width.ts';

/** The most points of a plot: an hour is shown in means of 15 s. */
const maxPoints = 240;

type ShortRangeProps = {
  readonly recent: Throughput;
  readonly issues: IssueMinutes | undefined;
  readonly chain: PageContext['chain'];
  readonly isLog: boolean;
};

/** Sums of the seconds, in buckets of `step` seconds from `start` on. `kinds`: transactions per second by kind. */
function bucketsOf({ endTimestamp, windowSeconds, seconds }: Throughput, feeDecimals: number) {
  const step = Math.max(1, Math.ceil(windowSeconds / maxPoints));
  const start = endTimestamp - windowSeconds;
  const count = Math.ceil(windowSeconds / step);
  const sums = <K extends string>(
    keys: readonly K[],
    value: (second: Throughput['seconds'][number], key: K) => number,
  ): Record<K, number>[] => {
    const buckets = Array.from({ length: count }, () => Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>);
    for (const second of seconds) {
      const bucket = buckets[Math.floor((second.timestamp - start) / step)];
      if (bucket !== undefined) for (const key of keys) bucket[key] += value(second, key);
    }
    return buckets;
  };
  const kinds = sums(
    allKinds.map(([type]) => type),
    ({ txCountByType }, type) => txCountByType[type] / step,
  );
  const totals = sums(['txs', 'blocks', 'bytes', 'burned'] as const, (second, key) => totalsOfSecond[key](second, feeDecimals));
  return { step, start, kinds, totals };
}

const totalsOfSecond = {
  txs: ({ txCount }: Throughput['seconds'][number]) => txCount,
  blocks: ({ blockCount }: Throughput['seconds'][number]) => blockCount,
  bytes: ({ bytes }: Throughput['seconds'][number]) => bytes,
  burned: ({ burned }: Throughput['seconds'][number], feeDecimals: number) => Number(burned) / 10 ** feeDecimals,
};

type Buckets = ReturnType<typeof bucketsOf>;
type Chain = PageContext['chain'];

/** The last minute or hour by second. */
export function ShortRange({ recent, issues, chain, isLog }: ShortRangeProps) {
  const { ref, width } = useWidth(1152);
  const { figures } = recent;
  const buckets = bucketsOf(recent, chain.feeDecimals);
  const { step, start, totals } = buckets;
  const points = (value: (bucket: (typeof totals)[number]) => number): Point[] =>
    totals.map((bucket, at) => ({ x: start + at * step, y: value(bucket) }));
  const small = Math.max(280, width >= 900 ? (width - 16) / 2 - 32 : width - 32);
  const perBlock = (total: number, blocks: number): number => (blocks === 0 ? 0 : total / blocks);
  const plots = [
    { title: 'Transactions per block', unit: 'tx', kind: 'bars', color: 1, values: points(({ txs, blocks }) => perBlock(txs, blocks)) },
    { title: 'Bytes per block', unit: 'B', kind: 'bars', color: 1, values: points(({ bytes, blocks }) => perBlock(bytes, blocks)) },
    { title: 'Blocks per second', unit: 'blocks/s', kind: 'line', color: 1, values: points(({ blocks }) => blocks / step) },
    { title: 'Burned as fees', unit: chain.feeSymbol, kind: 'bars', color: 5, values: points(({ burned }) => burned) },
  ] as const;
  return (
    <>
      <Figures figures={figures} chain={chain} />
      <div ref={ref} class="plots">
        <KindsPanel figures={figures} chain={chain} buckets={buckets} width={Math.max(280, width - 32)} />
        {plots.map(({ title, unit, kind, color, values }) => (
          <Panel title={title} side={<SaveMenu svg={title} />}>
            <div class="padded" data-picture={title}>
              <Plot points={values} width={small} height={180} kind={kind} color={color} unit={unit} isLog={isLog} label={title} />
            </div>
          </Panel>
        ))}
        {issues !== undefined && <IssuePlots issues={issues} width={small} />}
        {issues === undefined && figures.latency !== undefined && <LatencyPanel latency={figures.latency} />}
      </div>
    </>
  );
}

const Figures = ({ figures, chain }: { figures: Throughput['figures']; chain: Chain }) => (
  <Facts
    columns={6}
    facts={[
      { name: 'Mean', value: Number(figures.meanTps.toFixed(2)) },
      { name: 'Peak second', value: groupDigits(figures.peakTps) },
      { name: 'Transactions', value: groupDigits(figures.txCount) },
      { name: 'Blocks', value: groupDigits(figures.blockCount) },
      { name: 'Bytes', value: bytesText(figures.bytes) },
      {
        name: 'Burned',
        value: (
          <>
            {amountText(figures.burned, chain.feeDecimals)} <small>{chain.feeSymbol}</small>
          </>
        ),
      },
    ]}
  />
);

type KindsProps = {
  readonly figures: Throughput['figures'];
  readonly chain: Chain;
  readonly buckets: Buckets;
  readonly width: number;
};

/** Transactions by kind as a picture, and the values of all plots as a table. */
const KindsPanel = ({ figures, chain, buckets: { step, start, kinds, totals }, width }: KindsProps) => (
  <Panel
    title="Transactions per second, by kind"
    class="plot-wide"
    side={
      <>
        <span>{step === 1 ? 'by second' : `means of ${step} s`}</span>
        <SaveMenu csv="throughput" svg="throughput" />
      </>
    }
  >
    <div class="padded" data-picture="throughput">
      <StackedPlot
        layers={allKinds.map(([type, { word, color }]) => ({ word, color, values: kinds.map((bucket) => bucket[type]) }))}
        width={width}
        height={240}
        unit="tx/s"
        timeOf={(at) => start + at * step}
        label={`Transactions per second by kind: peak ${figures.peakTps}, mean ${figures.meanTps.toFixed(2)}`}
      />
    </div>
    <ul class="legend">
      {allKinds.map(([type, { word, color }]) => (
        <li>
          <i class={`dot mark-bg-${color}`} />
          {word} <b>{groupDigits(figures.txCountByType[type])}</b>
        </li>
      ))}
    </ul>
    <Values
      csv="throughput"
      columns={[
        'From, UTC',
        ...allKinds.map(([, { word }]) => ({ number: `${word}, tx/s` })),
        { number: 'Blocks' },
        { number: 'Bytes' },
        { number: `Burned, ${chain.feeSymbol}` },
      ]}
    >
      {totals.flatMap((bucket, at) =>
        bucket.blocks === 0
          ? []
          : [
              <tr>
                <td>
                  <BucketTime time={start + at * step} text={timeText(start + at * step)} />
                </td>
                {allKinds.map(([type]) => (
                  <td class="number">{shortNumber(kinds[at]?.[type] ?? 0)}</td>
                ))}
                <td class="number">{groupDigits(bucket.blocks)}</td>
                <td class="number">{groupDigits(bucket.bytes)}</td>
                <td class="number">{shortNumber(bucket.burned)}</td>
              </tr>,
            ],
      )}
    </Values>
  </Panel>
);

const LatencyPanel = ({ latency }: { latency: NonNullable<Throughput['figures']['latency']> }) => (
  <Panel title="Received to accepted" class="plot-wide" side={<span>the newest {groupDigits(latency.count)} issued here</span>}>
    <dl class="pairs in-row">
      {(['p50', 'p90', 'p99', 'max'] as const).map((name) => (
        <div>
          <dt>{name}</dt>
          <dd>{latency[name].toFixed(1)} ms</dd>
        </div>
      ))}
    </dl>
  </Panel>
);
