import { useState } from 'preact/hooks';
import { ranges, type ThroughputData } from '../load/load-throughput.ts';
import type { PageContext, ViewProps } from '../load/page-context.ts';
import { Plot } from '../pictures/plot.tsx';
import { amountText, dateText, decimalText, groupDigits, plural, shortNumber, timeText } from '../text/text-format.ts';
import { acceptedPlot, bytesPlot, HistoryPlots, issuedPlot, latencyPlot } from './history-plots.tsx';
import { Facts, PageHead, Panel, SaveMenu, type Scale, ScaleSwitch } from './parts.tsx';
import { Values } from './table.tsx';
import { ShortRange } from './throughput-seconds.tsx';
import { BucketTime } from './time-text.tsx';
import { useWidth } from './use-width.ts';

const plots = [
  { metric: 'txCount', title: 'Transactions', unit: 'tx', kind: 'bars', color: 1 },
  { metric: 'avgTps', title: 'Mean transactions per second', unit: 'tx/s', kind: 'line', color: 1 },
  { metric: 'maxTps', title: 'Peak transactions per second', unit: 'tx/s', kind: 'line', color: 2 },
  { metric: 'activeAddresses', title: 'Active addresses', unit: 'addresses', kind: 'line', color: 1 },
  { metric: 'activeSenders', title: 'Senders', unit: 'addresses', kind: 'line', color: 3 },
  { metric: 'feesPaid', title: 'Burned as fees', unit: 'fee', kind: 'bars', color: 5 },
  { metric: 'cumulativeTxCount', title: 'Transactions since block 1', unit: 'tx', kind: 'line', color: 1 },
  { metric: 'cumulativeAddresses', title: 'Addresses ever used', unit: 'addresses', kind: 'line', color: 3 },
] as const;

export function ThroughputView({
  data: { range, rates, series, windows, recent, issues, history },
  context: { chain, has },
  now,
}: ViewProps<ThroughputData>) {
  const [scale, setScale] = useState<Scale>('linear');
  return (
    <>
      <PageHead
        title="Throughput"
        line={`per ${ranges[range].unit}, UTC · as of ${timeText(now)}`}
        buttons={
          <>
            <nav class="switch" aria-label="Range">
              {Object.entries(ranges)
                .filter(([, { unit }]) => unit === 'second' || has.metrics)
                .map(([name, { word }]) => (
                  <a href={`/throughput?range=${name}`} aria-current={name === range ? 'true' : undefined}>
                    {word}
                  </a>
                ))}
            </nav>
            <ScaleSwitch value={scale} onChange={setScale} />
          </>
        }
      />
      <Rates rates={rates} />
      {history !== undefined && <HistoryPlots history={history} plots={[acceptedPlot, issuedPlot, latencyPlot, bytesPlot]} />}
      {recent === undefined ? (
        <LongRange range={range} series={series} windows={windows} chain={chain} isLog={scale === 'log'} />
      ) : (
        <ShortRange recent={recent} issues={issues} chain={chain} isLog={scale === 'log'} />
      )}
    </>
  );
}

const rateText = (rate: number): string => shortNumber(Number(rate.toFixed(rate < 10 ? 2 : 1)));

/** The answer of the page: how many transactions are accepted per second. */
const Rates = ({ rates: { minute, hour } }: Pick<ThroughputData, 'rates'>) => (
  <Facts
    columns={3}
    weight="answer"
    facts={[
      { name: 'Accepted now', rate: minute.tps, note: 'mean of five seconds' },
      { name: 'Last minute', rate: minute.meanTps, note: plural(minute.txCount, 'transaction') },
      {
        name: 'Last hour',
        rate: hour.meanTps,
        note: `${plural(hour.txCount, 'transaction')}, at most ${groupDigits(hour.peakTps)} in a second`,
      },
    ].map(({ name, rate, note }) => ({
      name,
      value: (
        <>
          {rateText(rate)} <small>tx/s</small>
        </>
      ),
      note,
    }))}
  />
);

type LongRangeProps = Omit<ThroughputData, 'recent' | 'issues' | 'rates' | 'history'> & {
  readonly chain: PageContext['chain'];
  readonly isLog: boolean;
};

/** Hours and days, from the Metrics API. */
function LongRange({ range, series, windows, chain, isLog }: LongRangeProps) {
  const { ref, width } = useWidth(1152);
  const isHourly = ranges[range].unit === 'hour';
  const textOfTime = (time: number): string => (isHourly ? `${dateText(time)} ${timeText(time).slice(0, 5)}` : dateText(time));
  const shown = plots.filter(({ metric }) => (series[metric]?.length ?? 0) > 1);
  const columns = width >= 900 ? 2 : 1;
  return (
    <>
      <Facts
        columns={6}
        facts={[
          { name: 'Transactions, 1 h', value: groupDigits(windows.txCount?.lastHour ?? 0) },
          { name: 'Transactions, 24 h', value: groupDigits(windows.txCount?.lastDay ?? 0) },
          { name: 'In all', value: groupDigits(windows.txCount?.allTime ?? 0) },
          {
            name: 'Peak, 24 h',
            value: (
              <>
                {groupDigits(Math.round(windows.maxTps?.lastDay ?? 0))} <small>tx/s</small>
              </>
            ),
          },
          { name: 'Active addresses, 24 h', value: groupDigits(windows.activeAddresses?.lastDay ?? 0) },
          {
            name: 'Burned, 24 h',
            value: (
              <>
                {amountText(BigInt(Math.round(windows.feesPaid?.lastDay ?? 0)), chain.feeDecimals)} <small>{chain.feeSymbol}</small>
              </>
            ),
          },
        ]}
      />
      <div ref={ref} class="plots">
        {shown.map(({ metric, title, unit, kind, color }, at) => {
          const divisor = unit === 'fee' ? 10 ** chain.feeDecimals : 1;
          const points = (series[metric] ?? []).map(({ value, timestamp }) => ({ x: timestamp, y: value / divisor }));
          const isFirst = at === 0;
          return (
            <Panel title={title} class={isFirst ? 'plot-wide' : ''} side={<SaveMenu csv={metric} svg={metric} />}>
              <div class="padded" data-picture={metric}>
                <Plot
                  points={points}
                  width={isFirst || columns === 1 ? Math.max(280, width - 32) : Math.max(280, (width - 16) / 2 - 32)}
                  height={isFirst ? 240 : 180}
                  kind={kind}
                  color={color}
                  unit={unit === 'fee' ? chain.feeSymbol : unit}
                  isLog={isLog}
                  label={`${title}: ${points.length} values from ${textOfTime(points[0]?.x ?? 0)}; the table below has them`}
                  isByDay={!isHourly}
                />
              </div>
              <Values csv={metric} columns={['From, UTC', { number: title }]}>
                {points.toReversed().map(({ x, y }) => (
                  <tr>
                    <td>
                      <BucketTime time={x} text={textOfTime(x)} />
                    </td>
                    <td class="number">{decimalText(y, 15)}</td>
                  </tr>
                ))}
              </Values>
            </Panel>
          );
        })}
      </div>
    </>
  );
}
