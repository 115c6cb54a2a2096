/** A row of the table: what was measured on both servers, round by round, and what Serac must reach. */
export type Row = {
  readonly name: string;
  readonly unit: Unit;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** Microseconds of processor time a server spent on one answer: they do not change when the machine has other work too. */
  readonly cpu?: { readonly ours: readonly number[]; readonly theirs: readonly number[] };
  readonly target: Target;
};

export type Unit = '/s' | 'ms' | 'MB';

/** At least so many times what the other does, or at most so much in the row's own unit. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** `unsure`: the rounds fell on both sides of the target. */
export type Verdict = 'reached' | 'missed' | 'unsure';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** How far the furthest round is from the median, as a fraction of it. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return Math.max(...values.map((value) => Math.abs(value - middle))) / middle;
}

/** How many times better ours is: more per second, or less time and memory. */
export const ratioOf = ({ unit, ours, theirs }: Row): number =>
  unit === '/s' ? median(ours) / median(theirs) : median(theirs) / median(ours);

export function verdictOf(row: Row): Verdict {
  const rounds = row.ours.map((ours, i) => reaches({ ...row, ours: [ours], theirs: row.theirs.slice(i, i + 1) }));
  if (rounds.every((reached) => reached)) return 'reached';
  return rounds.some((reached) => reached) ? 'unsure' : 'missed';
}

/** The table as text. Targets are set against AvalancheGo: beside a bare server only those stand that need no other. */
export function tableOf(rows: readonly Row[], names: { readonly ours: string; readonly theirs: string; readonly judged: boolean }): string {
  const head = ['', names.ours, '±', names.theirs, '±', 'ratio', 'CPU µs', 'CPU µs', 'ratio', 'target', 'verdict'];
  const lines = rows.map((row) => {
    const judged = names.judged || 'atMost' in row.target;
    return [
      row.name,
      ...[row.ours, row.theirs].flatMap((values) => [amount(median(values), row.unit), percent(spread(values))]),
      times(ratioOf(row)),
      ...cpuCells(row),
      judged ? targetText(row) : '',
      judged ? verdictOf(row) : '',
    ];
  });
  return aligned([head, ...lines]);
}

/** Columns of equal width: the first to the left, numbers to the right, the last to the left again. */
function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const last = widths.length - 1;
  const cell = (text: string, i: number) => (i === 0 || i === last ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0));
  return lines.map((line) => line.map(cell).join('  ').trimEnd()).join('\n');
}

const reaches = (row: Row): boolean =>
  'atLeast' in row.target ? ratioOf(row) >= row.target.atLeast : median(row.ours) <= row.target.atMost;

function cpuCells({ cpu }: Row): string[] {
  if (cpu === undefined) return ['', '', ''];
  const [ours, theirs] = [median(cpu.ours), median(cpu.theirs)];
  return Number.isNaN(ours + theirs) ? ['', '', ''] : [round(ours), round(theirs), times(theirs / ours)];
}

const round = (value: number): string => Math.round(value).toLocaleString('en');

const amount = (value: number, unit: Unit): string =>
  unit === '/s'
    ? `${value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')}/s`
    : `${Math.round(value).toLocaleString('en')} ${unit}`;

const percent = (fraction: number): string => `${Math.round(fraction * 100)}%`;

const times = (ratio: number): string => `${ratio < 10 ? ratio.toFixed(2) : Math.round(ratio).toLocaleString('en')}x`;

const targetText = ({ target, unit }: Row): string =>
  'atLeast' in target ? `>= ${target.atLeast}x` : `<= ${target.atMost.toLocaleString('en')} ${unit}`;
