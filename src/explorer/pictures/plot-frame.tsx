import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { compactNumber } from '../text/text-format.ts';
import { offsetText, zoneOffset } from '../text/zone-time.ts';
import { type CursorValues, PlotCursor, usePlotCursor } from './plot-cursor.tsx';
import { margin, round } from './plot-scale.ts';
import { pointText, timeTicks } from './time-axis.ts';

/** The values of a plot as its frame needs them: `lines` has no time, which the frame adds. */
export type PlotValues = CursorValues & {
  /** Unix seconds. */
  readonly time: (at: number) => number;
};

type PlotFrameProps = {
  readonly width: number;
  readonly height: number;
  readonly unit: string;
  readonly label: string;
  /** Unix seconds at both ends of the axis. */
  readonly first: number;
  readonly last: number;
  /** Whether each value is of a day of UTC. Other times are shown in the zone of the reader. */
  readonly isByDay?: boolean | undefined;
  /** Seconds that a bar is of: its time is written below its middle. */
  readonly barTime?: number;
  readonly ticks: readonly number[];
  readonly atY: (value: number) => number;
  readonly values: PlotValues;
  readonly children: ComponentChildren;
};

/** What every plot over time is given beside its values. */
export type TimePlotProps = Pick<PlotFrameProps, 'width' | 'height' | 'unit' | 'label' | 'isByDay'> & {
  /** Unix seconds of a value. */
  readonly timeOf: (index: number) => number;
};

/** Pixels from one tick of time to the next, and half of the widest text of one. */
const [tickSpace, halfText] = [90, 28];

/** The frame of a plot: units of both axes, a line for each tick of the values, ticks of time below, and the cursor. A screen reader hears the highest and the last value. */
export function PlotFrame({
  width,
  height,
  unit,
  label,
  first,
  last,
  isByDay = false,
  barTime = 0,
  ticks,
  atY,
  values: plain,
  children,
}: PlotFrameProps) {
  const zone = useZone(last);
  const offset = isByDay ? 0 : zone;
  const values: PlotValues = {
    ...plain,
    lines: (at) => withTime(pointText(plain.time(at), first, last, offset, isByDay), plain.lines(at)),
  };
  const { at, attributes } = usePlotCursor(values, width);
  const area = { x: margin.left, y: margin.top, width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const base = area.y + area.height;
  const atTime = (time: number): number => round(area.x + (last === first ? 0 : ((time - first) / (last - first)) * area.width));
  const text = describePlot(label, values);
  return (
    <div class="plot-box" {...attributes} {...(attributes.role && { 'aria-label': text })}>
      <svg class="picture plot" viewBox={`0 0 ${width} ${height}`} width="100%" height={height} role="img" aria-label={text}>
        <text x={0} y={12} class="axis-text">
          {unit}
        </text>
        {ticks.map((tick) => (
          <>
            <path d={`M${margin.left} ${atY(tick)}H${width - margin.right}`} class={tick === 0 ? 'zero-line' : 'grid-line'} />
            <text x={margin.left - 8} y={atY(tick) + 4} class="axis-text end">
              {compactNumber(tick)}
            </text>
          </>
        ))}
        {children}
        <text x={0} y={height - 6} class="axis-text">
          {`UTC${offsetText(offset)}`}
        </text>
        {timeTicks(first, last - barTime, Math.max(2, Math.min(8, Math.floor(area.width / tickSpace))), offset).map(
          ({ time, text: word }) => {
            const x = atTime(time + barTime / 2);
            const side = x < area.x + halfText ? '' : x > width - halfText ? 'end' : 'middle';
            return (
              <>
                <path d={`M${x} ${base}v4`} class="zero-line" />
                <text x={x} y={height - 6} class={`axis-text ${side}`}>
                  {word}
                </text>
              </>
            );
          },
        )}
        {at !== undefined && <PlotCursor at={at} values={values} area={area} />}
      </svg>
    </div>
  );
}

/** The first line begins with the time. */
const withTime = (time: string, [first = '', ...rest]: readonly string[]): string[] => [`${time}: ${first}`, ...rest];

/** The plot in a sentence or two: what it shows, the highest and the last value. */
function describePlot(label: string, { count, y, lines }: PlotValues): string {
  if (count === 0) return `${label}. No values.`;
  let highest = 0;
  for (let at = 1; at < count; at++) if (y(at) < y(highest)) highest = at;
  return `${label}. Highest at ${lines(highest).join(', ')}. Last at ${lines(count - 1).join(', ')}.`;
}

/** Seconds that the zone of the reader is ahead of UTC at a time. 0 on the server and at first, so that both draw the same. */
function useZone(time: number): number {
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return isReady ? zoneOffset(time) : 0;
}
