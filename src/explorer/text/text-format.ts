import { rfc3339, utcDateTime } from '../../base/bytes/rfc3339.ts';

/** `18342` as `18,342`. */
export const groupDigits = (value: number | bigint | string): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** An amount in the smallest unit, split at the decimal point: `1250500000000` with 9 decimals is `1,250` and `.5`. Never rounded. */
export function splitAmount(amount: string | bigint, denomination: number): { readonly whole: string; readonly fraction: string } {
  const value = BigInt(amount);
  const sign = value < 0n ? '−' : '';
  const digits = String(value < 0n ? -value : value).padStart(denomination + 1, '0');
  const at = digits.length - denomination;
  const fraction = digits.slice(at).replace(/0+$/, '');
  return { whole: sign + groupDigits(digits.slice(0, at)), fraction: fraction === '' ? '' : `.${fraction}` };
}

export const amountText = (amount: string | bigint, denomination: number): string => {
  const { whole, fraction } = splitAmount(amount, denomination);
  return whole + fraction;
};

/** An amount for programs: `1250.5`, `-3`. */
export const plainAmount = (amount: string | bigint, denomination: number): string => plainNumber(amountText(amount, denomination));

/** A number as it is shown, for programs: without commas, with an ASCII minus. */
export const plainNumber = (text: string): string => text.replaceAll(',', '').replace('−', '-');

/** A short amount for inside pictures: `49 k`, `1.2 M`. */
export function compactAmount(amount: string | bigint, denomination: number): string {
  const value = Number(amount) / 10 ** denomination;
  return compactNumber(value);
}

export function compactNumber(value: number): string {
  for (const [size, letter] of [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e4, 'k'],
  ] as const)
    if (Math.abs(value) >= size) return `${trim(value / (letter === 'k' ? 1e3 : size))} ${letter}`;
  return trim(value);
}

/** A number with six digits at most: `1,234.56`. */
export const shortNumber = (value: number): string => decimalText(value, 6);

/** A number with at most so many digits, never with an exponent: `0.000000001`. Only whole digits are grouped. */
export const decimalText = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { maximumSignificantDigits: digits }).replace('-', '−');

const trim = (value: number): string => decimalText(value, Math.abs(value) >= 1000 ? 4 : 3);

/** An ID as its first 8 and last 6 characters. */
export const shortId = (id: string): string => (id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-6)}`);

/** An address as its prefix, and its first 5 and last 6 characters after the prefix. */
export function splitAddress(address: string, alias: string): { readonly prefix: string; readonly short: string } {
  const bare = address.replace(/^[A-Za-z]+-/, '');
  const at = bare.lastIndexOf('1') + 1;
  const rest = bare.slice(at);
  return { prefix: `${alias}-${bare.slice(0, at)}`, short: rest.length <= 12 ? rest : `${rest.slice(0, 5)}…${rest.slice(-6)}` };
}

const pad = (value: number): string => String(value).padStart(2, '0');
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The last second of the year 9999; lock times may be later. */
const lastSecond = 253_402_300_799;

/** `15 Dec 2026` in UTC. */
export function dateText(unix: number): string {
  if (unix > lastSecond) return 'after the year 9999';
  const { year, month, day } = utcDateTime(BigInt(Math.floor(unix)));
  return `${day} ${months[month - 1]} ${year}`;
}

/** `09:41:06` in UTC. */
export function timeText(unix: number): string {
  if (unix > lastSecond) return '';
  const { hour, minute, second } = utcDateTime(BigInt(Math.floor(unix)));
  return `${pad(hour)}:${pad(minute)}:${pad(second)}`;
}

/** `2026-12-15T09:41:06Z`; undefined if the year has more than four digits. */
export const isoText = (unix: number): string | undefined =>
  unix > lastSecond ? undefined : rfc3339(BigInt(Math.floor(unix)) * 1_000_000_000n);

/** How long ago, in one unit: `4 s`, `12 min`, `3 h`, `2 d`, and from two years on `5 y`. A time in the future counts as now. */
export function ageText(seconds: number): string {
  const age = Math.max(0, seconds);
  if (age < 60) return `${Math.floor(age)} s`;
  if (age < 3600) return `${Math.floor(age / 60)} min`;
  if (age < 86_400) return `${Math.floor(age / 3600)} h`;
  const days = Math.floor(age / 86_400);
  return days < 2 * daysPerYear ? `${days} d` : `${Math.floor(days / daysPerYear)} y`;
}

const daysPerYear = 365.25;

/** How long something still takes, in two units: `11 d 23 h`. */
export function spanText(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${groupDigits(value)} ${unit}`)
    .join(' ');
}

export function bytesText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  if (bytes >= 1e7) return `${Math.round(bytes / 1e6)} MB`;
  return bytes < 10_000 ? `${groupDigits(bytes)} B` : `${groupDigits(Math.round(bytes / 1000))} kB`;
}

/** A share in percent, cut after two digits: `34.21 %`. What is not nothing is never shown as 0, and `–` is a share of nothing. */
export function shareText(part: bigint, whole: bigint): string {
  if (whole <= 0n) return '–';
  const hundredths = (part * 10_000n) / whole;
  if (hundredths === 0n && part > 0n) return '< 0.01 %';
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')} %`;
}

/** `1 input`, `2 inputs`. */
export const plural = (count: number, word: string): string => `${groupDigits(count)} ${word}${count === 1 ? '' : 's'}`;
