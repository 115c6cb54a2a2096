import { type JsonType, kinds } from './kinds.ts';
import type { Encoded } from './method.ts';
import { type AnySchema, type Defaulted, type Fields, isOptional, schemaOf } from './schema.ts';

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

/**
 * Describes a schema as JSON Schema: that of its kind in kinds.ts, or composed from those of its parts. Objects with a title stay in place;
 * `createComponents` moves them.
 */
export function jsonSchemaOf(schema: AnySchema | Encoded): JsonSchema {
  if (schema.kind === 'encoded') return encodedSchema(schema);
  const { description } = schema;
  switch (schema.kind) {
    case 'oneOf':
      return { type: 'string', enum: schema.values, description, default: defaultOf(schema), example: schema.example };
    case 'list':
      return { type: 'array', items: jsonSchemaOf(schema.items), maxItems: schema.max, description };
    case 'oneOrList': {
      const items = jsonSchemaOf(schema.items);
      return { oneOf: [items, { type: 'array', items, maxItems: schema.max }], description };
    }
    case 'map':
      return { type: 'object', additionalProperties: jsonSchemaOf(schema.values), description };
    case 'object':
      return { title: schema.title, ...objectSchema(schema.properties), additionalProperties: schema.isOpen, description };
    case 'anyOf':
      return { title: schema.title, oneOf: schema.schemas.map(jsonSchemaOf), description };
    case 'wire': {
      const json = jsonSchemaOf(schema.json);
      return { ...json, description: description ?? json.description };
    }
    case 'anything':
      return schema.isObject ? { type: 'object', additionalProperties: true, description } : { description };
    case 'numberOrText':
      return { ...kinds.numberOrText.jsonSchema, format: schema.type, description };
    case 'addresses':
    case 'assets':
      return { ...kinds[schema.kind].jsonSchema, description, example: schema.example };
    default: {
      const { jsonSchema } = kinds[schema.kind];
      return {
        ...jsonSchema,
        minimum: schema.min ?? jsonSchema.minimum,
        maximum: (schema.kind === 'integer' ? schema.max : undefined) ?? jsonSchema.maximum,
        description,
        default: defaultOf(schema),
        example: schema.example,
      };
    }
  }
}

/** The result of a method with `encoding`: an object for the encoding `json`, a text for every other one. */
const encodedSchema = ({ name, json }: Encoded): JsonSchema =>
  objectSchema({ [name]: { kind: 'anyOf', schemas: [json, { kind: 'text' }] }, encoding: { kind: 'encoding' } });

const defaultOf = (schema: Partial<Defaulted<unknown>>): JsonSchema['default'] => schema.default as JsonSchema['default'];

const objectSchema = (fields: Fields): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, jsonSchemaOf(schemaOf(field))])),
  required: Object.entries(fields)
    .filter(([, field]) => !isOptional(field))
    .map(([name]) => name),
});
