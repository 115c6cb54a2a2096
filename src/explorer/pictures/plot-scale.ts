/** Space around the area of a plot, for its axes. */
export const margin = { left: 52, right: 8, top: 22, bottom: 24 };

type PlotRange = {
  /** The size of the plot with its axes, in pixels. */
  readonly width: number;
  readonly height: number;
  /** The values at the left and the right end of the axis. */
  readonly first: number;
  readonly last: number;
  /** The largest value; the axis begins at zero. */
  readonly max: number;
  readonly isLog?: boolean;
  /** Whether values are counts: no tick is between two of them. */
  readonly isWhole?: boolean;
};

/** The scales of a plot: its ticks, the width of its area, the position of zero, and the positions of values, in pixels. */
export function scalePlot({ width, height, first, last, max, isLog = false, isWhole = false }: PlotRange) {
  const ticks = ticksUpTo(Math.max(0, max), isLog, isWhole);
  const top = ticks.at(-1) as number;
  const [plotWidth, plotHeight] = [width - margin.left - margin.right, height - margin.top - margin.bottom];
  const share = (y: number): number => (isLog ? Math.log10(1 + y) / Math.log10(1 + top) : y / top);
  return {
    ticks,
    plotWidth,
    base: margin.top + plotHeight,
    atX: (x: number): number => round(margin.left + (last === first ? 0 : ((x - first) / (last - first)) * plotWidth)),
    atY: (y: number): number => round(margin.top + plotHeight * (1 - share(y))),
  };
}

/** Rounds to a tenth of a pixel: shorter paths. */
export const round = (value: number): number => Math.round(value * 10) / 10;

/** Three or four ticks from zero to at least `max`, in steps of 1, 2 or 5; fewer for small counts (`isWhole`). */
export function ticksUpTo(max: number, isLog = false, isWhole = false): number[] {
  if (isLog) {
    const powers = [0, 1];
    while ((powers.at(-1) as number) < max) powers.push((powers.at(-1) as number) * 10);
    return powers.length > 6 ? powers.filter((_, at) => at % 2 === 0 || at === powers.length - 1) : powers;
  }
  if (max <= 0) return [0, 1];
  const rough = max / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ([1, 2, 5, 10].find((factor) => factor * power >= rough) as number) * power;
  const step = isWhole ? Math.max(1, round) : round;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}
