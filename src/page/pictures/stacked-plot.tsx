import { shortNumber } from '../text-format.ts';
import { ticksUpTo } from './plot.tsx';
import type { CursorValues } from './plot-cursor.tsx';
import { margin, PlotFrame, type TimePlotProps } from './plot-frame.tsx';

export type Layer = { readonly word: string; readonly color: number; readonly values: readonly number[] };
export type StackedPlotProps = TimePlotProps & { readonly layers: readonly Layer[] };

/** Areas on top of each other, from zero: the first layer is at the bottom. All layers have the same number of values. */
export function StackedPlot({ layers, width, height, unit, label, from, to, timeText }: StackedPlotProps) {
  const count = layers[0]?.values.length ?? 0;
  const tops = stack(layers);
  const ticks = ticksUpTo(Math.max(0, ...(tops.at(-1) ?? [])));
  const max = ticks.at(-1) as number;
  const [plotWidth, plotHeight] = [width - margin.left - margin.right, height - margin.top - margin.bottom];
  const atX = (index: number): number => Math.round((margin.left + (index / Math.max(1, count - 1)) * plotWidth) * 10) / 10;
  const atY = (value: number): number => Math.round((margin.top + plotHeight * (1 - value / max)) * 10) / 10;
  const area = (top: readonly number[], bottom: readonly number[]): string =>
    `M${top.map((value, at) => `${atX(at)} ${atY(value)}`).join('L')}L${bottom
      .map((value, at) => `${atX(at)} ${atY(value)}`)
      .toReversed()
      .join('L')}Z`;
  const values: CursorValues = {
    count,
    x: atX,
    y: (at) => atY(tops.at(-1)?.[at] ?? 0),
    lines: (at) => [
      `${timeText(at)}: ${shortNumber(tops.at(-1)?.[at] ?? 0)} ${unit}`,
      ...layers.filter((one) => (one.values[at] ?? 0) > 0).map((one) => `${one.word} ${shortNumber(one.values[at] ?? 0)}`),
    ],
    isFilled: true,
  };
  return (
    <PlotFrame {...{ width, height, unit, label, from, to, ticks, atY, values }}>
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
