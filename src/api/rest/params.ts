import { type Id, parseId } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import { apiError } from './api-error.ts';
import type { Param } from './param.ts';
import { quoteValue } from './quote-value.ts';

/** Parameter types for routes. Those for addresses are in addresses.ts. */

type Documentation = { readonly description?: string; readonly example?: string };

/** Any text in the path. */
export const pathText = (documentation: Documentation = {}): Param<string> =>
  inPath({ type: 'string' }, documentation, ([text = ''], name) => checkLength(text, name));

/** A chain in the path, by any of its names. */
export const chainName = (documentation: Documentation = {}): Param<string> => ({
  ...pathText(documentation),
  listKey: (name, { chain }) => chain(name),
});

/** The network in the path. A server has one network, so all its names mean the same. */
export const networkName = (documentation: Documentation = {}): Param<string> => ({ ...pathText(documentation), listKey: () => '' });

/** A CB58 id in the path. */
export const pathId = (documentation: Documentation = {}): Param<Id> =>
  inPath({ type: 'string' }, documentation, ([text = ''], name) => readId(text, name));

/** One of the given values, in the path. Any other value gives 400. */
export const pathChoice = <V extends string>(values: readonly V[], documentation: Documentation = {}): Param<V> =>
  inPath({ type: 'string', enum: values }, documentation, ([text = ''], name) => readChoice(values, text, name));

/** A block by its number or its id. */
export const heightOrId = (documentation: Documentation = {}): Param<{ readonly height: number } | { readonly id: Id }> =>
  inPath({ type: 'string' }, documentation, ([text = ''], name) =>
    /^[0-9]{1,15}$/.test(text) ? { height: Number(text) } : { id: readId(text, name, 'a block number or a block id') },
  );

/** Any text in the query. */
export const queryText = (documentation: Documentation = {}): Param<string | undefined> =>
  inQuery({ type: 'string' }, documentation, undefined, ([text = ''], name) => checkLength(text, name));

export const queryId = (documentation: Documentation = {}): Param<Id | undefined> =>
  inQuery({ type: 'string' }, documentation, undefined, ([text = ''], name) => readId(text, name));

export const assetId: Param<Id | undefined> = queryId({ description: 'Only this asset: its CB58 id.' });

export const pageSize = (absent: number, max: number): Param<number> =>
  inQuery(
    { type: 'integer', minimum: 1, maximum: max, default: absent },
    { description: 'Maximum number of items.' },
    absent,
    ([text = ''], name) => readInteger(text, name, 1, max),
  );

/**
 * The page token, a UUID. The dispatcher opens it and passes it to the route as `paging.cursor`. A route must declare it under the name
 * `pageToken`.
 */
export const pageToken: Param<string | undefined> = inQuery(
  { type: 'string', format: 'uuid' },
  { description: 'The nextPageToken of the previous page. Valid for 24 hours; after that the listing starts again.' },
  undefined,
  ([text = ''], name) => {
    if (!uuid.test(text)) throw apiError(400, `${name} must be a UUID`);
    return text;
  },
);

/** Unix seconds. */
export function timestamp(description: string): Param<number | undefined> {
  return integer({ min: 0, description });
}

export const startTimestamp = timestamp('From this time on, in Unix seconds.');
export const endTimestamp = timestamp('Before this time, in Unix seconds.');

type Range = { readonly min: number; readonly max?: number; readonly description?: string };

export function integer({ min, max, ...documentation }: Range): Param<number | undefined> {
  const schema: JsonSchema = { type: 'integer', minimum: min, ...(max === undefined ? {} : { maximum: max }) };
  return inQuery(schema, documentation, undefined, ([text = ''], name) => readInteger(text, name, min, max ?? Number.MAX_SAFE_INTEGER));
}

/** An integer that is required. */
export const requiredInteger = (range: Range): Param<number> => ({ ...integer(range), required: true }) as Param<number>;

