import { goString } from '../../base/codec/go-string.ts';
import { Fault } from '../../base/fault.ts';

/** The result of a method. A bigint is written as an unquoted number without rounding; undefined properties are omitted. */
export type Json = string | number | bigint | boolean | null | RawJson | readonly Json[] | { readonly [key: string]: Json | undefined };

/** JSON that is written unchanged. Bytes are better for a long result, since they are copied only once. */
export class RawJson {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }

  /** `JSON.stringify` cannot write it inside another value: `writeJson` does, for the Node RPC; the other APIs have it as a whole body only. */
  toJSON(): never {
    throw new RawJsonError('raw JSON can only be a complete response body', { code: 'API_RAW_INSIDE' });
  }
}

class RawJsonError extends Fault<{ code: 'API_RAW_INSIDE' }> {}

export const rawJson = (json: string | Uint8Array): RawJson => new RawJson(json);

/** Writes JSON like Go's encoding/json. */
export function writeJson(value: Json): string {
  if (typeof value === 'string') return goString(value);
  if (typeof value === 'object') {
    if (value === null) return 'null';
    if (value instanceof RawJson) return typeof value.json === 'string' ? value.json : Buffer.from(value.json).toString('utf8');
    return isList(value) ? writeList(value) : writeObject(value);
  }
  return typeof value === 'number' && !Number.isFinite(value) ? 'null' : value.toString();
}

/** Returns the value with every bigint as a decimal string, for clients that would round it. */
export function quoteBigints(value: Json): Json {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object' || value instanceof RawJson) return value;
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
