/** The progress of long work. Counts are blocks unless `unit` is given. */
export type Progress = {
  readonly done: bigint;
  /** undefined while it is not known. */
  readonly total: bigint | undefined;
  readonly blocksPerSecond: number;
  /** undefined if transactions are not counted. */
  readonly txsPerSecond: number | undefined;
  /** Seconds until the work is done; undefined if it cannot be estimated. */
  readonly eta: number | undefined;
  readonly unit?: string;
};

/** Milliseconds between two progress lines where the output is not a terminal. */
export const plainLineInterval = 5000;

/** Progress as one line for a terminal, never wider than `columns`. If it does not fit, the bar is left out first, then the rates. */
export function formatProgressBar(progress: Progress, columns = 80): string {
  const { share, count, rates, rest } = formatParts(progress);
  const around = [`${formatPercent(share)} `, ` ${count}`, `  ${rates}`, `  ${rest}`];
  const barWidth = columns - around.join('').length - 2;
  const line = barWidth >= 4 ? `${around[0]}[${drawBar(share, barWidth)}]${around.slice(1).join('')}` : around.join('').trimStart();
  return line.length <= columns ? line : `${formatPercent(share)} ${count}`.slice(0, columns);
}

/** Progress as one line for a log. */
export function formatProgressLine(progress: Progress): string {
  const { share, count, rates, rest } = formatParts(progress);
  return `${count} (${formatPercent(share).trim()}), ${rates}, ${rest}`;
}

/** A duration in its two largest units: `3 d 4 h`, `2 h 5 min`, `4 min 10 s`, `12 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [days, hours, minutes] = [Math.floor(whole / 86_400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

function formatParts({ done, total, blocksPerSecond, txsPerSecond, eta, unit = 'blocks' }: Progress) {
  const share = total === undefined || total === 0n ? undefined : Math.min(1, Number(done) / Number(total));
  const count = total === undefined ? `${groupDigits(done)} ${unit}` : `${groupDigits(done)}/${groupDigits(total)} ${unit}`;
  const txs = txsPerSecond === undefined ? '' : ` ${groupDigits(roundRate(txsPerSecond))} tx/s`;
  const rates = `${groupDigits(roundRate(blocksPerSecond))} ${unit}/s${txs}`;
  const isDone = total !== undefined && done >= total;
  const rest = isDone ? 'done' : `ETA ${eta === undefined ? '?' : formatDuration(eta)}`;
  return { share: isDone ? 1 : share, count, rates, rest };
}

/** Rounded down, so that 100% is shown only when nothing is left. */
const formatPercent = (share: number | undefined): string =>
  share === undefined ? '  ?%' : `${String(Math.floor(share * 100)).padStart(3)}%`;

function drawBar(share: number | undefined, width: number): string {
  const filled = Math.floor((share ?? 0) * width);
  return '#'.repeat(filled) + '.'.repeat(width - filled);
}

const roundRate = (rate: number): bigint => BigInt(Number.isFinite(rate) ? Math.round(rate) : 0);

const groupDigits = (count: bigint): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** Starts measuring work: returns a function that computes its progress (rate and remaining time) from how much is done. */
export function startProgress(now: () => number, unit = 'blocks'): (counts: { readonly done: number; readonly total: number }) => Progress {
  const startedAt = now();
  let first: number | undefined;
  return ({ done, total }) => {
    first ??= done;
    const blocksPerSecond = ((done - first) * 1000) / Math.max(now() - startedAt, 1);
    const eta = blocksPerSecond > 0 ? (total - done) / blocksPerSecond : undefined;
    return { done: BigInt(done), total: BigInt(total), blocksPerSecond, txsPerSecond: undefined, eta, unit };
  };
}
