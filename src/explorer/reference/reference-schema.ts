import type { Schema } from './reference-types.ts';

/** Schemas by name, as an OpenAPI document has them. */
export type Schemas = Readonly<Record<string, Schema>>;

/** The name of a schema that is a reference. */
export const refName = ({ $ref }: Schema): string | undefined => $ref?.slice($ref.lastIndexOf('/') + 1);

/** A schema with the properties of the one it refers to. */
export function resolveSchema(schemas: Schemas, schema: Schema): Schema {
  const name = refName(schema);
  return name === undefined ? schema : { ...schemas[name], ...schema };
}

/** `string`, `list of Utxo`, `asc | desc`. */
export function typeName(schema: Schema): string {
  const name = refName(schema);
  if (name !== undefined) return name;
  const { type, items, enum: values, oneOf, additionalProperties, format } = schema;
  if (oneOf !== undefined) return oneOf.map(typeName).join(' or ');
  if (values !== undefined) return values.join(' | ');
  if (items !== undefined) return `list of ${typeName(items)}`;
  if (typeof additionalProperties === 'object') return `map of ${typeName(additionalProperties)}`;
  return format ?? [type ?? 'anything'].flat().join(' or ');
}

/** `integer, 1 to 100` */
export function boundsText({ type, format, minimum, maximum, items, enum: values }: Schema): string {
  const range = maximum !== undefined ? `, ${minimum ?? 0} to ${maximum}` : minimum !== undefined ? `, from ${minimum}` : '';
  const name = values !== undefined || items !== undefined ? '' : (format ?? [type ?? ''].flat().join(' or '));
  return `${name}${range}`;
}

/** A JSON text that fits a schema. */
export const sampleJson = (schemas: Schemas, schema: Schema): string => JSON.stringify(sampleOf(schemas, schema, []), undefined, 2) ?? '';

/** The first example of a schema as text; empty if it has none. */
export const exampleText = (schemas: Schemas, schema: Schema): string => String(resolveSchema(schemas, schema).examples?.[0] ?? '');

/** `enclosing`: names of the schemas around it, so that a schema that contains itself does not recurse forever. */
function sampleOf(schemas: Schemas, schema: Schema, enclosing: readonly string[]): unknown {
  const name = refName(schema);
  if (name !== undefined && enclosing.includes(name)) return {};
  const inside = name === undefined ? enclosing : [...enclosing, name];
  const below = (one: Schema): unknown => sampleOf(schemas, one, inside);
  const {
    examples,
    default: preset,
    enum: values,
    properties,
    items,
    additionalProperties,
    oneOf,
    type,
    format,
  } = resolveSchema(schemas, schema);
  if (examples !== undefined) return examples[0];
  if (preset !== undefined) return preset;
  if (values !== undefined) return values[0];
  if (oneOf !== undefined) return below(oneOf[0] as Schema);
  if (items !== undefined) return [below(items)];
  if (properties !== undefined) return Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, below(one)]));
  if (typeof additionalProperties === 'object') return { name: below(additionalProperties) };
  return format === 'uuid' ? '00000000-0000-4000-8000-000000000000' : defaultSamples[[type].flat()[0] ?? 'null'];
}

const defaultSamples: Readonly<Record<string, unknown>> = {
  string: '...',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
  null: null,
};
