import { parseNetworkId } from '../../avm/network.ts';
import { ipVersion } from '../../base/bytes/runtime-modules.ts';
import type { FlagDefinition, FlagKind } from './flag-definition.ts';

/** The value type of each kind of flag. A duration is in milliseconds, an amount of AVAX in nAVAX. */
export type FlagValues = {
  text: string;
  path: string;
  choice: string;
  network: number;
  integer: number;
  /** A number, maybe with a fraction. */
  number: number;
  u64: bigint;
  avax: bigint;
  boolean: boolean;
  duration: number;
  /** Seconds, maybe with a fraction. */
  seconds: number;
  list: readonly string[];
  ip: string;
  workers: number | 'auto';
  url: string;
  urls: readonly string[];
  /** A URL of PostgreSQL or Redis, maybe with several hosts. */
  database: string;
};

/** Parses the text of a flag; returns undefined if it is not allowed (see `describeAllowed`). */
export const parseFlagValue = (row: FlagDefinition, text: string): FlagValues[FlagKind] | undefined => parsers[row.kind](text, row);

export const describeAllowed = (row: FlagDefinition): string => allowedTexts[row.kind](row);

/** Parses a Go duration such as `1h15m30.5s` into milliseconds; returns undefined if it is invalid. As Go's time.ParseDuration. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)/.test(text)) return undefined;
  let total = 0;
  let rest = text;
  while (rest !== '') {
    const part = /^(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (part === null) return undefined;
    total += Number(part[1]) * (millisecondsPerUnit[part[2] as string] as number);
    rest = rest.slice(part[0].length);
  }
  return total <= maxDuration ? total : undefined;
}

const millisecondsPerUnit: { readonly [unit: string]: number } = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** The maximum of a Go duration, an int64 of nanoseconds, in milliseconds. */
const maxDuration = 2 ** 63 / 1e6;

/** The maximum length of a 64-bit number, in decimal or hex. */
const maxDigits = 20;

const parsers: { readonly [K in FlagKind]: (text: string, row: FlagDefinition) => FlagValues[K] | undefined } = {
  text: (text) => text,
  path: (text) => (text === '' ? undefined : text),
  choice: (text, row) => row.allowed?.find((name) => name === text.toLowerCase()),
  network: (text) => parseNetworkId(text),
  integer: (text, row) => parseInteger(text, row.max),
  number: (text, row) => {
    const value = /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    return value <= (row.max ?? Number.MAX_SAFE_INTEGER) ? value : undefined;
  },
  u64: (text) => {
    const value = /^(?:0|[1-9]\d*|0x[0-9a-fA-F]+)$/.test(text) && text.length <= maxDigits ? BigInt(text) : undefined;
    return value !== undefined && value < 2n ** 64n ? value : undefined;
  },
  avax: parseAvax,
  // As Go's strconv.ParseBool.
  boolean: (text) => (/^(?:1|t|T|TRUE|true|True)$/.test(text) ? true : /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : undefined),
  duration: (text, row) => {
    const value = parseDuration(text);
    return value !== undefined && value <= (row.max ?? maxDuration) ? value : undefined;
  },
  seconds: (text, row) => {
    const value = /^\d{1,9}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
    return value > 0 && value <= (row.max ?? maxDuration) ? value : undefined;
  },
  list: splitList,
  ip: (text) => (text === '' || ipVersion(text) !== 0 ? text : undefined),
  workers: (text, row) => (text === 'auto' ? 'auto' : parseInteger(text, row.max)),
  url: parseUrl,
  urls: (text) => {
    const urls = splitList(text);
    return urls.length > 0 && urls.every((url) => parseUrl(url) !== undefined) ? urls : undefined;
  },
  // What is wrong with it is said by checkStorage in flags.ts.
  database: (text) => (text.includes('://') ? text : undefined),
};

function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}

function parseUrl(text: string): string | undefined {
  return URL.canParse(text) && text.includes('://') ? text : undefined;
}

/** Parses an amount of AVAX with up to nine decimals into nAVAX. */
function parseAvax(text: string): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d{1,11})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(9, '0'));
}

const parseInteger = (text: string, max = Number.MAX_SAFE_INTEGER): number | undefined =>
  /^(?:0|[1-9]\d*)$/.test(text) && Number(text) <= max ? Number(text) : undefined;

const allowedTexts: { readonly [K in FlagKind]: (row: FlagDefinition) => string } = {
  text: () => 'any text',
  path: () => 'the path of a file or directory',
  choice: (row) => `one of ${row.allowed?.join(', ')}`,
  network: () => 'local, fuji, mainnet or a number up to 4294967295',
  integer: (row) => (row.max === undefined ? 'a whole number' : `a whole number from 0 to ${row.max}`),
  number: (row) => (row.max === undefined ? 'a number such as 2 or 0.5' : `a number from 0 to ${row.max}`),
  u64: () => 'a whole number up to 18446744073709551615',
  avax: () => 'an amount of AVAX, such as 10000 or 0.5',
  boolean: () => 'true or false',
  duration: (row) => `a duration such as 500ms, 30s or 1h15m${row.max === undefined ? '' : `, at most ${row.max / 1000}s`}`,
  seconds: (row) => `a number of seconds above 0${row.max === undefined ? '' : ` and up to ${row.max}`}`,
  list: () => 'names separated by commas or spaces',
  ip: () => 'an IP address',
  url: () => 'a URL, such as http://127.0.0.1:9650',
  database: () => 'a URL, such as postgres://user:password@host:5432/name',
  urls: () => 'URLs separated by commas or spaces',
  workers: (row) => `auto or a whole number from 0 to ${row.max}`,
};