/** An amount of an asset in its smallest unit, 0 if absent. */
export const amount = (description: string): Param<bigint> =>
  inQuery({ type: 'integer', minimum: 0, default: 0 }, { description }, 0n, ([text = ''], name) => {
    if (!/^-?[0-9]{1,40}$/.test(text)) throw apiError(400, `${name} must be an integer number`);
    const value = BigInt(text);
    if (value < 0n) throw apiError(400, `${name} must not be less than 0`);
    if (value > maxU64) throw apiError(400, `${name} must not be greater than ${maxU64}`);
    return value;
  });

export const sortOrder = (absent: 'asc' | 'desc' = 'desc'): Param<'asc' | 'desc'> => choice(['asc', 'desc'], absent, 'Order of the items.');

/** One of the given values. */
export function choice<V extends string>(values: readonly V[], absent: V, description?: string): Param<V>;
export function choice<V extends string>(values: readonly V[], absent?: undefined, description?: string): Param<V | undefined>;
export function choice<V extends string>(values: readonly V[], absent?: V, description?: string): Param<V | undefined> {
  const schema: JsonSchema = { type: 'string', enum: values, ...(absent === undefined ? {} : { default: absent }) };
  return inQuery(schema, described(description), absent, ([text = ''], name) => readChoice(values, text, name));
}

/** Several of the given values: the key repeated, or one text with commas. Duplicates are dropped. */
export const choices = <V extends string>(values: readonly V[], description?: string): Param<readonly V[] | undefined> => ({
  ...inQuery<readonly V[] | undefined>(
    { type: 'array', items: { type: 'string', enum: values } },
    described(description),
    undefined,
    (texts, name) => {
      const read = new Set<V>();
      for (const text of texts) for (const each of text.split(',')) read.add(readChoice(values, each.trim(), name));
      return [...read];
    },
  ),
  repeated: true,
});

/** true or false, 1 or 0; false if absent. */
export const bool = (description: string): Param<boolean> =>
  inQuery({ type: 'boolean', default: false }, { description }, false, ([text = ''], name) => {
    const value = booleans.get(text);
    if (value === undefined) throw apiError(400, `${name} must be a boolean value`);
    return value;
  });

/** A text in the JSON body of a POST: the property with the name of the parameter. */
export const bodyText = (documentation: Documentation = {}): Param<string> => ({
  ...inPath({ type: 'string' }, documentation, ([text = '']) => text),
  in: 'body',
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function inPath<T>(schema: JsonSchema, { example, ...documentation }: Documentation, read: Param<T>['read']): Param<T> {
  const documented = example === undefined ? schema : { ...schema, example };
  return { in: 'path', required: true, schema: documented, ...documentation, absent: undefined as never, read };
}

function inQuery<T>(schema: JsonSchema, documentation: Documentation, absent: T, read: Param<T>['read']): Param<T> {
  return { ...inPath(schema, documentation, read), in: 'query', required: false, absent };
}

const described = (description: string | undefined): Documentation => (description === undefined ? {} : { description });

/** Characters. No valid name, id or number is longer. */
const maxText = 512;

function checkLength(text: string, name: string): string {
  if (text.length > maxText) throw apiError(400, `${name} must not be longer than ${maxText} characters`);
  return text;
}

function readId(text: string, name: string, expected = 'a CB58 id'): Id {
  try {
    return parseId(text);
  } catch (error) {
    if (error instanceof Fault) throw apiError(400, `${name} must be ${expected}, not ${quoteValue(text)}`);
    throw error;
  }
}

function readInteger(text: string, name: string, min: number, max: number): number {
  if (!/^-?[0-9]{1,40}$/.test(text)) throw apiError(400, `${name} must be an integer number`);
  const value = Number(text);
  if (value < min) throw apiError(400, `${name} must not be less than ${min}`);
  if (value > max) throw apiError(400, `${name} must not be greater than ${max}`);
  return value;
}

function readChoice<V extends string>(values: readonly V[], text: string, name: string): V {
  const found = values.find((value) => value === text);
  if (found === undefined) throw apiError(400, `${name} must be one of the following values: ${values.join(', ')}`);
  return found;
}
