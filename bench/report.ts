/** A row of the table: the measurements of both servers by round, and Serac's target. `theirs` is empty for what only Serac can do. */
export type ReportRow = {
  readonly name: string;
  readonly unit: Unit;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** Microseconds of CPU time per response; unlike the rate, it hardly depends on other load of the machine. */
  readonly cpu?: { readonly ours: readonly number[]; readonly theirs: readonly number[] };
  readonly target: Target;
};

export type Unit = '/s' | 'ms' | 'MB' | 'bytes';

/** A minimum ratio to the other server, or a maximum in the row's unit. */
type Target = { readonly atLeast: number } | { readonly atMost: number };

/** `unsure`: some rounds reached the target and others did not. */
type TargetResult = 'reached' | 'missed' | 'unsure';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The largest deviation of a round from the median, as a fraction of the median. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return Math.max(...values.map((value) => Math.abs(value - middle))) / middle;
}

export const ratioOf = ({ unit, ours, theirs }: ReportRow): number => timesBetter(unit, median(ours), median(theirs));

/** How many times better Serac is: a higher rate, or less time or memory. */
export const timesBetter = (unit: Unit, ours: number, theirs: number): number => (unit === '/s' ? ours / theirs : theirs / ours);

export function evaluateTarget(row: ReportRow): TargetResult {
  const rounds = row.ours.map((ours, i) => isReached({ ...row, ours: [ours], theirs: row.theirs.slice(i, i + 1) }));
  if (rounds.every((reached) => reached)) return 'reached';
  return rounds.some((reached) => reached) ? 'unsure' : 'missed';
}

/** Formats the table. Ratio targets are for AvalancheGo; without `showTargets` (a bare server) only absolute targets are shown. */
export function formatTable(
  rows: readonly ReportRow[],
  names: { readonly ours: string; readonly theirs: string; readonly showTargets: boolean },
): string {
  const head = ['', names.ours, '±', names.theirs, '±', 'ratio', 'CPU µs', 'CPU µs', 'ratio', 'target', 'result'];
  const lines = rows.map((row) => {
    const showTarget = names.showTargets || 'atMost' in row.target;
    return [
      row.name,
      ...[row.ours, row.theirs].flatMap((values) =>
        values.length === 0 ? ['', ''] : [formatAmount(median(values), row.unit), formatPercent(spread(values))],
      ),
      row.theirs.length === 0 ? '' : formatRatio(ratioOf(row)),
      ...formatCpuCells(row),
      showTarget ? formatTarget(row) : '',
      showTarget ? evaluateTarget(row) : '',
    ];
  });
  return alignColumns([head, ...lines]);
}

/** Aligns the columns: the first and last to the left, the others to the right. */
export function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const last = widths.length - 1;
  const cell = (text: string, i: number) => (i === 0 || i === last ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0));
  return lines.map((line) => line.map(cell).join('  ').trimEnd()).join('\n');
}

const isReached = (row: ReportRow): boolean =>
  'atLeast' in row.target ? ratioOf(row) >= row.target.atLeast : median(row.ours) <= row.target.atMost;

function formatCpuCells({ cpu }: ReportRow): string[] {
  if (cpu === undefined) return ['', '', ''];
  const [ours, theirs] = [median(cpu.ours), median(cpu.theirs)];
  return Number.isNaN(ours + theirs) ? ['', '', ''] : [formatRounded(ours), formatRounded(theirs), formatRatio(theirs / ours)];
}

const formatRounded = (value: number): string => Math.round(value).toLocaleString('en');

export const formatAmount = (value: number, unit: Unit): string =>
  unit === '/s'
    ? `${value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')}/s`
    : `${value < 10 ? value.toPrecision(2) : Math.round(value).toLocaleString('en')} ${unit}`;

const formatPercent = (fraction: number): string => `${Math.round(fraction * 100)}%`;

export const formatRatio = (ratio: number): string => `${ratio < 10 ? ratio.toFixed(2) : Math.round(ratio).toLocaleString('en')}x`;

const formatTarget = ({ target, unit }: ReportRow): string =>
  'atLeast' in target ? `>= ${target.atLeast}x` : `<= ${target.atMost.toLocaleString('en')} ${unit}`;
