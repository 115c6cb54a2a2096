import { isIP } from 'node:net';
import { networkIdOf } from '../network.ts';
import type { Kind, Row } from './flag-table.ts';

/** What a flag of each kind becomes. A duration is in milliseconds. */
export type Values = {
  text: string;
  path: string;
  choice: string;
  network: number;
  whole: number;
  u64: bigint;
  yes: boolean;
  duration: number;
  list: readonly string[];
  ip: string;
  workers: number | 'auto';
  url: string;
};

/** The value of a flag's text, or undefined if it is not one of those `allowedText` names. */
export const parseValue = (row: Row, text: string): Values[Kind] | undefined => readers[row.kind](text, row);

export const allowedText = (row: Row): string => allowed[row.kind](row);

/** Go's duration text, `1h15m30.5s`, in milliseconds; undefined if it is none. Peer: Go's time.ParseDuration. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)/.test(text)) return undefined;
  let total = 0;
  let rest = text;
  while (rest !== '') {
    const part = /^(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (part === null) return undefined;
    total += Number(part[1]) * (milliseconds[part[2] as string] as number);
    rest = rest.slice(part[0].length);
  }
  return total <= maxDuration ? total : undefined;
}

const milliseconds: { readonly [unit: string]: number } = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** What Go's int64 of nanoseconds holds. */
const maxDuration = 2 ** 63 / 1e6;

/** A flag is read once, from someone who may start programs here; still, nothing needs to be longer. */
const maxDigits = 20;

const readers: { readonly [K in Kind]: (text: string, row: Row) => Values[K] | undefined } = {
  text: (text) => text,
  path: (text) => (text === '' ? undefined : text),
  choice: (text, row) => row.allowed?.find((name) => name === text.toLowerCase()),
  network: (text) => networkIdOf(text),
  whole: (text, row) => wholeOf(text, row.max),
  u64: (text) => {
    const value = /^(?:0|[1-9]\d*|0x[0-9a-fA-F]+)$/.test(text) && text.length <= maxDigits ? BigInt(text) : undefined;
    return value !== undefined && value < 2n ** 64n ? value : undefined;
  },
  // Peer: Go's strconv.ParseBool.
  yes: (text) => (/^(?:1|t|T|TRUE|true|True)$/.test(text) ? true : /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : undefined),
  duration: (text, row) => {
    const value = parseDuration(text);
    return value !== undefined && value <= (row.max ?? maxDuration) ? value : undefined;
  },
  list: (text) => text.split(/[\s,]+/).filter((item) => item !== ''),
  ip: (text) => (text === '' || isIP(text) !== 0 ? text : undefined),
  workers: (text, row) => (text === 'auto' ? 'auto' : wholeOf(text, row.max)),
  url: (text) => (URL.canParse(text) && text.includes('://') ? text : undefined),
};

const wholeOf = (text: string, max = Number.MAX_SAFE_INTEGER): number | undefined =>
  /^(?:0|[1-9]\d*)$/.test(text) && Number(text) <= max ? Number(text) : undefined;

const allowed: { readonly [K in Kind]: (row: Row) => string } = {
  text: () => 'any text',
  path: () => 'the path of a file or directory',
  choice: (row) => `one of ${row.allowed?.join(', ')}`,
  network: () => 'local, fuji, mainnet or a number up to 4294967295',
  whole: (row) => (row.max === undefined ? 'a whole number' : `a whole number from 0 to ${row.max}`),
  u64: () => 'a whole number up to 18446744073709551615',
  yes: () => 'true or false',
  duration: (row) => `a duration such as 500ms, 30s or 1h15m${row.max === undefined ? '' : `, at most ${row.max / 1000}s`}`,
  list: () => 'names separated by commas or blanks',
  ip: () => 'an IP address',
  url: () => 'a URL, such as postgres://user:password@host:5432/name',
  workers: (row) => `auto or a whole number from 0 to ${row.max}`,
};
