import { type BucketUnit, bucketUnits } from './tables.ts';

/** The start of the hour, day, week or month that contains a Unix time, in UTC. Weeks begin on Monday. */
export const bucketStart = (unit: BucketUnit, time: number): number => starts[unit](time);

export const bucketUnitNames = Object.keys(bucketUnits) as readonly BucketUnit[];

export const hourStart = (time: number): number => time - (time % 3600);

const day = 86_400;

const starts: { readonly [U in BucketUnit]: (time: number) => number } = {
  hour: hourStart,
  day: (time) => time - (time % day),
  // Day 0 of the Unix epoch was a Thursday, three days after a Monday.
  week: (time) => {
    const days = Math.floor(time / day);
    return (days - ((days + 3) % 7)) * day;
  },
  month: (time) => {
    const days = Math.floor(time / day);
    return (days - dayOfMonth(days)) * day;
  },
};

/** Day of the month, from 0. Counts in eras of 400 years from 0000-03-01, so that the leap day is the last day of a year. */
function dayOfMonth(days: number): number {
  const dayOfEra = (days + 719_468) % 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  return dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5);
}
