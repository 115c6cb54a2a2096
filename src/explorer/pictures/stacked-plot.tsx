import { shortNumber } from '../text/text-format.ts';
import { PlotFrame, type PlotValues, type TimePlotProps } from './plot-frame.tsx';
import { scalePlot } from './plot-scale.ts';

type Layer = { readonly word: string; readonly color: number; readonly values: readonly number[] };
type StackedPlotProps = TimePlotProps & { readonly layers: readonly Layer[] };

/** Areas on top of each other, from zero: the first layer is at the bottom. All layers have the same number of values. */
export function StackedPlot({ layers, width, height, unit, label, timeOf }: StackedPlotProps) {
  const count = layers[0]?.values.length ?? 0;
  const tops = stack(layers);
  const { ticks, atX, atY } = scalePlot({ width, height, first: 0, last: count - 1, max: Math.max(...(tops.at(-1) ?? [])) });
  const area = (top: readonly number[], bottom: readonly number[]): string =>
    `M${top.map((value, at) => `${atX(at)} ${atY(value)}`).join('L')}L${bottom
      .map((value, at) => `${atX(at)} ${atY(value)}`)
      .toReversed()
      .join('L')}Z`;
  const values: PlotValues = {
    count,
    x: atX,
    y: (at) => atY(tops.at(-1)?.[at] ?? 0),
    lines: (at) => [
      `${shortNumber(tops.at(-1)?.[at] ?? 0)} ${unit}`,
      ...layers.filter((one) => (one.values[at] ?? 0) > 0).map((one) => `${one.word} ${shortNumber(one.values[at] ?? 0)}`),
    ],
    time: timeOf,
    isFilled: true,
  };
  return (
    <PlotFrame {...{ width, height, unit, label, ticks, atY, values }} first={timeOf(0)} last={timeOf(Math.max(0, count - 1))}>
      {count > 1 &&
        tops.map((top, at) => <path d={area(top, tops[at - 1] ?? top.map(() => 0))} class={`layer mark-fill-${layers[at]?.color}`} />)}
    </PlotFrame>
  );
}

/** The upper edge of each layer. */
export function stack(layers: readonly Layer[]): number[][] {
  const tops: number[][] = [];
  for (const { values } of layers) tops.push(values.map((value, at) => value + (tops.at(-1)?.[at] ?? 0)));
  return tops;
}
