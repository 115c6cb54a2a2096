import { parseShortId } from '../../base/bytes/address.ts';
import { type Id, parseId } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { Fault } from '../../base/fault.ts';
import { jsonSchemaOf } from '../contract/json-schema.ts';
import type { AddressList } from '../contract/kinds.ts';
import type { RouteRow } from '../contract/route.ts';
import { type AnySchema, isOptional, type OneOf, type Optional, schemaOf } from '../contract/schema.ts';
import { readAddresses } from './addresses.ts';
import { apiError, quoteValue } from './api-error.ts';
import { readBodyValue } from './body-value.ts';
import type { Param, ParamContext, Params } from './param.ts';
import { pathNames } from './route-tree.ts';
import { parseUtxoId } from './utxo-id.ts';

/** Compiles the parameters of a route to functions that read their texts. */
export function compileRouteParams({ path, params }: Pick<RouteRow, 'path' | 'params'>): Params {
  const inPath = pathNames(path);
  return Object.fromEntries(Object.entries(params).map(([name, field]) => [name, compileParam(field, inPath.includes(name))]));
}

export function compileParam(field: AnySchema | Optional, isInPath = false): Param<unknown> {
  const schema = schemaOf(field);
  const { description, ...described } = jsonSchemaOf(schema);
  const isJson = isJsonInBody(schema);
  const { read, listKey } = isJson ? readerOfJson(schema) : readerOf(schema);
  return {
    in: isInPath ? 'path' : 'isInBody' in schema ? 'body' : 'query',
    required: isInPath || !isOptional(field),
    schema: described,
    description,
    absent: defaultOf(schema),
    isJson: isJson || undefined,
    read,
    listKey,
    repeated: (schema.kind === 'list' && schema.isInBody !== true) || undefined,
  };
}

/** Whether a parameter in the body is JSON of another type than a string. */
const isJsonInBody = (schema: AnySchema): boolean =>
  schema.isInBody === true && (schema.kind === 'list' || schema.kind === 'object' || schema.kind === 'flag');

const readerOfJson = (schema: AnySchema): Reader => one((text, name) => readBodyValue(schema, JSON.parse(text), name));

type Reader = Pick<Param<unknown>, 'read' | 'listKey'>;

function readerOf(schema: AnySchema): Reader {
  switch (schema.kind) {
    case 'text':
      return one((text, name) => checkText(text, name, schema.max));
    case 'chainName':
      return { ...one((text, name) => checkLength(text, name)), listKey: (name, { chain }) => chain(name as string) };
    // A server has one network, so all its names mean the same.
    case 'networkName':
      return { ...one((text, name) => checkLength(text, name)), listKey: () => '' };
    case 'id':
      return one((text, name) => readId(text, name));
    case 'nodeID':
      return one(readNodeId);
    case 'utxoID':
      return one(readUtxoId);
    case 'heightOrId':
      return one((text, name) =>
        /^[0-9]{1,15}$/.test(text) ? { height: Number(text) } : { id: readId(text, name, 'a block number or a block id') },
      );
    case 'uuid':
      return one((text, name) => {
        if (!uuid.test(text)) throw apiError(400, `${name} must be a UUID`);
        return text;
      });
    case 'integer':
      return one((text, name) => readInteger(text, name, schema.min ?? 0, schema.max ?? Number.MAX_SAFE_INTEGER));
    case 'amount':
      return one(readAmount);
    case 'flag':
      return one((text, name) => {
        const value = booleans.get(text);
        if (value === undefined) throw apiError(400, `${name} must be a boolean value`);
        return value;
      });
    case 'oneOf':
      return one((text, name) => readChoice(schema, text, name));
    case 'list':
      return schema.items.kind === 'id'
        ? { read: (texts, name) => readIds(texts, name, schema.max) }
        : { read: (texts, name) => readChoices(schema.items as OneOf, texts, name) };
    case 'addresses':
      return {
        ...one((text, name, context) => readAddresses(text, name, schema.max, context)),
        listKey: (list) => (list as AddressList | undefined)?.owners.toSorted(),
      };
    case 'assets':
      return one((text, name, context) => readAssets(text, name, schema.max, context));
    default:
      throw new TypeError(`routes have no parameters of the kind ${schema.kind}`);
  }
}

