import { type HistoryData, historyRanges } from '../load/node-history.ts';
import { LinesPlot } from '../pictures/lines-plot.tsx';
import { groupDigits, shortNumber, spanText } from '../text/text-format.ts';
import { Panel, SaveMenu } from './parts.tsx';
import { Values } from './table.tsx';
import { TimeCell } from './time-text.tsx';
import { useWidth } from './use-width.ts';

type Bucket = NonNullable<HistoryData['points'][number]>;

/** One line of a plot: a value of a bucket, undefined if this server does not show it. */
type Series = { readonly word: string; readonly color: number; readonly value: (bucket: Bucket) => number | undefined };

/** A plot of the history: its title, unit and lines. */
export type HistoryPlot = { readonly title: string; readonly unit: string; readonly lines: readonly Series[] };

const perSecond =
  (value: (bucket: Bucket) => number) =>
  (bucket: Bucket): number =>
    value(bucket) / bucket.seconds;

export const acceptedPlot: HistoryPlot = {
  title: 'Accepted by this node',
  unit: 'tx/s',
  lines: [{ word: 'accepted', color: 1, value: perSecond(({ txCount }) => txCount) }],
};

export const issuedPlot: HistoryPlot = {
  title: 'Issued to this node',
  unit: 'tx/s',
  lines: [
    { word: 'issued', color: 1, value: perSecond(({ issued }) => issued) },
    { word: 'refused or dropped', color: 5, value: perSecond(({ refused, dropped }) => refused + dropped) },
  ],
};

export const bytesPlot: HistoryPlot = {
  title: 'Bytes of blocks',
  unit: 'kB/s',
  lines: [{ word: 'blocks', color: 1, value: perSecond(({ bytes }) => bytes / 1000) }],
};

export const latencyPlot: HistoryPlot = {
  title: 'Received to accepted',
  unit: 'ms',
  lines: [{ word: 'mean', color: 1, value: ({ meanLatency }) => meanLatency }],
};

export const cpuPlot: HistoryPlot = {
  title: 'CPU',
  unit: '% of a core',
  lines: [{ word: 'CPU', color: 1, value: ({ cpuSeconds, seconds }) => cpuSeconds && (cpuSeconds / seconds) * 100 }],
};

export const memoryPlot: HistoryPlot = {
  title: 'Memory',
  unit: 'MB',
  lines: [{ word: 'resident', color: 1, value: ({ residentBytes }) => residentBytes && residentBytes / 1e6 }],
};

export const blocksPlot: HistoryPlot = {
  title: 'Blocks',
  unit: 'blocks/s',
  lines: [{ word: 'accepted', color: 1, value: perSecond(({ blockCount }) => blockCount) }],
};

export const waitingPlot: HistoryPlot = {
  title: 'Transactions that wait',
  unit: 'tx',
  lines: [{ word: 'at most', color: 1, value: ({ mempoolTxCount }) => mempoolTxCount }],
};

/** Plots of what a node keeps about itself, and their values as a table. A plot without any value is left out. */
export function HistoryPlots({ history, plots }: { history: HistoryData; plots: readonly HistoryPlot[] }) {
  const { ref, width } = useWidth(1152);
  const { start, bucketSeconds, points } = history;
  const valuesOf = ({ value }: Series): (number | null)[] => points.map((bucket) => (bucket && value(bucket)) ?? null);
  const drawn = plots
    .map(({ title, unit, lines }) => ({ title, unit, lines: lines.map((line) => ({ ...line, values: valuesOf(line) })) }))
    .filter(({ lines }) => lines.some(({ values }) => values.some((value) => value !== null)));
  const plotWidth = Math.max(280, width >= 900 ? (width - 16) / 2 - 32 : width - 32);
  if (drawn.length === 0)
    return (
      <p ref={ref} class="note">
        The first values come some seconds after the start of the node.
      </p>
    );
  return (
    <div ref={ref} class="plots">
      {drawn.map(({ title, unit, lines }) => (
        <Panel title={title} side={<SaveMenu csv="history" svg={title} />}>
          <div class="padded" data-picture={title}>
            <LinesPlot
              lines={lines}
              width={plotWidth}
              height={170}
              unit={unit}
              label={`${title}, ${unit}`}
              timeOf={(at) => start + at * bucketSeconds}
            />
          </div>
          {lines.length > 1 && (
            <ul class="legend">
              {lines.map(({ word, color }) => (
                <li>
                  <i class={`dot mark-bg-${color}`} />
                  {word}
                </li>
              ))}
            </ul>
          )}
        </Panel>
      ))}
      <div class="plot-wide plot-values">
        <Values
          csv="history"
          summary={`Values, ${sinceText(history)}`}
          columns={['From', ...drawn.flatMap(({ lines, unit }) => lines.map(({ word }) => ({ number: `${word}, ${unit}` })))]}
        >
          {points.flatMap((bucket, at) =>
            bucket === null
              ? []
              : [
                  <tr>
                    <td>
                      <TimeCell time={bucket.timestamp} form="day" />
                    </td>
                    {drawn.flatMap(({ lines }) =>
                      lines.map(({ values }) => <td class="number">{values[at] == null ? '–' : shortNumber(values[at] as number)}</td>),
                    )}
                  </tr>,
                ],
          )}
        </Values>
      </div>
    </div>
  );
}

/** What a point is of, and how much of the range the node has kept. */
function sinceText({ range, start, bucketSeconds, points, nodeStart }: HistoryData): string {
  const each = `one every ${spanText(bucketSeconds)} by the real clock`;
  const isYoung = nodeStart > start + points.length * bucketSeconds - historyRanges[range].seconds;
  return isYoung ? `${each}; nothing is kept from before the start of the node` : `${each}; ${groupDigits(points.length)} points`;
}
