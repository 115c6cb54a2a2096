import { daysBefore, rfc3339 } from '../../base/bytes/rfc3339.ts';

/** A Unix time for people: `2027-01-01 12:00:00 UTC`. */
export const dateText = (unixSeconds: number): string =>
  rfc3339(BigInt(unixSeconds) * 1_000_000_000n)
    .replace('T', ' ')
    .replace('Z', ' UTC');

/**
 * Reads when a key expires, in Unix seconds: a duration from now (`90m`, `12h`, `30d`, `2w`), or a time in UTC (`2027-01-01`,
 * `2027-01-01T12:00:00Z`). Returns undefined for any other text.
 */
export function readExpiry(text: string, now: number): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined) return now + Number(count) * unitSeconds[unit as keyof typeof unitSeconds];
  const whole = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  const [, ...parts] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/.exec(whole)?.map(Number) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  if (year === undefined) return undefined;
  const seconds = daysBefore(year, month ?? 0, day ?? 0) * 86_400 + (hour ?? 0) * 3_600 + (minute ?? 0) * 60 + (second ?? 0);
  // Dates that do not exist (February 30, 25:00) give another text when they are written back.
  return rfc3339(BigInt(seconds) * 1_000_000_000n) === whole ? seconds : undefined;
}

const unitSeconds = { m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;
