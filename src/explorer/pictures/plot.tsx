import { shortNumber } from '../text/text-format.ts';
import { PlotFrame, type PlotValues } from './plot-frame.tsx';
import { margin, round, scalePlot } from './plot-scale.ts';

/** A point of a plot; `x`: Unix seconds, growing. */
export type Point = { readonly x: number; readonly y: number };

type PlotProps = {
  readonly points: readonly Point[];
  readonly width: number;
  readonly height: number;
  readonly kind: 'line' | 'step' | 'bars';
  readonly unit: string;
  readonly label: string;
  readonly color?: number;
  /** Whether each point is a day of UTC. */
  readonly isByDay?: boolean;
  readonly isLog?: boolean;
};

/** A plot from zero, with ticks and units on both axes. A bar is as wide as the time that it is of. */
export function Plot({ points, width, height, kind, unit, label, color = 1, isByDay = false, isLog = false }: PlotProps) {
  const shown = thin(points, Math.max(2, width - margin.left - margin.right));
  const [first, last] = [shown[0]?.x ?? 0, shown.at(-1)?.x ?? 1];
  const max = Math.max(...shown.map(({ y }) => y));
  const isWhole = shown.every(({ y }) => Number.isInteger(y));
  const { ticks, plotWidth, base, atX, atY } = scalePlot({ width, height, first, last, max, isLog, isWhole });
  const step = plotWidth / Math.max(1, shown.length);
  const barTime = kind === 'bars' && shown.length > 1 ? (last - first) / (shown.length - 1) : 0;
  const values: PlotValues = {
    count: shown.length,
    x: (at) => (kind === 'bars' ? margin.left + (at + 0.5) * step : atX((shown[at] as Point).x)),
    y: (at) => atY((shown[at] as Point).y),
    time: (at) => (shown[at] as Point).x,
    lines: (at) => [`${shortNumber((shown[at] as Point).y)} ${unit}`],
    isFilled: kind === 'bars',
  };
  return (
    <PlotFrame {...{ width, height, unit, label, first, last: last + barTime, barTime, isByDay, ticks, atY, values }}>
      {kind === 'bars' ? (
        bars(shown, { left: margin.left, plotWidth, base, atY }).map((d) => <path d={d} class={`plot-bar mark-${color}`} />)
      ) : (
        <>
          <path d={`${linePath(shown, kind, atX, atY)}V${base}H${atX(first)}Z`} class="area" />
          <path d={linePath(shown, kind, atX, atY)} class={`line mark-${color}`} />
        </>
      )}
    </PlotFrame>
  );
}

/** A line without axes, from zero. */
export function Sparkline({ values, width, height, label }: { values: readonly number[]; width: number; height: number; label: string }) {
  const max = Math.max(1, ...values);
  const atX = (x: number): number => (x / Math.max(1, values.length - 1)) * width;
  const atY = (y: number): number => 2 + (height - 3) * (1 - y / max);
  const line = linePath(
    values.map((y, x) => ({ x, y })),
    'line',
    atX,
    atY,
  );
  return (
    <svg
      class="picture spark"
      viewBox={`0 0 ${width} ${height}`}
      width="100%"
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={`${line}V${height}H0Z`} class="area" />
      <path d={line} class="line mark-1" vector-effect="non-scaling-stroke" />
      <path d={`M0 ${height - 0.5}H${width}`} class="zero-line" vector-effect="non-scaling-stroke" />
    </svg>
  );
}

export function linePath(points: readonly Point[], kind: 'line' | 'step', atX: (x: number) => number, atY: (y: number) => number): string {
  if (points.length === 0) return `M${atX(0)} ${atY(0)}`;
  const [first, ...rest] = points as [Point, ...Point[]];
  const start = `M${round(atX(first.x))} ${round(atY(first.y))}`;
  return (
    start + rest.map(({ x, y }) => (kind === 'step' ? `H${round(atX(x))}V${round(atY(y))}` : `L${round(atX(x))} ${round(atY(y))}`)).join('')
  );
}

function bars(
  points: readonly Point[],
  { left, plotWidth, base, atY }: { left: number; plotWidth: number; base: number; atY: (y: number) => number },
) {
  const step = plotWidth / Math.max(1, points.length);
  return points.map((point, at) => {
    const top = atY(point.y);
    const width = Math.max(0.5, step - Math.min(2, step * 0.2));
    return `M${round(left + at * step)} ${round(base)}V${round(top)}h${round(width)}V${round(base)}Z`;
  });
}

/** Keeps the minimum and the maximum of each pixel column if there are more points than pixels. */
export function thin(points: readonly Point[], pixels: number): readonly Point[] {
  if (points.length <= pixels * 2) return points;
  const kept: Point[] = [];
  const size = points.length / pixels;
  for (let column = 0; column < pixels; column++) {
    const part = points.slice(Math.floor(column * size), Math.floor((column + 1) * size));
    const low = part.reduce((best, one) => (one.y < best.y ? one : best), part[0] as Point);
    const high = part.reduce((best, one) => (one.y > best.y ? one : best), part[0] as Point);
    kept.push(...(low.x < high.x ? [low, high] : low === high ? [low] : [high, low]));
  }
  return kept;
}
