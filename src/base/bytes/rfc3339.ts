/** Date and time of day in UTC. `month` and `day` start at 1. */
type UtcDateTime = { year: number; month: number; day: number; hour: number; minute: number; second: number };

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

/** Reads RFC 3339, such as `2027-01-31T12:00:00Z` or `2027-01-31T12:00:00+01:00`, into Unix seconds; fractions are cut off. Returns undefined for any other text. */
export function parseRfc3339(text: string): bigint | undefined {
  const parts = /^((\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d))(?:\.\d{1,9})?(?:Z|([+-])(\d\d):([0-5]\d))$/.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(2, 8).map(Number);
  const local = BigInt(daysBefore(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second);
  // Dates that do not exist (February 30, 25:00) give another text when they are written back.
  if (rfc3339(local * nanosPerSecond) !== `${parts[1]}Z`) return undefined;
  const zone = parts[8] === undefined ? 0 : (Number(parts[9]) * 60 + Number(parts[10])) * 60;
  return local - BigInt(parts[8] === '-' ? -zone : zone);
}

/** Go's zero time, which means "never". */
export const zeroTime = '0001-01-01T00:00:00Z';

const nanosPerSecond = 1_000_000_000n;

const pad = (value: number, width: number) => value.toString().padStart(width, '0');

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** Days from 1970-01-01 to a date. Counts years from March, so that the leap day is the last day of a year. */
export function daysBefore(year: number, month: number, day: number): number {
  const from = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return from * 365 + Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400) + dayOfYear - 719_468;
}
