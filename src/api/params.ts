import { type Id, parseId } from '../bytes/id.ts';
import { maxU64 } from '../bytes/octets.ts';
import { Fault } from '../fault.ts';
import type { Param } from './param.ts';
import { refuse } from './refusal.ts';
import type { Schema } from './schema.ts';
import { shown } from './shown-value.ts';

/** Parameters that routes are made of. Addresses have a file of their own. */

type Words = { readonly description?: string; readonly example?: string };

/** Any text in the path. */
export const pathText = (words: Words = {}): Param<string> => onPath({ type: 'string' }, words, ([text = ''], name) => bounded(text, name));

/** A chain in the path, by any of its names. */
export const chainName = (words: Words = {}): Param<string> => ({ ...pathText(words), listKey: (name, { chain }) => chain(name) });

/** The network in the path. There is one, whatever name it is asked for by. */
export const networkName = (words: Words = {}): Param<string> => ({ ...pathText(words), listKey: () => '' });

/** A CB58 id in the path. */
export const pathId = (words: Words = {}): Param<Id> => onPath({ type: 'string' }, words, ([text = ''], name) => readId(text, name));

/** One of some words in the path; any other is refused with 400. */
export const pathChoice = <V extends string>(values: readonly V[], words: Words = {}): Param<V> =>
  onPath({ type: 'string', enum: values }, words, ([text = ''], name) => readChoice(values, text, name));

/** A block by its number or its id. */
export const heightOrId = (words: Words = {}): Param<{ readonly height: number } | { readonly id: Id }> =>
  onPath({ type: 'string' }, words, ([text = ''], name) =>
    /^[0-9]{1,15}$/.test(text) ? { height: Number(text) } : { id: readId(text, name, 'a block number or a block id') },
  );

/** Any text in the query. */
export const queryText = (words: Words = {}): Param<string | undefined> =>
  inQuery({ type: 'string' }, words, undefined, ([text = ''], name) => bounded(text, name));

export const queryId = (words: Words = {}): Param<Id | undefined> =>
  inQuery({ type: 'string' }, words, undefined, ([text = ''], name) => readId(text, name));

export const assetId: Param<Id | undefined> = queryId({ description: 'Only this asset: its CB58 id.' });

export const pageSize = (absent: number, max: number): Param<number> =>
  inQuery(
    { type: 'integer', minimum: 1, maximum: max, default: absent },
    { description: 'The most items to answer with.' },
    absent,
    ([text = ''], name) => readInteger(text, name, 1, max),
  );

/** A UUID as an earlier page gave it. The dispatcher opens it (`call.pages.asked`): routes only name it, and under this name. */
export const pageToken: Param<string | undefined> = inQuery(
  { type: 'string', format: 'uuid' },
  { description: 'The nextPageToken of the page before. It is good for 24 hours; after that the listing starts again.' },
  undefined,
  ([text = ''], name) => {
    if (!uuid.test(text)) throw refuse(400, `${name} must be a UUID`);
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

export function integer({ min, max, ...words }: Range): Param<number | undefined> {
  const schema: Schema = { type: 'integer', minimum: min, ...(max === undefined ? {} : { maximum: max }) };
  return inQuery(schema, words, undefined, ([text = ''], name) => readInteger(text, name, min, max ?? Number.MAX_SAFE_INTEGER));
}

/** One that cannot be left out. */
export const requiredInteger = (range: Range): Param<number> => ({ ...integer(range), required: true }) as Param<number>;

/** An amount of an asset in its smallest unit, 0 if absent. */
export const amount = (description: string): Param<bigint> =>
  inQuery({ type: 'integer', minimum: 0, default: 0 }, { description }, 0n, ([text = ''], name) => {
    if (!/^-?[0-9]{1,40}$/.test(text)) throw refuse(400, `${name} must be an integer number`);
    const value = BigInt(text);
    if (value < 0n) throw refuse(400, `${name} must not be less than 0`);
    if (value > maxU64) throw refuse(400, `${name} must not be greater than ${maxU64}`);
    return value;
  });

export const sortOrder = (absent: 'asc' | 'desc' = 'desc'): Param<'asc' | 'desc'> => choice(['asc', 'desc'], absent, 'Order of the items.');

/** One of some words. */
export function choice<V extends string>(values: readonly V[], absent: V, description?: string): Param<V>;
export function choice<V extends string>(values: readonly V[], absent?: undefined, description?: string): Param<V | undefined>;
export function choice<V extends string>(values: readonly V[], absent?: V, description?: string): Param<V | undefined> {
  const schema: Schema = { type: 'string', enum: values, ...(absent === undefined ? {} : { default: absent }) };
  return inQuery(schema, described(description), absent, ([text = ''], name) => readChoice(values, text, name));
}

/** Several of some words, each once: the key repeated, or one text with commas between. */
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
    const value = truth.get(text);
    if (value === undefined) throw refuse(400, `${name} must be a boolean value`);
    return value;
  });

/** A text in the body of a POST, a JSON object: the property of the parameter's name. */
export const bodyText = (words: Words = {}): Param<string> => ({
  ...onPath({ type: 'string' }, words, ([text = '']) => text),
  in: 'body',
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const truth: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function onPath<T>(schema: Schema, { example, ...words }: Words, read: Param<T>['read']): Param<T> {
  const shownSchema = example === undefined ? schema : { ...schema, example };
  return { in: 'path', required: true, schema: shownSchema, ...words, absent: undefined as never, read };
}

function inQuery<T>(schema: Schema, words: Words, absent: T, read: Param<T>['read']): Param<T> {
  return { ...onPath(schema, words, read), in: 'query', required: false, absent };
}

const described = (description: string | undefined): Words => (description === undefined ? {} : { description });

/** No name, id or number that means something here is longer. */
const maxText = 512;

function bounded(text: string, name: string): string {
  if (text.length > maxText) throw refuse(400, `${name} must not be longer than ${maxText} characters`);
  return text;
}

function readId(text: string, name: string, wanted = 'a CB58 id'): Id {
  try {
    return parseId(text);
  } catch (error) {
    if (error instanceof Fault) throw refuse(400, `${name} must be ${wanted}, not ${shown(text)}`);
    throw error;
  }
}

function readInteger(text: string, name: string, min: number, max: number): number {
  if (!/^-?[0-9]{1,40}$/.test(text)) throw refuse(400, `${name} must be an integer number`);
  const value = Number(text);
  if (value < min) throw refuse(400, `${name} must not be less than ${min}`);
  if (value > max) throw refuse(400, `${name} must not be greater than ${max}`);
  return value;
}

function readChoice<V extends string>(values: readonly V[], text: string, name: string): V {
  const found = values.find((value) => value === text);
  if (found === undefined) throw refuse(400, `${name} must be one of the following values: ${values.join(', ')}`);
  return found;
}
