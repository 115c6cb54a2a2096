/** Work of known size on its way. Counts are of blocks, unless `unit` says otherwise. */
export type Progress = {
  readonly done: bigint;
  /** Undefined while nobody knows. */
  readonly total: bigint | undefined;
  readonly blocksPerSecond: number;
  /** Undefined where they are not counted. */
  readonly txsPerSecond: number | undefined;
  /** Seconds; undefined if nobody can say. */
  readonly eta: number | undefined;
  readonly unit?: string;
};

/** How often a plain line is worth writing where there is no terminal, in milliseconds. */
export const plainLineEvery = 5000;

/** One line of a terminal, never longer than its width: the bar gives way first, then the rates. */
export function progressBar(progress: Progress, columns = 80): string {
  const { share, count, rates, rest } = parts(progress);
  const around = [`${percent(share)} `, ` ${count}`, `  ${rates}`, `  ${rest}`];
  const room = columns - around.join('').length - 2;
  const line = room >= 4 ? `${around[0]}[${bar(share, room)}]${around.slice(1).join('')}` : around.join('').trimStart();
  return line.length <= columns ? line : `${percent(share)} ${count}`.slice(0, columns);
}

/** The same in words, for a log. */
export function progressLine(progress: Progress): string {
  const { share, count, rates, rest } = parts(progress);
  return `${count} (${percent(share).trim()}), ${rates}, ${rest}`;
}

/** Unspecific where it must be: `3 d 4 h`, `2 h 5 min`, `4 min 10 s`, `12 s`. */
export function durationWords(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [days, hours, minutes] = [Math.floor(whole / 86_400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

function parts({ done, total, blocksPerSecond, txsPerSecond, eta, unit = 'blocks' }: Progress) {
  const share = total === undefined || total === 0n ? undefined : Math.min(1, Number(done) / Number(total));
  const count = total === undefined ? `${grouped(done)} ${unit}` : `${grouped(done)}/${grouped(total)} ${unit}`;
  const txs = txsPerSecond === undefined ? '' : ` ${grouped(rounded(txsPerSecond))} tx/s`;
  const rates = `${grouped(rounded(blocksPerSecond))} ${unit}/s${txs}`;
  const isDone = total !== undefined && done >= total;
  const rest = isDone ? 'done' : `ETA ${eta === undefined ? '?' : durationWords(eta)}`;
  return { share: isDone ? 1 : share, count, rates, rest };
}

/** Rounded down: 100 % is said when nothing is left, not before. */
const percent = (share: number | undefined): string => (share === undefined ? '  ?%' : `${String(Math.floor(share * 100)).padStart(3)}%`);

function bar(share: number | undefined, width: number): string {
  const filled = Math.floor((share ?? 0) * width);
  return '#'.repeat(filled) + '.'.repeat(width - filled);
}

const rounded = (rate: number): bigint => BigInt(Number.isFinite(rate) ? Math.round(rate) : 0);

const grouped = (count: bigint): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
