import type { Encoded } from './method.ts';
import { type AnySchema, type Fields, isOptional, type ScalarKind, schemaOf } from './schema.ts';

/** The part of JSON Schema (as in OpenAPI 3.1 and OpenRPC) that the documents need. */
export type JsonSchema = {
  readonly type?: JsonType | readonly JsonType[];
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly default?: string | number | boolean;
  readonly example?: unknown;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  /** Name of a shared schema: a document lists it once under `components` and refers to it. */
  readonly title?: string;
};

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

const integerOrDigits = (format: string, maximum?: number): JsonSchema => ({
  type: ['integer', 'string'],
  format,
  minimum: 0,
  ...(maximum === undefined ? {} : { maximum }),
  pattern: '^[0-9]+$',
});

const encodings = ['hex', 'hexc', 'hexnc'];

const scalars: { readonly [kind in ScalarKind]: JsonSchema } = {
  text: { type: 'string' },
  longText: { type: 'string' },
  flag: { type: 'boolean' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  bigInteger: { type: 'integer', format: 'uint64' },
  digits: { type: 'string', pattern: '^-?[0-9]+$' },
  digitsCount: { type: 'string', pattern: '^-?[0-9]+$' },
  nothing: { type: 'null' },
  id: { type: 'string', format: 'ID' },
  nodeID: { type: 'string', format: 'NodeID' },
  encoding: { type: 'string', enum: [...encodings, 'json'] },
  hexEncoding: { type: 'string', enum: encodings },
  u64: integerOrDigits('uint64'),
  u32: integerOrDigits('uint32', 0xffff_ffff),
  u8: integerOrDigits('uint8', 0xff),
  time: { type: ['integer', 'string'], format: 'time' },
  duration: { type: ['integer', 'string'], format: 'duration' },
  uuid: { type: 'string', format: 'uuid' },
  heightOrId: { type: 'string' },
  utxoID: { type: 'string' },
  chainName: { type: 'string' },
  networkName: { type: 'string' },
  amount: { type: 'integer', minimum: 0 },
};

/** Describes a schema as JSON Schema. Objects with a title stay in place; `createComponents` moves them. */
export function jsonSchemaOf(schema: AnySchema | Encoded): JsonSchema {
  const described = 'description' in schema ? { description: schema.description as string } : {};
  switch (schema.kind) {
    case 'oneOf':
      return { type: 'string', enum: schema.values, ...described, ...defaultOf(schema), ...exampleOf(schema) };
    case 'numberOrText':
      return { type: ['number', 'string'], format: schema.type, ...described };
    case 'addresses':
    case 'assets':
      return { type: 'string', ...described, ...exampleOf(schema) };
    case 'list':
      return {
        type: 'array',
        items: jsonSchemaOf(schema.items),
        ...(schema.max === undefined ? {} : { maxItems: schema.max }),
        ...described,
      };
    case 'oneOrList': {
      const items = jsonSchemaOf(schema.items);
      return { oneOf: [items, { type: 'array', items, maxItems: schema.max }], ...described };
    }
    case 'map':
      return { type: 'object', additionalProperties: jsonSchemaOf(schema.values), ...described };
    case 'object':
      return {
        ...titleOf(schema),
        ...objectSchema(schema.properties),
        ...(schema.isOpen && { additionalProperties: true }),
        ...described,
      };
    case 'anyOf':
      return { ...titleOf(schema), oneOf: schema.schemas.map(jsonSchemaOf), ...described };
    case 'wire':
      return { ...jsonSchemaOf(schema.json), ...described };
    case 'anything':
      return { ...(schema.isObject ? { type: 'object', additionalProperties: true } : {}), ...described };
    case 'encoded':
      return objectSchema({ [schema.name]: { kind: 'anyOf', schemas: [schema.json, { kind: 'text' }] }, encoding: { kind: 'encoding' } });
    default:
      return {
        ...scalars[schema.kind],
        ...(schema.min === undefined ? {} : { minimum: schema.min }),
        ...(schema.max === undefined || schema.kind !== 'integer' ? {} : { maximum: schema.max }),
        ...described,
        ...defaultOf(schema),
        ...exampleOf(schema),
      };
  }
}

const titleOf = ({ title }: { readonly title?: string }): JsonSchema => (title === undefined ? {} : { title });

const exampleOf = ({ example }: { readonly example?: string }): JsonSchema => (example === undefined ? {} : { example });

const defaultOf = (schema: object): JsonSchema => ('default' in schema ? { default: schema.default as string } : {});

const objectSchema = (fields: Fields): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, jsonSchemaOf(schemaOf(field))])),
  required: Object.entries(fields)
    .filter(([, field]) => !isOptional(field))
    .map(([name]) => name),
});
