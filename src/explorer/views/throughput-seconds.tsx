import type { IssueMinutes, Throughput } from '../../api/contract/answers.ts';
import type { PageContext } from '../load/page-context.ts';
import { allKinds } from '../load/tx-kind.ts';
import { Plot, type Point } from '../pictures/plot.tsx';
import { StackedPlot } from '../pictures/stacked-plot.tsx';
import { amountText, groupDigits, shortNumber, timeText } from '../text/text-format.ts';
import { Facts, Panel, SaveMenu } from './parts.tsx';
import { IssuePlots } from './throughput-issues.tsx';
import { TimeCell } from './time-text.tsx';
import { useWidth } from './use-width.ts';

/** The most points of a plot: an hour is shown in means of 15 s. */
const maxPoints = 240;

type ShortRangeProps = {
  readonly recent: Throughput;
  readonly issues: IssueMinutes | undefined;
  readonly chain: PageContext['chain'];
  readonly isLog: boolean;
};

/** The last minute or hour by second. */
export function ShortRange({ recent, issues, chain, isLog }: ShortRangeProps) {
  const { ref, width } = useWidth(1152);
  const { figures, endTimestamp, windowSeconds, seconds } = recent;
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
  const others = sums(['txs', 'blocks', 'bytes', 'burned'] as const, (second, key) =>
    key === 'txs'
      ? second.txCount
      : key === 'blocks'
        ? second.blockCount
        : key === 'bytes'
          ? second.bytes
          : Number(second.burned) / 10 ** chain.feeDecimals,
  );
  const points = (value: (bucket: (typeof others)[number]) => number): Point[] =>
    others.map((bucket, at) => ({ x: start + at * step, y: value(bucket) }));
  const small = width >= 900 ? (width - 16) / 2 - 32 : width - 32;
  const times = { from: timeText(start), to: timeText(endTimestamp) };
  const perBlock = (total: number, blocks: number): number => (blocks === 0 ? 0 : total / blocks);
  const plots = [
    { title: 'Transactions per block', unit: 'tx', kind: 'bars', color: 1, values: points(({ txs, blocks }) => perBlock(txs, blocks)) },
    { title: 'Bytes per block', unit: 'B', kind: 'bars', color: 1, values: points(({ bytes, blocks }) => perBlock(bytes, blocks)) },
    { title: 'Blocks per second', unit: 'blocks/s', kind: 'line', color: 1, values: points(({ blocks }) => blocks / step) },
    { title: 'Burned as fees', unit: chain.feeSymbol, kind: 'bars', color: 5, values: points(({ burned }) => burned) },
  ] as const;
  return (
    <>
      <Facts
        columns={6}
        facts={[
          {
            name: 'Now',
            value: (
              <>
                {String(Number(figures.tps.toFixed(1)))} <small>tx/s</small>
              </>
            ),
          },
          { name: 'Mean', value: Number(figures.meanTps.toFixed(2)) },
          { name: 'Peak second', value: groupDigits(figures.peakTps) },
          { name: 'Transactions', value: groupDigits(figures.txCount) },
          { name: 'Blocks', value: groupDigits(figures.blockCount) },
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
      <div ref={ref} class="plots">
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
              width={Math.max(280, width - 32)}
              height={240}
              unit="tx/s"
              timeText={(at) => timeText(start + at * step)}
              label={`Transactions per second by kind: peak ${figures.peakTps}, mean ${figures.meanTps.toFixed(2)}`}
              {...times}
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
          <details class="values">
            <summary>Values</summary>
            <table data-csv="throughput">
              <thead>
                <tr>
                  <th>From, UTC</th>
                  {allKinds.map(([, { word }]) => (
                    <th class="number">{word}, tx/s</th>
                  ))}
                  <th class="number">Blocks</th>
                  <th class="number">Bytes</th>
                  <th class="number">Burned, {chain.feeSymbol}</th>
                </tr>
              </thead>
              <tbody>
                {others.flatMap((bucket, at) =>
                  bucket.blocks === 0
                    ? []
                    : [
                        <tr>
                          <td>
                            <TimeCell time={start + at * step} text={timeText(start + at * step)} />
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
              </tbody>
            </table>
          </details>
        </Panel>
        {plots.map(({ title, unit, kind, color, values }) => (
          <Panel title={title} side={<SaveMenu svg={title} />}>
            <div class="padded" data-picture={title}>
              <Plot
                points={values}
                width={Math.max(280, small)}
                height={180}
                kind={kind}
                color={color}
                unit={unit}
                isLog={isLog}
                valueText={({ x, y }) => `${timeText(x)}: ${shortNumber(y)} ${unit}`}
                label={title}
                {...times}
              />
            </div>
          </Panel>
        ))}
        {issues !== undefined && <IssuePlots issues={issues} width={Math.max(280, small)} />}
        {issues === undefined && figures.latency !== undefined && (
          <Panel title="Received to accepted" side={<span>the newest {groupDigits(figures.latency.count)} issued here</span>}>
            <dl class="pairs">
              {(['p50', 'p90', 'p99', 'max'] as const).map((name) => (
                <div>
                  <dt>{name}</dt>
                  <dd>{figures.latency?.[name].toFixed(1)} ms</dd>
                </div>
              ))}
            </dl>
          </Panel>
        )}
      </div>
    </>
  );
}
