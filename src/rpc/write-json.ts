import { goString } from '../codec/go-string.ts';

/** What a method may answer. A bigint is written as bare digits, never rounded; a property that is undefined is left out. */
export type Json = string | number | bigint | boolean | null | Raw | readonly Json[] | { readonly [key: string]: Json | undefined };

/** JSON that was rendered before: written as it stands. A long answer is better kept as bytes: it is then copied once on its way out. */
export class Raw {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }
}

export const raw = (json: string | Uint8Array): Raw => new Raw(json);

/** JSON text as Go's encoding/json writes it. */
export function writeJson(value: Json): string {
  if (typeof value === 'string') return goString(value);
  if (typeof value === 'object') {
    if (value === null) return 'null';
    if (value instanceof Raw) return typeof value.json === 'string' ? value.json : Buffer.from(value.json).toString('utf8');
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
    if (item !== undefined) out += (out === '' ? '{' : ',') + goString(key) + ':' + writeJson(item);
  }
  return out === '' ? '{}' : out + '}';
}
