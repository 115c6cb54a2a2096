import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import { badArgument } from './fault.ts';
import { jsonKindAt } from './json-scan.ts';
import { list, longStr, type RpcParam, str, u64 } from './params.ts';

/** Parameters of the `dev.*` methods that may be given in several forms. */

/** A number or a text, as its text: an amount, a time or the index of an account. Empty if it is missing. */
export const numberOrText = (type: string): RpcParam<string> => ({
  zero: '',
  type,
  read: (text, from, to, previous) =>
    jsonKindAt(text, from) === 'number' ? readNumber(text, from, to) : str.read(text, from, to, previous),
});

/** One item, a number or a text, or a list of items; as a list. Empty if it is missing. */
export function oneOrList<T>(item: RpcParam<T>, type: string, max: number): RpcParam<readonly T[]> {
  const items = list(item, max);
  return {
    zero: [],
    type,
    read: (text, from, to, previous) =>
      ['string', 'number'].includes(jsonKindAt(text, from)) ? [item.read(text, from, to, item.zero)] : items.read(text, from, to, previous),
  };
}

/** A point in time: Unix seconds, or RFC 3339 such as `2027-01-31T12:00:00Z`. In Unix seconds; undefined if it is missing. */
export const timeParam: RpcParam<bigint | undefined> = {
  zero: undefined,
  type: 'time',
  read: (text, from, to, previous) => readNumberOr(text, from, to, previous, parseRfc3339),
};

/** A duration: seconds, or a number with a unit, such as `30d`, `12h`, `1h30m`. In seconds; undefined if it is missing. */
export const durationParam: RpcParam<bigint | undefined> = {
  zero: undefined,
  type: 'duration',
  read: (text, from, to, previous) => readNumberOr(text, from, to, previous, parseDuration),
};

/** Returns the value of a parameter that must not be missing. */
export function requireParam<T>(name: string, type: string, value: T | undefined): T {
  if (value === undefined) throw badArgument(name, type);
  return value;
}

const maxNumberLength = 32;

function readNumber(text: string, from: number, to: number): string {
  if (to - from > maxNumberLength) throw badArgument('');
  return text.slice(from, to);
}

/** No valid time or duration is longer, in characters of JSON. */
const maxLength = 64;

function readNumberOr(
  text: string,
  from: number,
  to: number,
  previous: bigint | undefined,
  parse: (text: string) => bigint | undefined,
): bigint | undefined {
  if (to - from > maxLength) throw badArgument('');
  const raw = text.slice(from, to);
  if (raw === 'null') return previous;
  if (/^"?\d+"?$/.test(raw)) return u64.read(text, from, to, 0n);
  const value = parse(longStr.read(text, from, to, ''));
  if (value === undefined) throw badArgument('');
  return value;
}

const secondsPerUnit: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, y: 31_536_000 };

function parseDuration(text: string): bigint | undefined {
  if (!/^(?:\d{1,12}(?:\.\d{1,9})?[smhdwy])+$/.test(text)) return undefined;
  let total = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/([\d.]+)([smhdwy])/g)) total += Number(count) * (secondsPerUnit[unit] as number);
  return BigInt(Math.floor(total));
}
