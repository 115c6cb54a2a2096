import { type Unit, units } from './tables.ts';

/** When the hour, day, week or month of a Unix time began, in UTC. Weeks begin on Monday. */
export const unitStart = (unit: Unit, time: number): number => starts[unit](time);

export const unitNames = Object.keys(units) as readonly Unit[];

export const hourOf = (time: number): number => time - (time % 3600);

const day = 86_400;

const starts: { readonly [U in Unit]: (time: number) => number } = {
  hour: hourOf,
  day: (time) => time - (time % day),
  // Day 0 of the epoch was a Thursday: Monday was three days before it.
  week: (time) => {
    const days = Math.floor(time / day);
    return (days - ((days + 3) % 7)) * day;
  },
  month: (time) => {
    const days = Math.floor(time / day);
    return (days - dayOfMonth(days)) * day;
  },
};

/** How many days of its month are over. Counts in eras of 400 years from 0000-03-01, so that the leap day ends a year. */
function dayOfMonth(days: number): number {
  const dayOfEra = (days + 719_468) % 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  return dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5);
}
