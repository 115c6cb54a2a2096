import { parseRfc3339, utcDateTime } from '../../base/bytes/rfc3339.ts';
import { dateText, timeText } from '../text/text-format.ts';

/** A time of an axis, in Unix seconds, and its text. */
type TimeTick = { readonly time: number; readonly text: string };

const day = 86_400;
/** Round steps between ticks, in seconds, then in months. */
const steps = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, day, 2 * day, 7 * day, 14 * day];
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240];

/**
 * Ticks at round times from `first` to `last`, in Unix seconds: at most one more than `count`. `offset`: seconds that the shown time zone is ahead of
 * UTC. Midnight has its date as text, a month its name, January its year.
 */
export function timeTicks(first: number, last: number, count: number, offset: number): TimeTick[] {
  const span = Math.max(1, last - first);
  const step = steps.find((one) => span / one <= count);
  if (step === undefined) return monthTicks(first, last, count, offset);
  const ticks: TimeTick[] = [];
  for (let shown = Math.ceil((first + offset) / step) * step; shown <= last + offset; shown += step)
    ticks.push({ time: shown - offset, text: shown % day === 0 ? dayText(shown) : timeText(shown).slice(0, step < 60 ? 8 : 5) });
  return ticks;
}

function monthTicks(first: number, last: number, count: number, offset: number): TimeTick[] {
  const months = (last - first) / (30 * day);
  const step = monthSteps.find((one) => months / one <= count) ?? 240;
  const { year, month } = utcDateTime(BigInt(Math.floor(first + offset)));
  const ticks: TimeTick[] = [];
  for (let at = Math.ceil((year * 12 + month) / step) * step; ticks.length <= count; at += step) {
    const shown = Number(parseRfc3339(`${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}-01T00:00:00Z`) ?? 0n);
    if (shown > last + offset) break;
    ticks.push({ time: shown - offset, text: at % 12 === 0 ? String(at / 12) : (dayText(shown).split(' ')[1] ?? '') });
  }
  return ticks;
}

/** `15 Dec`, without the year. */
const dayText = (shown: number): string => dateText(shown).split(' ').slice(0, 2).join(' ');

/** A time for the value box of a plot from `first` to `last`: with its date if the plot is longer than half a day, only the date if it is by day. */
export function pointText(time: number, first: number, last: number, offset: number, isByDay: boolean): string {
  const shown = time + offset;
  if (isByDay) return dateText(shown);
  return last - first > day / 2 ? `${dayText(shown)} ${timeText(shown).slice(0, 5)}` : timeText(shown);
}
