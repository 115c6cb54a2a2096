import type { Encoded } from '../contract/method.ts';
import { type AnySchema, type Fields, isOptional, schemaOf } from '../contract/schema.ts';
import { SeracError } from './fault.ts';

/** Converts what a caller passes for a schema to a JSON value. `path`: the parameter, for errors. */
function encode(schema: AnySchema, value: unknown, path: string): unknown {
  switch (schema.kind) {
    case 'u64':
    case 'u32':
    case 'u8':
    case 'time':
    case 'duration':
    case 'numberOrText':
    case 'addressName':
      return typeof value === 'string' ? value : requireExact(value as number | bigint, path);
    case 'list':
      return (value as readonly unknown[]).map((each, i) => encode(schema.items, each, `${path}[${i}]`));
    case 'oneOrList':
      return Array.isArray(value) ? value.map((each, i) => encode(schema.items, each, `${path}[${i}]`)) : encode(schema.items, value, path);
    case 'object':
      return encodeFields(schema.properties, value as object, path);
    default:
      return value;
  }
}

/** Converts parameters. Those that are not declared are sent as they are: the node reports misspelled ones. */
export function encodeFields(fields: Fields, value: object, path: string): object {
  const out: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (item !== undefined) out[name] = field === undefined ? item : encode(schemaOf(field), item, joinPath(path, name));
  }
  return out;
}

/** Converts the JSON value of a result or an event to what a caller gets. Properties that are not declared are left out. */
export function decode(schema: AnySchema | Encoded, json: unknown, path: string): unknown {
  switch (schema.kind) {
    case 'integer':
    case 'integerText':
      return toNumber(json, path);
    case 'bigInteger':
    case 'bigIntegerText':
      return toBigint(json, path);
    case 'flag':
      return requireType('boolean', json, path);
    case 'number':
      return requireType('number', json, path);
    case 'wire':
      return withBigints(json);
    case 'anything':
      return json;
    case 'anyOf':
      // The only alternatives among results are null and one other.
      return json === null ? null : decode(schema.schemas[0] as AnySchema, json, path);
    case 'list':
      if (!Array.isArray(json)) throw badResult(path, 'list');
      return json.map((each, i) => decode(schema.items, each, `${path}[${i}]`));
    case 'map':
      return mapEntries(requireRecord(json, path), (value, name) => decode(schema.values, value, joinPath(path, name)));
    case 'object':
      return decodeFields(schema.properties, requireRecord(json, path), path);
    case 'encoded': {
      const { encoding, [schema.name]: found } = isRecord(json) ? json : {};
      return { [schema.name]: encoding === 'json' ? decode(schema.json, found, joinPath(path, schema.name)) : found, encoding };
    }
    default:
      return requireType('string', json, path);
  }
}

function decodeFields(fields: Fields, json: JsonRecord, path: string): object {
  const out: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = json[name];
    if (value === undefined && isOptional(field)) continue;
    out[name] = decode(schemaOf(field), value, joinPath(path, name));
  }
  return out;
}

type JsonRecord = { readonly [name: string]: unknown };

export const isRecord = (value: unknown): value is JsonRecord => typeof value === 'object' && value !== null && !Array.isArray(value);

const mapEntries = (value: JsonRecord, change: (value: unknown, name: string) => unknown): JsonRecord =>
  Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item, name)]));

/** In the JSON of a transaction, block or output, `amount` and `locktime` become bigints at every depth: they may exceed 2^53. */
function withBigints(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withBigints);
  if (!isRecord(json)) return json;
  return mapEntries(json, (value, name) => (typeof value === 'number' && bigintNames.has(name) ? BigInt(value) : withBigints(value)));
}

const bigintNames: ReadonlySet<string> = new Set(['amount', 'locktime']);

const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** AvalancheGo writes some integers as numbers and some as decimal strings; both are taken. */
function toNumber(json: unknown, path: string): number {
  const value = typeof json === 'string' && /^-?\d{1,16}$/.test(json) ? Number(json) : json;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw badResult(path, 'integer');
}

function toBigint(json: unknown, path: string): bigint {
  if (typeof json === 'bigint') return json;
  if (typeof json === 'number' && Number.isSafeInteger(json)) return BigInt(json);
  if (typeof json === 'string' && /^-?\d{1,40}$/.test(json)) return BigInt(json);
  throw badResult(path, 'integer');
}

function requireType(type: 'string' | 'number' | 'boolean', json: unknown, path: string): unknown {
  if (typeof json === type) return json;
  throw badResult(path, type);
}

function requireRecord(json: unknown, path: string): JsonRecord {
  if (isRecord(json)) return json;
  throw badResult(path, 'object');
}

function requireExact(value: number | bigint, path: string): number | string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  throw new SeracError(`parameter ${path} is ${value}, which is not an exact integer; pass a bigint or a decimal string`, {
    code: 'BAD_PARAMETER',
    parameter: path,
    expected: 'integer',
  });
}

const badResult = (path: string, expected: string) =>
  new SeracError(`the node returned a result of another form: ${path || 'it'} is not ${/^[aio]/.test(expected) ? 'an' : 'a'} ${expected}`, {
    code: 'NODE_BAD_RESULT',
    path,
    expected,
  });
