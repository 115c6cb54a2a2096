import { RpcError } from '../rpc/fault.ts';
import { findFirstValue, jsonKindAt, parseString, scanObject, skipSpace } from '../rpc/json-scan.ts';
import { apiError, invalidParams } from './api-error.ts';

/** The values of each key of a query string, in their order. */
export function queryTexts(query: string): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>();
  if (query === '') return texts;
  if (query.length > maxQuery) throw invalidParams([`query must not be longer than ${maxQuery} characters`]);
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const text = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const existing = texts.get(name);
    if (existing === undefined) texts.set(name, [text]);
    else existing.push(text);
  }
  return texts;
}

/**
 * The properties with the wanted names of a JSON object. `wanted`: whether the text of a property is its JSON; otherwise it must be a string.
 * If a property occurs twice, the last one counts.
 */
export function bodyTexts(body: Uint8Array, wanted: ReadonlyMap<string, boolean>): ReadonlyMap<string, readonly string[]> {
  if (body.length > maxBody) throw apiBodyTooLarge();
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const texts = new Map<string, string[]>();
  const wrong: string[] = [];
  try {
    const start = findFirstValue(text);
    if (jsonKindAt(text, start) !== 'object') throw invalidParams(['body must be a JSON object']);
    const end = scanObject(text, start, (key, keyEnd, from, to) => {
      if (keyEnd - key > maxName) return;
      const name = parseString(text, key, keyEnd);
      const isJson = wanted.get(name);
      if (isJson === undefined) return;
      if (isJson) texts.set(name, [Buffer.from(text.slice(from, to), 'latin1').toString('utf8')]);
      else if (jsonKindAt(text, from) === 'string') texts.set(name, [parseString(text, from, to)]);
      else wrong.push(`${name} must be a string`);
    });
    if (skipSpace(text, end) < text.length) throw invalidParams(['body must be one JSON object with nothing after it']);
  } catch (error) {
    // Bad JSON, or more members or values than are read.
    if (error instanceof RpcError) throw invalidParams([`body must be JSON: ${error.message}`]);
    throw error;
  }
  if (wrong.length > 0) throw invalidParams(wrong);
  return texts;
}

export const apiBodyTooLarge = () => apiError(413, `body must not be larger than ${maxBody} bytes`);

/** Bytes. Enough for more than 1,024 addresses. */
export const maxBody = 131_072;
/** Characters. More than the server accepts as a request line. */
const maxQuery = 32_768;
const maxName = 64;

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidParams(['query must be valid percent-encoding']);
  }
}
