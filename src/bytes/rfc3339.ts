/** Date and time of day in UTC. `month` and `day` start at 1. */
export type UtcDateTime = { year: number; month: number; day: number; hour: number; minute: number; second: number };

/** Date and time of day of a Unix time. Counts in eras of 400 years from 0000-03-01, so that a leap day is the last day of a year. */
export function utcDateTime(unixSeconds: bigint): UtcDateTime {
  const days = floorDiv(unixSeconds, 86_400n);
  const rest = Number(unixSeconds - days * 86_400n);
  const fromMarch = days + 719_468n;
  const era = floorDiv(fromMarch, 146_097n);
  const dayOfEra = Number(fromMarch - era * 146_097n);
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: Number(era) * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
  };
}

/** RFC 3339 in UTC with nanoseconds and without trailing zeros, as Go writes a time in JSON. */
export function rfc3339(unixNanos: bigint): string {
  const seconds = floorDiv(unixNanos, nanosPerSecond);
  const nanos = unixNanos - seconds * nanosPerSecond;
  const fraction = nanos === 0n ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`;
  const { year, month, day, hour, minute, second } = utcDateTime(seconds);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction}Z`;
}

/** Go's zero time, which means "never". */
export const zeroTime = '0001-01-01T00:00:00Z';

const nanosPerSecond = 1_000_000_000n;

const pad = (value: number, width: number) => value.toString().padStart(width, '0');

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}
