import { Fault } from '../fault.ts';
import { beginOf, kindOf, scanObject, skipSpace, unquote } from '../rpc/json-scan.ts';
import { invalid, refuse } from './refusal.ts';

/** The texts of a query's keys, in their order. */
export function queryTexts(query: string): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>();
  if (query === '') return texts;
  if (query.length > maxQuery) throw invalid([`query must not be longer than ${maxQuery} characters`]);
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const text = equals < 0 ? '' : decoded(pair.slice(equals + 1));
    const before = texts.get(name);
    if (before === undefined) texts.set(name, [text]);
    else before.push(text);
  }
  return texts;
}

/** Texts of the wanted properties of a JSON object; of a property that stands twice the last. */
export function bodyTexts(body: Uint8Array, wanted: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  if (body.length > maxBody) throw bodyTooLarge();
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const texts = new Map<string, string[]>();
  const wrong: string[] = [];
  try {
    const start = beginOf(text);
    if (kindOf(text, start) !== 'object') throw invalid(['body must be a JSON object']);
    const end = scanObject(text, start, (key, keyEnd, from, to) => {
      if (keyEnd - key > maxName) return;
      const name = unquote(text, key, keyEnd);
      if (!wanted.has(name)) return;
      if (kindOf(text, from) === 'string') texts.set(name, [unquote(text, from, to)]);
      else wrong.push(`${name} must be a string`);
    });
    if (skipSpace(text, end) < text.length) throw invalid(['body must be one JSON object and nothing after it']);
  } catch (error) {
    if (error instanceof Fault && error.fault.code === 'RPC_BAD_JSON') throw invalid([`body must be JSON: ${error.message}`]);
    throw error;
  }
  if (wrong.length > 0) throw invalid(wrong);
  return texts;
}

export const bodyTooLarge = () => refuse(413, `body must not be larger than ${maxBody} bytes`);

/** Bytes of a body; room for 1,024 addresses and more. */
export const maxBody = 131_072;
/** What a server takes as one request line is less. */
const maxQuery = 32_768;
const maxName = 64;

function decoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid(['query must be well encoded']);
  }
}
