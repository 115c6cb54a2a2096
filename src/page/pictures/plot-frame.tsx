import type { ComponentChildren } from 'preact';
import { groupDigits } from '../text-format.ts';

/** Space around the area of a plot, for its axes. */
export const margin = { left: 52, right: 8, top: 22, bottom: 24 };

export type PlotFrameProps = {
  readonly width: number;
  readonly height: number;
  readonly unit: string;
  readonly label: string;
  /** Texts below the first and the last point. */
  readonly from: string;
  readonly to: string;
  readonly ticks: readonly number[];
  readonly atY: (value: number) => number;
  readonly children: ComponentChildren;
};

/** The frame of a plot: the unit above the axis, a grid line for each tick, and first and last time below it. */
export const PlotFrame = ({ width, height, unit, label, from, to, ticks, atY, children }: PlotFrameProps) => (
  <svg class="picture plot" viewBox={`0 0 ${width} ${height}`} width="100%" height={height} role="img" aria-label={label}>
    <text x={0} y={12} class="axis-text">
      {unit}
    </text>
    {ticks.map((tick) => (
      <>
        <path d={`M${margin.left} ${atY(tick)}H${width - margin.right}`} class={tick === 0 ? 'zero-line' : 'grid-line'} />
        <text x={margin.left - 8} y={atY(tick) + 4} class="axis-text end">
          {groupDigits(tick)}
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
  </svg>
);
