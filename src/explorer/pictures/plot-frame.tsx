import type { ComponentChildren } from 'preact';
import { compactNumber } from '../text/text-format.ts';
import { type CursorValues, PlotCursor, usePlotCursor } from './plot-cursor.tsx';
import { margin } from './plot-scale.ts';

type PlotFrameProps = {
  readonly width: number;
  readonly height: number;
  readonly unit: string;
  readonly label: string;
  /** Texts below the first and the last point. */
  readonly from: string;
  readonly to: string;
  readonly ticks: readonly number[];
  readonly atY: (value: number) => number;
  readonly values: CursorValues;
  readonly children: ComponentChildren;
};

/** What every plot over time is given beside its values. */
export type TimePlotProps = Pick<PlotFrameProps, 'width' | 'height' | 'unit' | 'label' | 'from' | 'to'> & {
  /** The time of a value, for the value box of the cursor. */
  readonly timeText: (index: number) => string;
};

/** The frame of a plot: the unit above the axis, a grid line for each tick, first and last time below it, and the cursor. */
export function PlotFrame({ width, height, unit, label, from, to, ticks, atY, values, children }: PlotFrameProps) {
  const { at, attributes } = usePlotCursor(values, width);
  const area = { x: margin.left, y: margin.top, width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  return (
    <div class="plot-box" {...attributes} {...(attributes.role && { 'aria-label': label })}>
      <svg class="picture plot" viewBox={`0 0 ${width} ${height}`} width="100%" height={height} role="img" aria-label={label}>
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
        <text x={margin.left} y={height - 6} class="axis-text">
          {from}
        </text>
        <text x={width - margin.right} y={height - 6} class="axis-text end">
          {to}
        </text>
        {at !== undefined && <PlotCursor at={at} values={values} area={area} />}
      </svg>
    </div>
  );
}