const one = (read: (text: string, name: string, context: ParamContext) => unknown): Reader => ({
  read: ([text = ''], name, context) => read(text, name, context),
});

function defaultOf(schema: AnySchema): unknown {
  if (!('default' in schema)) return undefined;
  return schema.kind === 'amount' ? BigInt(schema.default as number) : schema.default;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Characters. No valid name, id or number is longer. */
const maxText = 512;

function checkLength(text: string, name: string, max = maxText): string {
  if (text.length > max) throw apiError(400, `${name} must not be longer than ${max} characters`);
  return text;
}

/** A text that may be stored: PostgreSQL has no U+0000 in texts. */
function checkText(text: string, name: string, max?: number): string {
  if (text.includes('\0')) throw apiError(400, `${name} must not contain the character U+0000`);
  return checkLength(text, name, max);
}

function readId(text: string, name: string, expected = 'a CB58 id'): Id {
  try {
    return parseId(text);
  } catch (error) {
    if (error instanceof Fault) throw apiError(400, `${name} must be ${expected}, not ${quoteValue(text)}`);
    throw error;
  }
}

const nodePrefix = 'NodeID-';

/** A node ID: `NodeID-` and 20 bytes in CB58. */
function readNodeId(text: string, name: string): string {
  try {
    if (!text.startsWith(nodePrefix)) throw apiError(400, 'no prefix');
    parseShortId(text.slice(nodePrefix.length));
    return text;
  } catch (error) {
    if (error instanceof Fault) throw apiError(400, `${name} must be a node ID (${nodePrefix}...), not ${quoteValue(text)}`);
    throw error;
  }
}

function readUtxoId(text: string, name: string): Id {
  const id = parseUtxoId(text);
  if (id === undefined) throw apiError(400, `${name} must be a UTXO ID or txID:index, not ${quoteValue(text)}`);
  return id;
}

function readInteger(text: string, name: string, min: number, max: number): number {
  if (!/^-?[0-9]{1,40}$/.test(text)) throw apiError(400, `${name} must be an integer number`);
  const value = Number(text);
  if (value < min) throw apiError(400, `${name} must not be less than ${min}`);
  if (value > max) throw apiError(400, `${name} must not be greater than ${max}`);
  return value;
}

function readAmount(text: string, name: string): bigint {
  if (!/^-?[0-9]{1,40}$/.test(text)) throw apiError(400, `${name} must be an integer number`);
  const value = BigInt(text);
  if (value < 0n) throw apiError(400, `${name} must not be less than 0`);
  if (value > maxU64) throw apiError(400, `${name} must not be greater than ${maxU64}`);
  return value;
}

function readChoice({ values, unavailable = {} }: OneOf, text: string, name: string): string {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  const served = `${name} must be one of the following values: ${values.join(', ')}`;
  const missing = Object.hasOwn(unavailable, text) ? unavailable[text] : undefined;
  throw apiError(
    400,
    missing === undefined ? served : `${name} ${quoteValue(text)} is not available: AVM chains have no ${missing}; ${served}`,
  );
}

/** The key repeated, or one text with commas. Duplicates are dropped. */
function readChoices(schema: OneOf, texts: readonly string[], name: string): readonly string[] {
  const read = new Set<string>();
  for (const text of texts) for (const each of text.split(',')) read.add(readChoice(schema, each.trim(), name));
  return [...read];
}

function readIds(texts: readonly string[], name: string, max = Number.POSITIVE_INFINITY): readonly Id[] {
  const ids = texts.flatMap((text) => text.split(','));
  if (ids.length > max) throw apiError(400, `${name} must have at most ${max} IDs`);
  return ids.map((text) => readId(text.trim(), name, 'CB58 ids, separated by commas'));
}

function readAssets(text: string, name: string, max: number, { asset }: ParamContext): readonly Id[] {
  const texts = text.split(',', max + 1);
  if (texts.length > max) throw apiError(400, `${name} must have at most ${max} assets`);
  return texts.map((each) => {
    const aliased = asset?.(each.trim());
    if (aliased !== undefined) return aliased;
    try {
      return parseId(each.trim());
    } catch (error) {
      if (error instanceof Fault) throw apiError(400, `${name} must be asset IDs or aliases, separated by commas`);
      throw error;
    }
  });
}
