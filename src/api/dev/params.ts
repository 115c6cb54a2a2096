import { HexError, parseHex } from '../../base/bytes/hex.ts';
import { badArgument } from '../rpc/fault.ts';
import { jsonKindAt } from '../rpc/json-scan.ts';
import { list, type ParamsOf, type RpcParam, str, strictObj } from '../rpc/params.ts';
import { DevError } from './fault.ts';

/** The parameters of a `dev.*` method. An asset may be given as `asset` too, the name of the command line's flag. */
export const devParams = <F extends { readonly [name: string]: RpcParam<unknown> }>(
  fields: F,
): RpcParam<{ readonly [K in keyof F]: ParamsOf<F[K]> }> => strictObj(fields, 'assetID' in fields ? { asset: 'assetID' } : {});

export const noDevParams = devParams({});

/** A number or a text, as its text: an amount, a time or the index of an account. Empty if it is missing. */
export const numberOrText = (type: string): RpcParam<string> => ({
  zero: '',
  type,
  read: (text, from, to, previous) =>
    jsonKindAt(text, from) === 'number' ? readNumber(text, from, to) : str.read(text, from, to, previous),
});

/** One address or a list of them, as a list. Empty if it is missing. */
export const addressOrList: RpcParam<readonly string[]> = {
  zero: [],
  type: 'address or address[]',
  read: (text, from, to, previous) =>
    jsonKindAt(text, from) === 'string' ? [str.read(text, from, to, '')] : addressList.read(text, from, to, previous),
};

export const amountParam = numberOrText('amount');
export const accountParam = numberOrText('address or index');
export const timeParam = numberOrText('time');

/** The bytes of a memo or payload: hex after `0x`, else the UTF-8 bytes of the text. */
export function parseBytesText(text: string, argument: string): Uint8Array {
  if (!text.startsWith('0x')) return new TextEncoder().encode(text);
  try {
    return parseHex('hexnc', text);
  } catch (error) {
    if (!(error instanceof HexError)) throw error;
    throw new DevError(`${argument} starts with 0x but is not hex: ${error.message}; text must not start with 0x`, {
      code: 'DEV_BAD_BYTES',
      argument,
    });
  }
}

/** Parses a time in Unix seconds or RFC 3339 into Unix seconds. */
export function parseTime(text: string): bigint {
  if (/^\d{1,12}$/.test(text)) return BigInt(text);
  // biome-ignore lint/style/noRestrictedGlobals: this parses a text and does not read the clock
  const milliseconds = rfc3339Pattern.test(text) ? Date.parse(text) : Number.NaN;
  if (milliseconds >= 0) return BigInt(Math.floor(milliseconds / 1000));
  throw new DevError(`time ${JSON.stringify(text)} is neither Unix seconds nor RFC 3339, such as 2027-01-31T00:00:00Z`, {
    code: 'DEV_BAD_TIME',
    time: text,
  });
}

const rfc3339Pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

const maxAddresses = 128;
const addressList = list(str, maxAddresses);

function readNumber(text: string, from: number, to: number): string {
  if (to - from > maxNumberLength) throw badArgument('');
  return text.slice(from, to);
}

const maxNumberLength = 32;
