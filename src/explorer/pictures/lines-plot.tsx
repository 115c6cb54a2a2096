import { shortNumber } from '../text/text-format.ts';
import { linePath } from './plot.tsx';
import { PlotFrame, type PlotValues, type TimePlotProps } from './plot-frame.tsx';
import { scalePlot } from './plot-scale.ts';

/** A line of a plot; null where there is no value. All lines have the same number of values. */
type Line = { readonly word: string; readonly color: number; readonly values: readonly (number | null)[] };

type LinesPlotProps = TimePlotProps & { readonly lines: readonly Line[] };

/** Lines over the same times, from zero. A line has a gap where it has no value; a value between two gaps is a dot. */
export function LinesPlot({ lines, width, height, unit, label, timeOf }: LinesPlotProps) {
  const count = lines[0]?.values.length ?? 0;
  const max = Math.max(0, ...lines.flatMap(({ values }) => values.filter((value) => value !== null)));
  const isWhole = lines.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)));
  const { ticks, atX, atY } = scalePlot({ width, height, first: 0, last: count - 1, max, isWhole });
  /** The cursor stops where there is a value. */
  const known = Array.from({ length: count }, (_, at) => at).filter((at) => lines.some(({ values }) => (values[at] ?? null) !== null));
  const valueAt = (line: Line, at: number): number => line.values[known[at] ?? 0] ?? 0;
  const values: PlotValues = {
    count: known.length,
    x: (at) => atX(known[at] ?? 0),
    y: (at) => atY(Math.max(0, ...lines.map((line) => valueAt(line, at)))),
    time: (at) => timeOf(known[at] ?? 0),
    lines: (at) => lines.map((line) => `${line.word} ${shortNumber(valueAt(line, at))} ${unit}`),
    isFilled: false,
  };
  return (
    <PlotFrame {...{ width, height, unit, label, ticks, atY, values }} first={timeOf(0)} last={timeOf(Math.max(0, count - 1))}>
      {lines.map(({ color, values: all }) =>
        runsOf(all).map(({ first, values: run }) =>
          run.length === 1 ? (
            <circle cx={atX(first)} cy={atY(run[0] as number)} r={2} class={`mark-fill-${color}`} />
          ) : (
            <path
              d={linePath(
                run.map((y, i) => ({ x: first + i, y })),
                'line',
                atX,
                atY,
              )}
              class={`line mark-${color}`}
            />
          ),
        ),
      )}
    </PlotFrame>
  );
}

/** The values between the gaps; `first` is the index of the first one. */
export function runsOf(values: readonly (number | null)[]): { readonly first: number; readonly values: number[] }[] {
  const runs: { readonly first: number; readonly values: number[] }[] = [];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.values.length === at) last.values.push(value);
    else runs.push({ first: at, values: [value] });
  }
  return runs;
}
