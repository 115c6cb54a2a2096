/** What a method may answer. A bigint is written as bare digits, never rounded; a property that is undefined is left out. */
export type Json = string | number | bigint | boolean | null | Raw | readonly Json[] | { readonly [key: string]: Json | undefined };

/** JSON text that was rendered before: written as it stands. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const raw = (text: string): Raw => new Raw(text);

/** JSON text as Go's encoding/json writes it. */
export function writeJson(value: Json): string {
  if (typeof value === 'string') return writeString(value);
  if (typeof value === 'object') {
    if (value === null) return 'null';
    if (value instanceof Raw) return value.text;
    return isList(value) ? writeList(value) : writeObject(value);
  }
  return typeof value === 'number' && !Number.isFinite(value) ? 'null' : value.toString();
}

/** The value with every integer beyond JavaScript's own as a decimal string, for readers that would round it. */
export function quoteBigints(value: Json): Json {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object' || value instanceof Raw) return value;
  if (isList(value)) return value.map(quoteBigints);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, item === undefined ? undefined : quoteBigints(item)]));
}

/** Go escapes what HTML would read, and the two line separators of JavaScript. Peer: Go's encoding/json/encode.go, appendString. */
export const writeString = (text: string): string => (special.test(text) ? `"${text.replace(unquotable, escaped)}"` : `"${text}"`);

/** Anything that may not be able to stand between quotes as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const special = /["\\<>&\x00-\x1f\u2028\u2029\ud800-\udfff]/;

/** What really cannot: of the surrogates only those without a partner. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unquotable = /["\\<>&\x00-\x1f\u2028\u2029]|\p{Surrogate}/gu;

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escaped(char: string): string {
  const code = char.charCodeAt(0);
  return short[char] ?? (code >= 0xd800 ? '\\ufffd' : `\\u${code.toString(16).padStart(4, '0')}`);
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);

function writeList(list: readonly Json[]): string {
  let out = '';
  for (const item of list) out += (out === '' ? '[' : ',') + writeJson(item);
  return out === '' ? '[]' : out + ']';
}

function writeObject(object: { readonly [key: string]: Json | undefined }): string {
  let out = '';
  for (const key in object) {
    const item = object[key];
    if (item !== undefined) out += (out === '' ? '{' : ',') + writeString(key) + ':' + writeJson(item);
  }
  return out === '' ? '{}' : out + '}';
}
