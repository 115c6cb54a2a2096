import type { IssueMinutes } from '../../api/contract/answers.ts';
import { LinesPlot } from '../pictures/lines-plot.tsx';
import { Plot } from '../pictures/plot.tsx';
import { groupDigits, timeText } from '../text/text-format.ts';
import { Panel, SaveMenu } from './parts.tsx';
import { Values } from './table.tsx';
import { BucketTime } from './time-text.tsx';

const percentiles = [
  { name: 'p50', color: 1 },
  { name: 'p90', color: 4 },
  { name: 'p99', color: 5 },
] as const;

/** Minutes of the plots. */
const minuteCount = 60;

/** What happened by minute to transactions that were issued to this node: how long acceptance took, how many were refused or dropped. */
export function IssuePlots({ issues, width }: { issues: IssueMinutes; width: number }) {
  const start = issues.endTimestamp - (minuteCount - 1) * 60;
  const byStart = new Map(issues.minutes.map((minute) => [minute.timestamp, minute]));
  const minutes = Array.from({ length: minuteCount }, (_, at) => byStart.get(start + at * 60));
  const accepted = issues.minutes.reduce((sum, { latency }) => sum + (latency?.count ?? 0), 0);
  const lost = issues.minutes.reduce((sum, { refused, dropped }) => sum + refused + dropped, 0);
  const plot = { start, minutes, width };
  return (
    <>
      {accepted > 0 && <LatencyPanel {...plot} count={accepted} />}
      {lost > 0 && <RefusedPanel {...plot} count={lost} />}
      {issues.minutes.length > 0 && <MinutesPanel minutes={issues.minutes} />}
    </>
  );
}

type Minute = IssueMinutes['minutes'][number];

/** `start`: Unix seconds of the first minute. `count`: transactions of all minutes. */
type PlotProps = {
  readonly start: number;
  readonly minutes: readonly (Minute | undefined)[];
  readonly width: number;
  readonly count: number;
};

const LatencyPanel = ({ start, minutes, width, count }: PlotProps) => (
  <Panel
    title="Received to accepted, by minute"
    side={
      <>
        <span>{groupDigits(count)} issued here in 1 h</span>
        <SaveMenu csv="issued" svg="latency" />
      </>
    }
  >
    <div class="padded" data-picture="latency">
      <LinesPlot
        lines={percentiles.map(({ name, color }) => ({
          word: name,
          color,
          values: minutes.map((minute) => minute?.latency?.[name] ?? null),
        }))}
        width={width}
        height={180}
        unit="ms"
        label="Milliseconds from issue to acceptance by minute; the table below has the values"
        timeOf={(at) => start + at * 60}
      />
    </div>
    <ul class="legend">
      {percentiles.map(({ name, color }) => (
        <li>
          <i class={`dot mark-bg-${color}`} />
          {name}
        </li>
      ))}
    </ul>
  </Panel>
);

const RefusedPanel = ({ start, minutes, width, count }: PlotProps) => (
  <Panel
    title="Refused or dropped per minute"
    side={
      <>
        <span>{groupDigits(count)} in 1 h</span>
        <SaveMenu svg="refused" />
      </>
    }
  >
    <div class="padded" data-picture="refused">
      <Plot
        points={minutes.map((minute, at) => ({ x: start + at * 60, y: (minute?.refused ?? 0) + (minute?.dropped ?? 0) }))}
        width={width}
        height={180}
        kind="bars"
        color={5}
        unit="tx"
        label="Refused or dropped transactions per minute; the table has the values"
      />
    </div>
  </Panel>
);

const MinutesPanel = ({ minutes }: { minutes: readonly Minute[] }) => (
  <Panel title="Issued to this node, by minute" class="plot-wide" side={<span>by the real clock, UTC</span>}>
    <Values
      csv="issued"
      columns={[
        'From, UTC',
        { number: 'Accepted' },
        ...[...percentiles.map(({ name }) => name), 'max'].map((name) => ({ number: `${name}, ms` })),
        { number: 'Refused' },
        { number: 'Dropped' },
      ]}
    >
      {minutes.map(({ timestamp, latency, refused, dropped }) => (
        <tr>
          <td>
            <BucketTime time={timestamp} text={timeText(timestamp)} />
          </td>
          <td class="number">{groupDigits(latency?.count ?? 0)}</td>
          {(['p50', 'p90', 'p99', 'max'] as const).map((name) => (
            <td class="number">{latency === undefined ? '–' : latency[name].toFixed(1)}</td>
          ))}
          <td class="number">{groupDigits(refused)}</td>
          <td class="number">{groupDigits(dropped)}</td>
        </tr>
      ))}
    </Values>
  </Panel>
);
